// SPDX-License-Identifier: Apache-2.0
//
// A sum of all numbers, one partial sum a block, in the steps of the well-known lesson: a tree over
// neighbours with a modulo for who adds, a tree over halves, a first addition while loading, and a
// grid that strides over 16-byte loads and adds by shuffles once at the end.
#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kWarps = kThreads / kWarp;
constexpr unsigned kBlocksResident = 8;        // the most that a multiprocessor holds
constexpr unsigned kCount = 132 * 2048 * 192;  // 208 MB
constexpr double kTolerance = 1e-5;

// The modulo by a number that only the running program knows is 17 of the 28 instructions of a
// round, and every warp goes through all of the eight rounds for one number a thread.
// ladder: reduction step 1: reduce_modulo is held by instruction-overhead, lifted by reduce_halves
__global__ __launch_bounds__(kThreads) void reduce_modulo(
    const float* __restrict__ values,  // (blocks, kThreads)
    float* __restrict__ sums) {        // (blocks)
  __shared__ float partial[kThreads];
  partial[threadIdx.x] = values[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (threadIdx.x % (2 * distance) == 0) {
      partial[threadIdx.x] += partial[threadIdx.x + distance];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

// Ten instructions a round, of which half are switched off for seven lanes in eight, and a barrier:
// about 110 instructions of a warp for its 128 bytes.
// ladder: reduction step 2: reduce_halves is held by lane-predication or barrier-stalls
__global__ __launch_bounds__(kThreads) void reduce_halves(
    const float* __restrict__ values,  // (blocks, kThreads)
    float* __restrict__ sums) {        // (blocks)
  __shared__ float partial[kThreads];
  partial[threadIdx.x] = values[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

// Half the blocks, with two loads a thread each: the same rounds for twice the bytes.
// ladder: reduction step 3: reduce_pairs is held by lane-predication or barrier-stalls
__global__ __launch_bounds__(kThreads) void reduce_pairs(
    const float* __restrict__ values,  // (blocks, 2, kThreads)
    float* __restrict__ sums) {        // (blocks)
  __shared__ float partial[kThreads];
  const unsigned i = blockIdx.x * kThreads * 2 + threadIdx.x;
  partial[threadIdx.x] = values[i] + values[i + kThreads];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// 48 loads of 16 bytes a thread, four under way, and one reduction for all of them.
// ladder: reduction step 4: reduce_stride is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void reduce_stride(
    const float4* __restrict__ values,  // (count)
    float* __restrict__ sums,           // (gridDim.x)
    unsigned count) {
  __shared__ float partial[kWarps];
  const unsigned stride = gridDim.x * kThreads;
  float sum = 0.0f;
#pragma unroll 4
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    const float4 value = values[i];
    sum += (value.x + value.y) + (value.z + value.w);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kWarp == 0) partial[threadIdx.x / kWarp] = sum;
  __syncthreads();
  if (threadIdx.x < kWarp) {
    sum = warp_sum(threadIdx.x < kWarps ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

namespace {

// Of the partial sums, each of which is right to a few units of a float.
void check(const char* name, const std::vector<float>& block, const DeviceBuffer<float>& sums) {
  finish_launch();
  double actual = 0.0;
  for (const float sum : sums.download()) actual += sum;
  double period = 0.0;
  for (const float value : block) period += value;
  double rest = 0.0;
  for (std::size_t i = 0; i < kCount % kPeriod; ++i) rest += block[i];
  expect_close(name, actual, period * (kCount / kPeriod) + rest, kTolerance);
  passed(name);
}

template <typename Kernel>
void run(const char* name, Kernel kernel, unsigned per_block, const DeviceBuffer<float>& values,
         const std::vector<float>& block) {
  REQUIRE(kCount % per_block == 0, "the blocks are whole");
  DeviceBuffer<float> sums(kCount / per_block);
  sums.clear();
  kernel<<<kCount / per_block, kThreads>>>(values.data(), sums.data());
  check(name, block, sums);
}

}  // namespace

int main() {
  // All positive, so that the sum is large and its tolerance means something.
  std::vector<float> block = random_floats(kPeriod, 113);
  for (float& value : block) value += 0.5f;
  DeviceBuffer<float> values(kCount);
  fill_repeating(values, block);
  run("reduction by modulo", reduce_modulo, kThreads, values, block);
  run("reduction by halves", reduce_halves, kThreads, values, block);
  run("reduction by halves of pairs", reduce_pairs, 2 * kThreads, values, block);

  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident;
  DeviceBuffer<float> sums(blocks);
  sums.clear();
  reduce_stride<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(values.data()), sums.data(),
                                      kCount / 4);
  check("reduction, striding", block, sums);
}
