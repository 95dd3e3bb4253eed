// SPDX-License-Identifier: Apache-2.0
//
// A 7-point stencil on a 3-D grid: lanes along z, the slowest dimension; lanes along x, a thread
// for a point; and a thread for a column of points that marches along z with three planes in
// registers.
#include "../zoo/fill.cuh"

constexpr unsigned kX = 384;  // the fastest dimension
constexpr unsigned kY = 256;
constexpr unsigned kZ = 256;  // 25 million points, 101 MB
constexpr unsigned kPlane = kX * kY;
constexpr unsigned kLanes = 32;
constexpr unsigned kLines = 8;   // of lanes, in a block
constexpr unsigned kMarch = 32;  // planes that a block of the last step covers
constexpr float kCentre = 0.4f;
constexpr float kSide = 0.1f;
constexpr double kTolerance = 1e-5;
static_assert(kX % kLanes == 0 && kY % kLines == 0 && kZ % kLanes == 0 && kZ % kMarch == 0,
              "the grids cover the points exactly");

// Points at the border are copied.
__device__ __forceinline__ void relax_point(const float* __restrict__ source,  // (kZ, kY, kX)
                                            float* __restrict__ target,        // (kZ, kY, kX)
                                            unsigned x, unsigned y, unsigned z) {
  const unsigned i = z * kPlane + y * kX + x;
  float value = source[i];
  if (x > 0 && x + 1 < kX && y > 0 && y + 1 < kY && z > 0 && z + 1 < kZ) {
    value = kCentre * value +
            kSide * (((source[i - 1] + source[i + 1]) + (source[i - kX] + source[i + kX])) +
                     (source[i - kPlane] + source[i + kPlane]));
  }
  target[i] = value;
}

// The lanes read and write a plane apart: 32 sectors for 128 bytes, eight times for a point.
// ladder: stencil step 1: stencil_planes is held by uncoalesced-global, lifted by stencil_rows
__global__ __launch_bounds__(kLanes* kLines) void stencil_planes(
    const float* __restrict__ source,  // (kZ, kY, kX)
    float* __restrict__ target) {      // (kZ, kY, kX)
  relax_point(source, target, blockIdx.z, blockIdx.y * kLines + threadIdx.y,
              blockIdx.x * kLanes + threadIdx.x);
}

// L1 has the neighbours along x and y of a block's one plane, the planes before and after come from
// L2: three planes and a quarter a point pass the crossbar, and one comes from the memory.
// ladder: stencil step 2: stencil_rows is held by l2-bandwidth or dram-bandwidth or memory-latency
__global__ __launch_bounds__(kLanes* kLines) void stencil_rows(
    const float* __restrict__ source,  // (kZ, kY, kX)
    float* __restrict__ target) {      // (kZ, kY, kX)
  relax_point(source, target, blockIdx.x * kLanes + threadIdx.x, blockIdx.y * kLines + threadIdx.y,
              blockIdx.z);
}

// Each plane is read from L2 little more than once. What a thread has under way is the next plane's
// point and its neighbours, 128 bytes a warp that L1 does not have: about what the latency lets
// through, near the memory's roof where the loop is unrolled.
// ladder: stencil step 3: stencil_march is held by memory-latency or dram-bandwidth
__global__ __launch_bounds__(kLanes* kLines) void stencil_march(
    const float* __restrict__ source,  // (kZ, kY, kX)
    float* __restrict__ target) {      // (kZ, kY, kX)
  const unsigned x = blockIdx.x * kLanes + threadIdx.x;
  const unsigned y = blockIdx.y * kLines + threadIdx.y;
  const unsigned first = blockIdx.z * kMarch;
  const bool inside = x > 0 && x + 1 < kX && y > 0 && y + 1 < kY;
  unsigned i = first * kPlane + y * kX + x;
  float below = first > 0 ? source[i - kPlane] : 0.0f;
  float centre = source[i];
#pragma unroll 4
  for (unsigned z = first; z < first + kMarch; ++z) {
    const float above = z + 1 < kZ ? source[i + kPlane] : 0.0f;
    float value = centre;
    if (inside && z > 0 && z + 1 < kZ) {
      value = kCentre * centre +
              kSide * (((source[i - 1] + source[i + 1]) + (source[i - kX] + source[i + kX])) +
                       (below + above));
    }
    target[i] = value;
    below = centre;
    centre = above;
    i += kPlane;
  }
}

namespace {

template <typename Kernel>
void run(const char* name, Kernel kernel, dim3 grid, const DeviceBuffer<float>& source,
         const std::vector<float>& block) {
  DeviceBuffer<float> target(source.size());  // (kZ, kY, kX)
  target.clear();
  kernel<<<grid, dim3(kLanes, kLines)>>>(source.data(), target.data());
  finish_launch();
  const std::vector<float> actual = target.download();
  const auto at = [&](std::size_t i) -> double { return block[i % kPeriod]; };
  for (std::size_t i = 0; i < actual.size(); i += 11) {
    const std::size_t x = i % kX;
    const std::size_t y = i / kX % kY;
    const std::size_t z = i / kPlane;
    double expected = at(i);
    if (x > 0 && x + 1 < kX && y > 0 && y + 1 < kY && z > 0 && z + 1 < kZ) {
      expected = kCentre * expected + kSide * (at(i - 1) + at(i + 1) + at(i - kX) + at(i + kX) +
                                               at(i - kPlane) + at(i + kPlane));
    }
    expect_close(name, actual[i], expected, kTolerance, i);
  }
  passed(name);
}

}  // namespace

int main() {
  const std::vector<float> block = random_floats(kPeriod, 111);
  DeviceBuffer<float> source(std::size_t{kZ} * kPlane);  // (kZ, kY, kX)
  fill_repeating(source, block);
  run("stencil, lanes along z", stencil_planes, dim3(kZ / kLanes, kY / kLines, kX), source, block);
  run("stencil, lanes along x", stencil_rows, dim3(kX / kLanes, kY / kLines, kZ), source, block);
  run("stencil, marching along z", stencil_march, dim3(kX / kLanes, kY / kLines, kZ / kMarch),
      source, block);
}
