// SPDX-License-Identifier: Apache-2.0
//
// The pull of 1536 bodies on 270 thousand probes: by a power whose literals lack their suffix, by
// the same power in float, by a root and a division with the bodies in shared tiles, and by the
// approximate reciprocal root with four probes a thread.
#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBodies = 1536;
constexpr unsigned kProbes = 132 * 2048;
constexpr unsigned kPerThread = 4;  // in the last step
constexpr float kSoftening = 1e-2f;
constexpr double kTolerance = 1e-4;
static_assert(kProbes % (kThreads * kPerThread) == 0 && kBodies % kThreads == 0,
              "the grids cover the probes exactly, the tiles the bodies");

// `1e-2`, `1.5` and `1.0` make the power and the division double: dozens of operations of the FP64
// pipe, at half the rate of the others, for every pair, and three conversions.
// ladder: nbody step 1: nbody_double is held by fp64-pipe, lifted by nbody_float
__global__ __launch_bounds__(kThreads) void nbody_double(
    const float4* __restrict__ bodies,  // (kBodies), the mass in w
    const float4* __restrict__ probes,  // (kProbes)
    float4* __restrict__ pulls) {       // (kProbes)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4 probe = probes[i];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (unsigned j = 0; j < kBodies; ++j) {
    const float4 body = bodies[j];
    const float dx = body.x - probe.x;
    const float dy = body.y - probe.y;
    const float dz = body.z - probe.z;
    const float squared = dx * dx + dy * dy + dz * dz;
    const float factor = static_cast<float>(body.w * (1.0 / pow(squared + 1e-2, 1.5)));
    x += factor * dx;
    y += factor * dy;
    z += factor * dz;
  }
  pulls[i] = make_float4(x, y, z, 0.0f);
}

// A dozen instructions are the work; the power and the division with their checks for special cases
// are several times that. The schedulers are busy with them; the one load a pair hits L1.
// ladder: nbody step 2: nbody_float is held by issue-slots or instruction-overhead
__global__ __launch_bounds__(kThreads) void nbody_float(
    const float4* __restrict__ bodies,  // (kBodies), the mass in w
    const float4* __restrict__ probes,  // (kProbes)
    float4* __restrict__ pulls) {       // (kProbes)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4 probe = probes[i];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (unsigned j = 0; j < kBodies; ++j) {
    const float4 body = bodies[j];
    const float dx = body.x - probe.x;
    const float dy = body.y - probe.y;
    const float dz = body.z - probe.z;
    const float squared = dx * dx + dy * dy + dz * dz;
    const float factor = body.w * (1.0f / powf(squared + kSoftening, 1.5f));
    x += factor * dx;
    y += factor * dy;
    z += factor * dz;
  }
  pulls[i] = make_float4(x, y, z, 0.0f);
}

// Root and division are rounded exactly.
__device__ __forceinline__ void add_pull(float4 body, float4 probe, float& x, float& y, float& z) {
  const float dx = body.x - probe.x;
  const float dy = body.y - probe.y;
  const float dz = body.z - probe.z;
  const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
  const float factor = body.w * inverse * inverse * inverse;
  x += factor * dx;
  y += factor * dy;
  z += factor * dz;
}

// The exact root and the exact division are still more than half of the instructions.
// ladder: nbody step 3: nbody_tiles is held by issue-slots or instruction-overhead
__global__ __launch_bounds__(kThreads) void nbody_tiles(
    const float4* __restrict__ bodies,  // (kBodies), the mass in w
    const float4* __restrict__ probes,  // (kProbes)
    float4* __restrict__ pulls) {       // (kProbes)
  __shared__ float4 tile[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4 probe = probes[i];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (unsigned base = 0; base < kBodies; base += kThreads) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    for (unsigned j = 0; j < kThreads; ++j) add_pull(tile[j], probe, x, y, z);
    __syncthreads();
  }
  pulls[i] = make_float4(x, y, z, 0.0f);
}

// Twelve operations of the FMA pipe and one reciprocal root, an eighth as quick as those, for a
// pair, and a quarter of a load.
// ladder: nbody step 4: nbody_registers is held by fma-pipe or issue-slots
__global__ __launch_bounds__(kThreads) void nbody_registers(
    const float4* __restrict__ bodies,  // (kBodies), the mass in w
    const float4* __restrict__ probes,  // (gridDim.x, kPerThread, kThreads)
    float4* __restrict__ pulls) {       // (gridDim.x, kPerThread, kThreads)
  __shared__ float4 tile[kThreads];
  const unsigned first = blockIdx.x * kThreads * kPerThread + threadIdx.x;
  float4 own[kPerThread];
  float3 sums[kPerThread];
#pragma unroll
  for (unsigned p = 0; p < kPerThread; ++p) {
    own[p] = probes[first + p * kThreads];
    sums[p] = make_float3(0.0f, 0.0f, 0.0f);
  }
  for (unsigned base = 0; base < kBodies; base += kThreads) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (unsigned j = 0; j < kThreads; ++j) {
      const float4 body = tile[j];
#pragma unroll
      for (unsigned p = 0; p < kPerThread; ++p) {
        const float dx = body.x - own[p].x;
        const float dy = body.y - own[p].y;
        const float dz = body.z - own[p].z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
        const float factor = body.w * inverse * inverse * inverse;
        sums[p].x += factor * dx;
        sums[p].y += factor * dy;
        sums[p].z += factor * dz;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned p = 0; p < kPerThread; ++p) {
    pulls[first + p * kThreads] = make_float4(sums[p].x, sums[p].y, sums[p].z, 0.0f);
  }
}

namespace {

std::vector<float4> random_points(std::size_t count, unsigned seed) {
  const std::vector<float> drawn = random_floats(4 * count, seed);
  std::vector<float4> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    points[i] =
        make_float4(drawn[4 * i], drawn[4 * i + 1], drawn[4 * i + 2], drawn[4 * i + 3] + 0.5f);
  }
  return points;
}

template <typename Kernel>
void run(const char* name, Kernel kernel, unsigned per_block, const std::vector<float4>& bodies,
         const std::vector<float4>& probes) {
  const DeviceBuffer<float4> device_bodies(bodies);
  const DeviceBuffer<float4> device_probes(probes);
  DeviceBuffer<float4> pulls(kProbes);
  pulls.clear();
  kernel<<<kProbes / per_block, kThreads>>>(device_bodies.data(), device_probes.data(),
                                            pulls.data());
  finish_launch();
  const std::vector<float4> actual = pulls.download();
  for (std::size_t i = 0; i < kProbes; i += 2003) {
    double x = 0.0, y = 0.0, z = 0.0;
    double size = 0.0;  // of what is added up: the pulls cancel, their errors do not
    for (const float4& body : bodies) {
      const double dx = double{body.x} - probes[i].x;
      const double dy = double{body.y} - probes[i].y;
      const double dz = double{body.z} - probes[i].z;
      const double squared = dx * dx + dy * dy + dz * dz + kSoftening;
      const double factor = body.w / (squared * std::sqrt(squared));
      x += factor * dx;
      y += factor * dy;
      z += factor * dz;
      size += factor * std::sqrt(squared);
    }
    expect_close(name, actual[i].x / size, x / size, kTolerance, i);
    expect_close(name, actual[i].y / size, y / size, kTolerance, i);
    expect_close(name, actual[i].z / size, z / size, kTolerance, i);
  }
  passed(name);
}

}  // namespace

int main() {
  const std::vector<float4> bodies = random_points(kBodies, 114);
  const std::vector<float4> probes = random_points(kProbes, 115);
  run("nbody with doubles", nbody_double, kThreads, bodies, probes);
  run("nbody in float", nbody_float, kThreads, bodies, probes);
  run("nbody in tiles", nbody_tiles, kThreads, bodies, probes);
  run("nbody, four probes a thread", nbody_registers, kThreads * kPerThread, bodies, probes);
}
