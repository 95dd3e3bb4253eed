// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the device's memory whose requests look scattered: the lanes of a warp
// read 24 or 64 bytes apart, so that a request touches several times the sectors that its bytes
// would fill. The bytes between are the next loads', sent right after, and come from the L1 cache:
// what leaves it is every sector once. Rearranging the data would save no traffic.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds

struct Body {
  float x, y, z;
  float vx, vy, vz;
};
static_assert(sizeof(Body) == 24, "six loads of four bytes, none of them wider");

constexpr unsigned kPerThread = 2;

// The power that a force gives to a body, and its virial weighted by the force's fourth component.
__host__ __device__ inline float power_of(const Body& body, float4 force) {
  const float work = fmaf(force.x, body.vx, fmaf(force.y, body.vy, force.z * body.vz));
  const float virial = fmaf(force.x, body.x, fmaf(force.y, body.y, force.z * body.z));
  return fmaf(force.w, virial, work);
}

// Six loads of a record, 24 bytes from lane to lane, beside a stream of whole vectors.
// zoo: drive_bodies is healthy at dram-bandwidth
__global__ __launch_bounds__(kThreads, kBlocksResident) void drive_bodies(
    const Body* __restrict__ bodies,    // (blocks, kPerThread, kThreads)
    const float4* __restrict__ forces,  // (blocks, kPerThread, kThreads)
    float* __restrict__ powers) {       // (blocks, kPerThread, kThreads)
  const std::size_t first =
      static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;
  Body body[kPerThread];
  float4 force[kPerThread];
#pragma unroll
  for (unsigned i = 0; i < kPerThread; ++i) {
    body[i] = bodies[first + i * kThreads];
    force[i] = forces[first + i * kThreads];
  }
#pragma unroll
  for (unsigned i = 0; i < kPerThread; ++i) {
    powers[first + i * kThreads] = power_of(body[i], force[i]);
  }
}

constexpr unsigned kVectors = 4;  // of a thread, one after the other in memory
constexpr unsigned kWindow = 4 * kVectors;

// Each thread takes 64 bytes in a row, in four loads that are all under way before the first is
// used.
// zoo: window_energies is healthy at dram-bandwidth
__global__ __launch_bounds__(kThreads, kBlocksResident) void window_energies(
    const float4* __restrict__ samples,  // (windows, kVectors)
    float* __restrict__ energies) {      // (windows)
  const std::size_t window = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float4* mine = samples + window * kVectors;
  float4 held[kVectors];
#pragma unroll
  for (unsigned j = 0; j < kVectors; ++j) held[j] = mine[j];
  float energy = 0.0f;
#pragma unroll
  for (unsigned j = 0; j < kVectors; ++j) {
    energy = fmaf(held[j].x, held[j].x, energy);
    energy = fmaf(held[j].y, held[j].y, energy);
    energy = fmaf(held[j].z, held[j].z, energy);
    energy = fmaf(held[j].w, held[j].w, energy);
  }
  energies[window] = energy;
}

namespace {

void run_drive_bodies() {
  constexpr unsigned kBlocks = 32768;
  constexpr std::size_t kCount = std::size_t{kBlocks} * kThreads * kPerThread;
  const std::vector<float> drawn = random_floats(kPeriod * 10, 151);
  std::vector<Body> block_bodies(kPeriod);
  std::vector<float4> block_forces(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) {
    const float* ten = &drawn[i * 10];
    block_bodies[i] = {ten[0], ten[1], ten[2], ten[3], ten[4], ten[5]};
    block_forces[i] = make_float4(ten[6], ten[7], ten[8], ten[9]);
  }
  DeviceBuffer<Body> bodies(kCount);    // (kCount)
  DeviceBuffer<float4> forces(kCount);  // (kCount)
  DeviceBuffer<float> powers(kCount);   // (kCount)
  fill_repeating(bodies, block_bodies);
  fill_repeating(forces, block_forces);
  powers.clear();
  drive_bodies<<<kBlocks, kThreads>>>(bodies.data(), forces.data(), powers.data());
  finish_launch();
  const std::vector<float> actual = powers.download();
  for (std::size_t i = 0; i < kCount; i += 31) {
    const float expected = power_of(block_bodies[i % kPeriod], block_forces[i % kPeriod]);
    expect_close("drive bodies", actual[i], expected, 1e-6, i);
  }
  passed("drive bodies");
}

void run_window_energies() {
  constexpr unsigned kBlocks = 40960;
  constexpr std::size_t kWindows = std::size_t{kBlocks} * kThreads;
  const std::vector<float> block = random_floats(kPeriod, 152);
  static_assert(kPeriod % kWindow == 0, "no window runs over the end of the block");
  DeviceBuffer<float> samples(kWindows * kWindow);  // (kWindows, kWindow)
  DeviceBuffer<float> energies(kWindows);           // (kWindows)
  fill_repeating(samples, block);
  energies.clear();
  window_energies<<<kBlocks, kThreads>>>(reinterpret_cast<const float4*>(samples.data()),
                                         energies.data());
  finish_launch();
  const std::vector<float> actual = energies.download();
  for (std::size_t window = 0; window < kWindows; window += 31) {
    double expected = 0.0;
    for (std::size_t i = 0; i < kWindow; ++i) {
      const double sample = block[(window * kWindow + i) % kPeriod];
      expected += sample * sample;
    }
    expect_close("window energies", actual[window], expected, 1e-5, window);
  }
  passed("window energies");
}

}  // namespace

int main() {
  run_drive_bodies();
  run_window_energies();
}
