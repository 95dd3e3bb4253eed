// SPDX-License-Identifier: Apache-2.0
//
// Pixels counted by brightness: every pixel an atomic operation in global memory, a copy of the
// counters in each block's shared memory, and a copy for each warp with four pixels under way.
#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kWarps = kThreads / kWarp;
constexpr unsigned kBins = 64;
constexpr unsigned kBlocksResident = 8;  // the most that a multiprocessor holds
constexpr unsigned kPixels = 132 * kBlocksResident * kThreads * 48;  // of 16 bytes, 208 MB
constexpr unsigned kAtOnce = 4;

// Channels are whole 256ths, so that the weighted sum is exact, with or without fused operations.
__host__ __device__ inline unsigned bin_of(float4 pixel) {
  const float brightness = 0.25f * pixel.x + 0.5f * pixel.y + 0.25f * pixel.z;
  const int bin = static_cast<int>(brightness * kBins);
  return static_cast<unsigned>(bin < 0 ? 0 : bin >= static_cast<int>(kBins) ? kBins - 1 : bin);
}

// Thirteen million atomic operations on 64 counters, eight sectors that a few slices of L2 own.
// ladder: histogram step 1: histogram_direct is held by atomic-contention, lifted by histogram_copy
__global__ __launch_bounds__(kThreads) void histogram_direct(
    const float4* __restrict__ pixels,  // (count)
    unsigned* __restrict__ bins,        // (kBins), zero before the launch
    unsigned count) {
  const unsigned stride = gridDim.x * kThreads;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    atomicAdd(&bins[bin_of(pixels[i])], 1u);
  }
}

// 16 bytes a pixel are read once; the atomic operations of a warp in shared memory take a few
// cycles for 512 bytes, which take the memory 30. One load a thread is all that is under way.
// ladder: histogram step 2: histogram_copy is held by dram-bandwidth or memory-latency
__global__ __launch_bounds__(kThreads) void histogram_copy(
    const float4* __restrict__ pixels,  // (count)
    unsigned* __restrict__ bins,        // (kBins), zero before the launch
    unsigned count) {
  __shared__ unsigned own[kBins];
  for (unsigned i = threadIdx.x; i < kBins; i += kThreads) own[i] = 0;
  __syncthreads();
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    atomicAdd(&own[bin_of(pixels[i])], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kBins; i += kThreads) atomicAdd(&bins[i], own[i]);
}

// Four loads of 16 bytes a thread under way, and no counter shared between warps.
// ladder: histogram step 3: histogram_warp is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void histogram_warp(
    const float4* __restrict__ pixels,  // (count), a multiple of kAtOnce times the grid's threads
    unsigned* __restrict__ bins,        // (kBins), zero before the launch
    unsigned count) {
  __shared__ unsigned copies[kWarps][kBins];
  for (unsigned i = threadIdx.x; i < kWarps * kBins; i += kThreads)
    copies[i / kBins][i % kBins] = 0;
  __syncthreads();
  unsigned* own = copies[threadIdx.x / kWarp];
  const unsigned stride = gridDim.x * kThreads;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += kAtOnce * stride) {
    float4 several[kAtOnce];
#pragma unroll
    for (unsigned j = 0; j < kAtOnce; ++j) several[j] = pixels[i + j * stride];
#pragma unroll
    for (unsigned j = 0; j < kAtOnce; ++j) atomicAdd(&own[bin_of(several[j])], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kBins; i += kThreads) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned warp = 0; warp < kWarps; ++warp) sum += copies[warp][i];
    atomicAdd(&bins[i], sum);
  }
}

namespace {

template <typename Kernel>
void run(const char* name, Kernel kernel, const DeviceBuffer<float4>& pixels,
         const std::vector<unsigned>& expected) {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident;
  REQUIRE(kPixels % (blocks * kThreads * kAtOnce) == 0, "the last step takes whole strides");
  DeviceBuffer<unsigned> bins(kBins);
  bins.clear();
  kernel<<<blocks, kThreads>>>(pixels.data(), bins.data(), kPixels);
  finish_launch();
  expect_equal(name, bins.download(), expected);
  passed(name);
}

}  // namespace

int main() {
  // Channels in 256ths from 0 to 255, as an image's: their weighted sum is exact.
  const std::vector<unsigned> drawn = random_integers(3 * kPeriod, 256, 109);
  std::vector<float4> block(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) {
    block[i] = make_float4(static_cast<float>(drawn[3 * i]) / 256.0f,
                           static_cast<float>(drawn[3 * i + 1]) / 256.0f,
                           static_cast<float>(drawn[3 * i + 2]) / 256.0f, 1.0f);
  }
  DeviceBuffer<float4> pixels(kPixels);
  fill_repeating(pixels, block);
  std::vector<unsigned> expected(kBins);
  for (std::size_t i = 0; i < kPixels; ++i) ++expected[bin_of(block[i % kPeriod])];
  run("histogram in global memory", histogram_direct, pixels, expected);
  run("histogram, copy a block", histogram_copy, pixels, expected);
  run("histogram, copy a warp", histogram_warp, pixels, expected);
}
