// SPDX-License-Identifier: Apache-2.0
//
// Inclusive prefix sums of segments of 1024 numbers, a block for each: doubling distances in shared
// memory with a barrier before and after every addition, shuffles within the warps, and shuffles
// with four numbers a thread.
#include "../zoo/fill.cuh"

constexpr unsigned kSegment = 1024;
constexpr unsigned kWarp = 32;
constexpr unsigned kSegments = 132 * 256;  // 138 MB
constexpr unsigned kPerThread = 4;         // in the last step

// Twenty barriers of 32 warps for one addition each, and two blocks a multiprocessor to fill in.
// ladder: scan step 1: scan_doubling is held by barrier-stalls, lifted by scan_shuffles
__global__ __launch_bounds__(kSegment) void scan_doubling(
    const unsigned* __restrict__ input,  // (segments, kSegment)
    unsigned* __restrict__ output) {     // (segments, kSegment)
  __shared__ unsigned sums[kSegment];
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kSegment + threadIdx.x;
  sums[threadIdx.x] = input[i];
  __syncthreads();
  for (unsigned distance = 1; distance < kSegment; distance *= 2) {
    const unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  output[i] = sums[threadIdx.x];
}

__device__ __forceinline__ unsigned warp_scan(unsigned value, unsigned lane) {
#pragma unroll
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    const unsigned before = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

// Two barriers a block. Of a block's life most is the wait for its one load of four bytes a thread,
// and two blocks have 8 KiB under way where the memory's latency wants about three times that.
// ladder: scan step 2: scan_shuffles is held by memory-latency or barrier-stalls
__global__ __launch_bounds__(kSegment) void scan_shuffles(
    const unsigned* __restrict__ input,  // (segments, kSegment)
    unsigned* __restrict__ output) {     // (segments, kSegment)
  __shared__ unsigned totals[kWarp];     // one for each of the 32 warps
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kSegment + threadIdx.x;
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned warp = threadIdx.x / kWarp;
  const unsigned sum = warp_scan(input[i], lane);
  if (lane == kWarp - 1) totals[warp] = sum;
  __syncthreads();
  if (warp == 0) totals[lane] = warp_scan(totals[lane], lane);
  __syncthreads();
  output[i] = sum + (warp == 0 ? 0 : totals[warp - 1]);
}

constexpr unsigned kThreads = kSegment / kPerThread;
constexpr unsigned kWarps = kThreads / kWarp;

// A quarter of the threads, 16 bytes each: eight blocks fit, and their loads fill the latency.
// ladder: scan step 3: scan_vectors is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void scan_vectors(
    const uint4* __restrict__ input,  // (segments, kThreads)
    uint4* __restrict__ output) {     // (segments, kThreads)
  __shared__ unsigned totals[kWarps];
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned warp = threadIdx.x / kWarp;
  uint4 values = input[i];
  values.y += values.x;
  values.z += values.y;
  values.w += values.z;
  const unsigned sum = warp_scan(values.w, lane);
  if (lane == kWarp - 1) totals[warp] = sum;
  __syncthreads();
  unsigned before = sum - values.w;
#pragma unroll
  for (unsigned other = 0; other < kWarps; ++other) before += other < warp ? totals[other] : 0;
  output[i] =
      make_uint4(values.x + before, values.y + before, values.z + before, values.w + before);
}

namespace {

void check(const char* name, const std::vector<unsigned>& block,
           const DeviceBuffer<unsigned>& output) {
  finish_launch();
  const std::vector<unsigned> actual = output.download();
  for (std::size_t segment = 0; segment < kSegments; segment += 37) {
    unsigned sum = 0;
    for (std::size_t i = segment * kSegment; i < (segment + 1) * kSegment; ++i) {
      sum += block[i % kPeriod];
      expect_close(name, actual[i], sum, 0.0, i);
    }
  }
  passed(name);
}

}  // namespace

int main() {
  const std::vector<unsigned> block = random_integers(kPeriod, 1000, 110);
  DeviceBuffer<unsigned> input(std::size_t{kSegments} * kSegment);   // (kSegments, kSegment)
  DeviceBuffer<unsigned> output(std::size_t{kSegments} * kSegment);  // (kSegments, kSegment)
  fill_repeating(input, block);
  output.clear();
  scan_doubling<<<kSegments, kSegment>>>(input.data(), output.data());
  check("scan, doubling distances", block, output);
  output.clear();
  scan_shuffles<<<kSegments, kSegment>>>(input.data(), output.data());
  check("scan, shuffles", block, output);
  output.clear();
  scan_vectors<<<kSegments, kThreads>>>(reinterpret_cast<const uint4*>(input.data()),
                                        reinterpret_cast<uint4*>(output.data()));
  check("scan, four numbers a thread", block, output);
}
