// SPDX-License-Identifier: Apache-2.0
//
// Warps that wait for each other. In the first guise one warp of a block works and the others wait
// for it at a barrier, in the second all meet at a barrier after every level of a tree. All warps
// are resident, but a block of a thousand threads is half a multiprocessor, so few others are there
// to fill the gaps. The twins give every warp its share, or meet once.
#include "resident.cuh"

constexpr unsigned kThreads = 1024;
constexpr unsigned kBlocksResident = 2;  // of 1024 threads, all that a multiprocessor holds
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = kThreads / kLanes;
constexpr unsigned kFull = 0xffffffffu;

constexpr unsigned kSteps = 16;
constexpr unsigned kTerms = 24;  // dependent operations for one gain
constexpr unsigned kRelaxWaves = 8;

// Arithmetic alone: the fixed point of y = state - y * (1/2 + step/64), by iteration.
__host__ __device__ inline float settle(float state, unsigned step) {
  const float slope = -0.5f - 0.015625f * static_cast<float>(step);
  float y = state;
#pragma unroll
  for (unsigned term = 0; term < kTerms; ++term) y = fmaf(y, slope, state);
  return y;
}

// In each step the first warp finds the gains of all the others' values, and they wait.
// zoo: relax_blocks plants barrier-stalls, fixed by relax_blocks_together
__global__ __launch_bounds__(kThreads, kBlocksResident) void relax_blocks(
    const float* __restrict__ values,  // (gridDim.x, kThreads)
    float* __restrict__ results) {     // (gridDim.x, kThreads)
  __shared__ float states[kThreads];
  __shared__ float gains[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  float value = values[i];
  states[threadIdx.x] = value;
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 0; step < kSteps; ++step) {
    if (threadIdx.x < kLanes) {
#pragma unroll 1
      for (unsigned j = threadIdx.x; j < kThreads; j += kLanes) gains[j] = settle(states[j], step);
    }
    __syncthreads();
    value = fmaf(0.5f, value, 0.5f * gains[(threadIdx.x + 1) % kThreads]);
    states[threadIdx.x] = value;
    __syncthreads();
  }
  results[i] = value;
}

// zoo: relax_blocks_together fixes relax_blocks
__global__ __launch_bounds__(kThreads, kBlocksResident) void relax_blocks_together(
    const float* __restrict__ values,  // (gridDim.x, kThreads)
    float* __restrict__ results) {     // (gridDim.x, kThreads)
  __shared__ float states[kThreads];
  __shared__ float gains[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  float value = values[i];
  states[threadIdx.x] = value;
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 0; step < kSteps; ++step) {
    gains[threadIdx.x] = settle(states[threadIdx.x], step);
    __syncthreads();
    value = fmaf(0.5f, value, 0.5f * gains[(threadIdx.x + 1) % kThreads]);
    states[threadIdx.x] = value;
    __syncthreads();
  }
  results[i] = value;
}

constexpr unsigned kMoments = 8;
constexpr unsigned kRowsABlock = 32;

// The sums of the first eight powers over each row of 1024 values, each by a tree with a barrier
// at every level. The next row is on its way meanwhile.
// zoo: power_sums plants barrier-stalls, fixed by power_sums_shuffled
__global__ __launch_bounds__(kThreads, kBlocksResident) void power_sums(
    const float* __restrict__ rows,  // (row_count, kThreads)
    float* __restrict__ sums,        // (row_count, kMoments)
    unsigned row_count) {
  __shared__ float partial[kThreads];
  const unsigned warp_begin = threadIdx.x / kLanes * kLanes;
  float next = rows[blockIdx.x * kThreads + threadIdx.x];
#pragma unroll 1
  for (unsigned row = blockIdx.x; row < row_count; row += gridDim.x) {
    const float x = next;
    const unsigned after = row + gridDim.x;
    if (after < row_count) next = rows[after * kThreads + threadIdx.x];
    float power = 1.0f;
#pragma unroll 1
    for (unsigned moment = 0; moment < kMoments; ++moment) {
      power *= x;
      partial[threadIdx.x] = power;
      __syncthreads();
#pragma unroll 1
      for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        // A warp without work goes straight to the barrier. The compiler would rather let it run
        // through switched-off instructions, which is another cause; the meeting of the warp keeps
        // the branch.
        if (warp_begin < half) {
          __syncwarp();
          if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
      }
      if (threadIdx.x == 0) sums[row * kMoments + moment] = partial[0];
    }
  }
}

__device__ inline float warp_sum(float value) {
#pragma unroll
  for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(kFull, value, distance);
  }
  return value;
}

// Each warp sums by shuffles, and one barrier a row brings the sums of the warps together.
// zoo: power_sums_shuffled fixes power_sums
__global__ __launch_bounds__(kThreads, kBlocksResident) void power_sums_shuffled(
    const float* __restrict__ rows,  // (row_count, kThreads)
    float* __restrict__ sums,        // (row_count, kMoments)
    unsigned row_count) {
  static_assert(kWarps == kLanes, "a warp sums the partial sums of all warps");
  // Two of them in turn: what a slow warp still reads is not what a fast one writes.
  __shared__ float partial[2][kMoments][kWarps];
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warp = threadIdx.x / kLanes;
  unsigned turn = 0;
  float next = rows[blockIdx.x * kThreads + threadIdx.x];
#pragma unroll 1
  for (unsigned row = blockIdx.x; row < row_count; row += gridDim.x) {
    const float x = next;
    const unsigned after = row + gridDim.x;
    if (after < row_count) next = rows[after * kThreads + threadIdx.x];
    float power = 1.0f;
#pragma unroll
    for (unsigned moment = 0; moment < kMoments; ++moment) {
      power *= x;
      const float sum = warp_sum(power);
      if (lane == 0) partial[turn][moment][warp] = sum;
    }
    __syncthreads();
    if (warp < kMoments) {
      const float sum = warp_sum(partial[turn][warp][lane]);
      if (lane == 0) sums[row * kMoments + warp] = sum;
    }
    turn ^= 1;
  }
}

namespace {

void run_relax_blocks() {
  const unsigned blocks = multiprocessors() * kBlocksResident * kRelaxWaves;
  const std::vector<float> host = random_floats(std::size_t{blocks} * kThreads, 41);
  DeviceBuffer<float> values(host);          // (blocks, kThreads)
  DeviceBuffer<float> results(host.size());  // (blocks, kThreads)
  results.clear();
  relax_blocks<<<blocks, kThreads>>>(values.data(), results.data());
  finish_launch();
  const std::vector<float> slow = results.download();
  for (unsigned block = 0; block < blocks; block += 131) {
    const std::size_t first = std::size_t{block} * kThreads;
    std::vector<float> states(host.begin() + first, host.begin() + first + kThreads);
    std::vector<float> gains(kThreads);
    for (unsigned step = 0; step < kSteps; ++step) {
      for (unsigned i = 0; i < kThreads; ++i) gains[i] = settle(states[i], step);
      for (unsigned i = 0; i < kThreads; ++i) {
        states[i] = fmaf(0.5f, states[i], 0.5f * gains[(i + 1) % kThreads]);
      }
    }
    for (unsigned i = 0; i < kThreads; ++i) {
      expect_close("relax blocks", slow[first + i], states[i], 1e-5, first + i);
    }
  }
  passed("relax blocks");

  results.clear();
  relax_blocks_together<<<blocks, kThreads>>>(values.data(), results.data());
  finish_launch();
  expect_all_close("relax blocks together", results.download(), slow, 1e-6);
  passed("relax blocks together");
}

void run_power_sums() {
  const unsigned blocks = multiprocessors() * kBlocksResident;
  const unsigned row_count = blocks * kRowsABlock;
  const std::vector<float> host = random_floats(std::size_t{row_count} * kThreads, 42);
  DeviceBuffer<float> rows(host);                               // (row_count, kThreads)
  DeviceBuffer<float> sums(std::size_t{row_count} * kMoments);  // (row_count, kMoments)
  sums.clear();
  power_sums<<<blocks, kThreads>>>(rows.data(), sums.data(), row_count);
  finish_launch();
  const std::vector<float> slow = sums.download();
  for (unsigned row = 0; row < row_count; row += 11) {
    double expected[kMoments] = {};
    for (unsigned i = 0; i < kThreads; ++i) {
      double power = 1.0;
      for (double& sum : expected) sum += power *= host[std::size_t{row} * kThreads + i];
    }
    for (unsigned moment = 0; moment < kMoments; ++moment) {
      const std::size_t at = std::size_t{row} * kMoments + moment;
      expect_close("power sums", slow[at], expected[moment], 1e-4, at);
    }
  }
  passed("power sums");

  sums.clear();
  power_sums_shuffled<<<blocks, kThreads>>>(rows.data(), sums.data(), row_count);
  finish_launch();
  expect_all_close("power sums shuffled", sums.download(), slow, 1e-4);
  passed("power sums shuffled");
}

}  // namespace

int main() {
  run_relax_blocks();
  run_power_sums();
}
