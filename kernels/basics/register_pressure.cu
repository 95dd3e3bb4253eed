// SPDX-License-Identifier: Apache-2.0
//
// Local memory two ways. A thread with forty-eight live values is compiled once with all the
// registers that it wants and once under a bound of thirty-two, so that it spills. A third kernel
// indexes a private array with a value known only at run time, which no number of registers can
// hold.
#include "check.cuh"

constexpr unsigned kLive = 48;  // values alive at once in a thread
constexpr unsigned kRounds = 32;
constexpr unsigned kThreads = 256;
constexpr unsigned kTable = 32;  // entries of the private array, a power of two

// Each round mixes every value with its neighbour, so all of them stay alive until the end.
__host__ __device__ inline float mix(float seed) {
  float values[kLive];
#pragma unroll
  for (unsigned i = 0; i < kLive; ++i) values[i] = seed + 0.015625f * i;
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
    const float carried = values[0];
#pragma unroll
    for (unsigned i = 0; i + 1 < kLive; ++i) values[i] = 0.5f * values[i] + 0.5f * values[i + 1];
    values[kLive - 1] = 0.5f * values[kLive - 1] + 0.5f * carried;
  }
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kLive; ++i) sum += (i % 2 == 0 ? 1.0f : -0.5f) * values[i];
  return sum;
}

__global__ __launch_bounds__(kThreads) void mix_in_registers(
    const float* __restrict__ seeds,  // (count)
    float* __restrict__ results,      // (count)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) results[i] = mix(seeds[i]);
}

constexpr unsigned kBlocksResident = 8;  // of 256 threads, which leaves 32 registers for a thread

__global__ __launch_bounds__(kThreads, kBlocksResident) void mix_with_spills(
    const float* __restrict__ seeds,  // (count)
    float* __restrict__ results,      // (count)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) results[i] = mix(seeds[i]);
}

// Where each step leads depends on what the steps before have left in the table.
__host__ __device__ inline unsigned walk_table(unsigned at) {
  unsigned table[kTable];
  for (unsigned j = 0; j < kTable; ++j) table[j] = j;
  for (unsigned round = 0; round < kRounds; ++round) {
    unsigned& entry = table[at % kTable];
    entry += at;
    at = entry * 5 + 1;
  }
  return at;
}

__global__ __launch_bounds__(kThreads) void index_private_array(
    const unsigned* __restrict__ steps,  // (count)
    unsigned* __restrict__ results,      // (count)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) results[i] = walk_table(steps[i]);
}

namespace {

constexpr unsigned kCount = 1u << 20;
static_assert(kCount % kThreads == 0, "the grid covers the input exactly");

template <typename Kernel>
void run_mix(const char* name, Kernel kernel) {
  const std::vector<float> host = random_floats(kCount, 12);
  DeviceBuffer<float> seeds(host);      // (kCount)
  DeviceBuffer<float> results(kCount);  // (kCount)
  results.clear();
  kernel<<<kCount / kThreads, kThreads>>>(seeds.data(), results.data(), kCount);
  finish_launch();
  const std::vector<float> actual = results.download();
  for (std::size_t i = 0; i < kCount; i += 7) {
    expect_close(name, actual[i], mix(host[i]), 1e-4, i);
  }
  passed(name);
}

}  // namespace

int main() {
  run_mix("mix in registers", mix_in_registers);
  run_mix("mix with spills", mix_with_spills);

  const std::vector<unsigned> host_steps = random_integers(kCount, 1u << 16, 13);
  DeviceBuffer<unsigned> steps(host_steps);  // (kCount)
  DeviceBuffer<unsigned> ends(kCount);       // (kCount)
  ends.clear();
  index_private_array<<<kCount / kThreads, kThreads>>>(steps.data(), ends.data(), kCount);
  finish_launch();
  std::vector<unsigned> expected(kCount);
  for (unsigned i = 0; i < kCount; ++i) expected[i] = walk_table(host_steps[i]);
  expect_equal("index private array", ends.download(), expected);
  passed("index private array");
}
