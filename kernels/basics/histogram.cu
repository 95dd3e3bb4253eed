// SPDX-License-Identifier: Apache-2.0
//
// Counting with atomics: sixteen counters that all threads of the GPU fight over, four thousand
// that they rarely share, and sixteen with a private copy in each block's shared memory.
#include "check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kFewBins = 16;
constexpr unsigned kManyBins = 4096;

__global__ void histogram_global(const unsigned* __restrict__ values,  // (count), each below bins
                                 unsigned* __restrict__ bins,  // (bins), zero before the launch
                                 std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    atomicAdd(&bins[values[i]], 1u);
  }
}

__global__ void histogram_shared(
    const unsigned* __restrict__ values,  // (count), each below kFewBins
    unsigned* __restrict__ bins,          // (kFewBins), zero before the launch
    std::size_t count) {
  __shared__ unsigned own[kFewBins];
  if (threadIdx.x < kFewBins) own[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    atomicAdd(&own[values[i]], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kFewBins) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

namespace {

template <typename Kernel>
void run(const char* name, Kernel kernel, unsigned bins) {
  constexpr std::size_t kCount = std::size_t{1} << 20;
  REQUIRE(kFewBins <= kThreads, "one thread clears one bin");

  const std::vector<unsigned> input = random_integers(kCount, bins, 6);
  std::vector<unsigned> expected(bins);
  for (const unsigned value : input) ++expected[value];

  DeviceBuffer<unsigned> values(input);  // (kCount)
  DeviceBuffer<unsigned> counts(bins);   // (bins)
  counts.clear();
  kernel<<<multiprocessors() * 2, kThreads>>>(values.data(), counts.data(), kCount);
  finish_launch();
  expect_equal(name, counts.download(), expected);
  passed(name);
}

}  // namespace

int main() {
  run("histogram in global memory, 16 bins", histogram_global, kFewBins);
  run("histogram in global memory, 4096 bins", histogram_global, kManyBins);
  run("histogram in shared memory, 16 bins", histogram_shared, kFewBins);
}
