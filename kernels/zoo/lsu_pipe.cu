// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the load/store units' instruction rate, one warp instruction a cycle
// and multiprocessor, without any memory behind it: warps exchange registers by shuffles, in
// butterflies and in prefix sums. Eight independent values a thread hide a shuffle's latency.
#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;  // blocks of kThreads that fill a multiprocessor
constexpr unsigned kWaves = 8;     // of blocks
constexpr unsigned kWarp = 32;
constexpr unsigned kWholeWarp = 0xffffffffu;
constexpr unsigned kValues = 8;  // of a thread
constexpr unsigned kRounds = 32;
constexpr float kPull = 0.01f;

// Value v of a thread, made from one word of input.
__host__ __device__ inline unsigned spread(unsigned word, unsigned v) {
  return word * (2 * v + 1) + v;
}
__host__ __device__ inline float as_fraction(unsigned word) {
  return static_cast<float>(word >> 8) * (1.0f / (1 << 24));
}

// Each round takes the sum of every value over the warp, and pulls each lane's value towards it.
// zoo: pull_to_warp_sum is healthy at lsu-pipe
__global__ __launch_bounds__(kThreads, kResident) void pull_to_warp_sum(
    const unsigned* __restrict__ words,  // (blocks * kThreads)
    float* __restrict__ results) {       // (blocks * kThreads)
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned word = words[thread];
  float value[kValues];
#pragma unroll
  for (unsigned v = 0; v < kValues; ++v) value[v] = as_fraction(spread(word, v));
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
    float sum[kValues];
#pragma unroll
    for (unsigned v = 0; v < kValues; ++v) sum[v] = value[v];
#pragma unroll
    for (unsigned distance = 1; distance < kWarp; distance *= 2) {
#pragma unroll
      for (unsigned v = 0; v < kValues; ++v) {
        sum[v] += __shfl_xor_sync(kWholeWarp, sum[v], distance);
      }
    }
#pragma unroll
    for (unsigned v = 0; v < kValues; ++v) value[v] = fmaf(sum[v], -kPull, value[v]);
  }
  float result = 0.0f;
#pragma unroll
  for (unsigned v = 0; v < kValues; ++v) result += value[v];
  results[thread] = result;
}

constexpr unsigned kScans = 27;

// The shuffle itself says whether the lane it reads from is in the warp.
template <unsigned kDistance>
__device__ inline void add_from_below(unsigned& value) {
  asm volatile(
      "{ .reg .pred in_warp; .reg .b32 below;\n"
      "shfl.sync.up.b32 below|in_warp, %0, %1, 0, 0xffffffff;\n"
      "@in_warp add.u32 %0, %0, below; }"
      : "+r"(value)
      : "n"(kDistance));
}

template <unsigned kDistance>
__device__ inline void add_from_below(unsigned (&value)[kValues]) {
#pragma unroll
  for (unsigned v = 0; v < kValues; ++v) add_from_below<kDistance>(value[v]);
}

// Each scan replaces the values by their prefix sums over the warp, and stirs in the warp's total.
// zoo: repeated_prefix_sums is healthy at lsu-pipe
__global__ __launch_bounds__(kThreads, kResident) void repeated_prefix_sums(
    const unsigned* __restrict__ words,  // (blocks * kThreads)
    unsigned* __restrict__ results) {    // (blocks * kThreads)
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned word = words[thread];
  unsigned value[kValues];
#pragma unroll
  for (unsigned v = 0; v < kValues; ++v) value[v] = spread(word, v);
#pragma unroll 1
  for (unsigned scan = 0; scan < kScans; ++scan) {
    add_from_below<1>(value);
    add_from_below<2>(value);
    add_from_below<4>(value);
    add_from_below<8>(value);
    add_from_below<16>(value);
#pragma unroll
    for (unsigned v = 0; v < kValues; ++v) {
      value[v] ^= __shfl_sync(kWholeWarp, value[v], kWarp - 1) >> 1;
    }
  }
  unsigned result = 0;
#pragma unroll
  for (unsigned v = 0; v < kValues; ++v) result ^= value[v];
  results[thread] = result;
}

namespace {

constexpr std::size_t kSampleWarps = 509;  // from one compared warp to the next

void run_pull_to_warp_sum() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kThreads} * blocks;
  const std::vector<unsigned> host = random_integers(count, 0xffffffffu, 71);
  DeviceBuffer<unsigned> words(host);  // (count)
  DeviceBuffer<float> results(count);  // (count)
  results.clear();
  pull_to_warp_sum<<<blocks, kThreads>>>(words.data(), results.data());
  finish_launch();
  const std::vector<float> actual = results.download();
  for (std::size_t first = 0; first < count; first += kSampleWarps * kWarp) {
    double expected[kWarp] = {};
    for (unsigned v = 0; v < kValues; ++v) {
      double value[kWarp];
      for (unsigned lane = 0; lane < kWarp; ++lane) {
        value[lane] = as_fraction(spread(host[first + lane], v));
      }
      for (unsigned round = 0; round < kRounds; ++round) {
        double sum = 0.0;
        for (const double each : value) sum += each;
        for (double& each : value) each -= static_cast<double>(kPull) * sum;
      }
      for (unsigned lane = 0; lane < kWarp; ++lane) expected[lane] += value[lane];
    }
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      expect_close("pull to warp sum", actual[first + lane], expected[lane], 1e-4, first + lane);
    }
  }
  passed("pull to warp sum");
}

void run_repeated_prefix_sums() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kThreads} * blocks;
  const std::vector<unsigned> host = random_integers(count, 0xffffffffu, 72);
  DeviceBuffer<unsigned> words(host);     // (count)
  DeviceBuffer<unsigned> results(count);  // (count)
  results.clear();
  repeated_prefix_sums<<<blocks, kThreads>>>(words.data(), results.data());
  finish_launch();
  const std::vector<unsigned> actual = results.download();
  for (std::size_t first = 0; first < count; first += kSampleWarps * kWarp) {
    unsigned expected[kWarp] = {};
    for (unsigned v = 0; v < kValues; ++v) {
      unsigned value[kWarp];
      for (unsigned lane = 0; lane < kWarp; ++lane) value[lane] = spread(host[first + lane], v);
      for (unsigned scan = 0; scan < kScans; ++scan) {
        for (unsigned lane = 1; lane < kWarp; ++lane) value[lane] += value[lane - 1];
        const unsigned total = value[kWarp - 1];
        for (unsigned& each : value) each ^= total >> 1;
      }
      for (unsigned lane = 0; lane < kWarp; ++lane) expected[lane] ^= value[lane];
    }
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      expect_close("repeated prefix sums", actual[first + lane], expected[lane], 0.0, first + lane);
    }
  }
  passed("repeated prefix sums");
}

}  // namespace

int main() {
  run_pull_to_warp_sum();
  run_repeated_prefix_sums();
}
