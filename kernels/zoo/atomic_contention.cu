// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations that queue at very few addresses in L2: the energies of records added to eight
// totals, one for each class, and the loudest record found by a maximum at one address. Every
// record costs one atomic operation. The twins combine the records of a block first, so that a
// block sends one operation for each address.
#include <cstring>

#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kWarps = kThreads / kWarp;
constexpr unsigned kClasses = 8;
constexpr unsigned kVectors = 16;  // of four values, in a record

__device__ inline float energy_of(const float4* __restrict__ values,  // (kVectors, count)
                                  std::size_t record, std::size_t count) {
  float energy = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    const float4 value = values[i * count + record];
    energy += (value.x * value.x + value.y * value.y) + (value.z * value.z + value.w * value.w);
  }
  return energy;
}

// The classes come with the records, so that nothing can be combined when the program is compiled.
// zoo: class_energies plants atomic-contention, fixed by class_energies_by_block
__global__ __launch_bounds__(kThreads) void class_energies(
    const float4* __restrict__ values,     // (kVectors, count)
    const unsigned* __restrict__ classes,  // (count), below kClasses
    float* __restrict__ totals) {          // (kClasses), zero before the launch
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  atomicAdd(&totals[classes[record]], energy_of(values, record, count));
}

// zoo: class_energies_by_block fixes class_energies
__global__ __launch_bounds__(kThreads) void class_energies_by_block(
    const float4* __restrict__ values,     // (kVectors, count)
    const unsigned* __restrict__ classes,  // (count), below kClasses
    float* __restrict__ totals) {          // (kClasses), zero before the launch
  __shared__ float partial[kClasses][kWarps];
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned warp = threadIdx.x / kWarp;
  const unsigned mine = classes[record];
  const float energy = energy_of(values, record, count);
#pragma unroll
  for (unsigned i = 0; i < kClasses; ++i) {
    float sum = mine == i ? energy : 0.0f;
#pragma unroll
    for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) partial[i][warp] = sum;
  }
  __syncthreads();
  if (threadIdx.x < kClasses) {
    float sum = 0.0f;
#pragma unroll
    for (unsigned i = 0; i < kWarps; ++i) sum += partial[threadIdx.x][i];
    atomicAdd(&totals[threadIdx.x], sum);
  }
}

// The loudness of a record above its index, inverted so that the first of equal records wins. The
// bits of floats that are not negative rise with their values.
__device__ inline unsigned long long loudness_key(
    const float4* __restrict__ values,  // (kVectors, count)
    std::size_t record, std::size_t count) {
  float peak = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    const float4 value = values[i * count + record];
    peak = fmaxf(
        peak, fmaxf(fmaxf(fabsf(value.x), fabsf(value.y)), fmaxf(fabsf(value.z), fabsf(value.w))));
  }
  return static_cast<unsigned long long>(__float_as_uint(peak)) << 32 |
         (0xffffffffu - static_cast<unsigned>(record));
}

// One 64-bit maximum a record, all at one address. The compiler combines such operations over a
// warp for 32 bits only.
// zoo: loudest_record plants atomic-contention, fixed by loudest_record_by_block
__global__ __launch_bounds__(kThreads) void loudest_record(
    const float4* __restrict__ values,           // (kVectors, count)
    unsigned long long* __restrict__ loudest) {  // (1), zero before the launch
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  atomicMax(loudest, loudness_key(values, record, count));
}

// zoo: loudest_record_by_block fixes loudest_record
__global__ __launch_bounds__(kThreads) void loudest_record_by_block(
    const float4* __restrict__ values,           // (kVectors, count)
    unsigned long long* __restrict__ loudest) {  // (1), zero before the launch
  __shared__ unsigned long long partial[kWarps];
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  unsigned long long key = loudness_key(values, record, count);
#pragma unroll
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffu, key, offset);
    key = other > key ? other : key;
  }
  if (threadIdx.x % kWarp == 0) partial[threadIdx.x / kWarp] = key;
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll
    for (unsigned i = 1; i < kWarps; ++i) key = partial[i] > key ? partial[i] : key;
    atomicMax(loudest, key);
  }
}

namespace {

void run_class_energies(DeviceBuffer<float>& values, const std::vector<float>& block,
                        unsigned blocks) {
  const std::size_t count = std::size_t{blocks} * kThreads;
  const std::vector<unsigned> host_classes = random_integers(count, kClasses, 13);
  DeviceBuffer<unsigned> classes(host_classes);  // (count)
  DeviceBuffer<float> totals(kClasses);
  DeviceBuffer<float> totals_by_block(kClasses);
  totals.clear();
  totals_by_block.clear();
  const float4* vectors = reinterpret_cast<const float4*>(values.data());
  class_energies<<<blocks, kThreads>>>(vectors, classes.data(), totals.data());
  finish_launch();
  class_energies_by_block<<<blocks, kThreads>>>(vectors, classes.data(), totals_by_block.data());
  finish_launch();

  std::vector<float> squares(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) squares[i] = block[i] * block[i];
  double expected[kClasses] = {};
  std::size_t at = 0;  // in the block that the values repeat
  for (std::size_t i = 0; i < kVectors; ++i) {
    for (const unsigned which : host_classes) {
      // The length of the block is a multiple of four: a vector never runs over its end.
      expected[which] += (squares[at] + squares[at + 1]) + (squares[at + 2] + squares[at + 3]);
      at += 4;
      if (at == kPeriod) at = 0;
    }
  }
  const std::vector<float> slow = totals.download();
  const std::vector<float> fast = totals_by_block.download();
  for (std::size_t i = 0; i < kClasses; ++i) {
    // A float total takes on tens of thousands of records and rounds at each.
    expect_close("class energies", slow[i], expected[i], 1e-3, i);
    expect_close("class energies by block", fast[i], expected[i], 1e-3, i);
  }
  passed("class energies");
}

void run_loudest_record(DeviceBuffer<float>& values, const std::vector<float>& block,
                        unsigned blocks) {
  const std::size_t count = std::size_t{blocks} * kThreads;
  DeviceBuffer<unsigned long long> loudest(1);
  DeviceBuffer<unsigned long long> loudest_by_block(1);
  loudest.clear();
  loudest_by_block.clear();
  const float4* vectors = reinterpret_cast<const float4*>(values.data());
  loudest_record<<<blocks, kThreads>>>(vectors, loudest.data());
  finish_launch();
  loudest_record_by_block<<<blocks, kThreads>>>(vectors, loudest_by_block.data());
  finish_launch();

  const std::vector<unsigned long long> slow = loudest.download();
  expect_equal("loudest record, both ways", slow, loudest_by_block.download());
  // Every value of the block occurs, so its peak is the peak of all.
  float expected = 0.0f;
  for (const float value : block) expected = std::fmax(expected, std::fabs(value));
  const unsigned bits = static_cast<unsigned>(slow[0] >> 32);
  float peak = 0.0f;
  std::memcpy(&peak, &bits, sizeof(peak));
  expect_close("loudness", peak, expected, 0.0);
  const std::size_t record = 0xffffffffu - static_cast<unsigned>(slow[0] & 0xffffffffu);
  REQUIRE(record < count, "the loudest record is one of the records");
  float found = 0.0f;
  for (std::size_t i = 0; i < kVectors * 4; ++i) {
    found = std::fmax(found, std::fabs(block[((i / 4 * count + record) * 4 + i % 4) % kPeriod]));
  }
  expect_close("loudest record", found, expected, 0.0);
  passed("loudest record");
}

}  // namespace

int main() {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * 32;
  const std::vector<float> block = random_floats(kPeriod, 12);
  DeviceBuffer<float> values(std::size_t{blocks} * kThreads * kVectors *
                             4);  // (kVectors, count, 4)
  fill_repeating(values, block);
  run_class_energies(values, block, blocks);
  run_loudest_record(values, block, blocks);
}
