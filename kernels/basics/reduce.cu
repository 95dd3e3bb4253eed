// SPDX-License-Identifier: Apache-2.0
//
// A sum in two launches: every block adds its share with warp shuffles and leaves one partial sum,
// then a single block adds the partial sums. The second launch is a few microseconds long and shows
// what a launch costs by itself.
#include <algorithm>

#include "check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kFullMask = 0xffffffffu;

__device__ float sum_of_warp(float value) {
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2)
    value += __shfl_down_sync(kFullMask, value, offset);
  return value;  // right in lane 0 only
}

// One partial sum for each block; blockDim.x must be kThreads.
__global__ void sum_blocks(const float* __restrict__ input,  // (count)
                           float* __restrict__ partial,      // (gridDim.x)
                           std::size_t count) {
  __shared__ float warps[kThreads / kWarp];
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  float sum = 0.0f;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    sum += input[i];
  }
  sum = sum_of_warp(sum);
  if (threadIdx.x % kWarp == 0) warps[threadIdx.x / kWarp] = sum;
  __syncthreads();
  if (threadIdx.x >= kWarp) return;
  sum = sum_of_warp(threadIdx.x < kThreads / kWarp ? warps[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

namespace {

void run(std::size_t count) {
  REQUIRE(count > 0, "the sum of nothing needs no kernel");

  const std::vector<float> input = random_floats(count, 5);
  double expected = 0.0;
  double magnitude = 0.0;
  for (const float value : input) {
    expected += value;
    magnitude += std::abs(value);
  }

  const unsigned blocks =
      std::min(blocks_for(count, kThreads), static_cast<unsigned>(multiprocessors()) * 8);
  DeviceBuffer<float> values(input);    // (count)
  DeviceBuffer<float> partial(blocks);  // (blocks)
  DeviceBuffer<float> total(1);         // (1)
  sum_blocks<<<blocks, kThreads>>>(values.data(), partial.data(), count);
  finish_launch();
  sum_blocks<<<1, kThreads>>>(partial.data(), total.data(), blocks);
  finish_launch();
  // The terms cancel, so the rounding error is bounded by their magnitude and not by their sum.
  expect_close("reduce", total.download()[0] / magnitude, expected / magnitude, 1e-6);
  passed("reduce");
}

}  // namespace

int main() {
  run(std::size_t{1} << 24);
  run(1'000'003);
}
