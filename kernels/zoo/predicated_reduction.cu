// SPDX-License-Identifier: Apache-2.0
//
// Sums over a block by the textbook's tree in shared memory: half of the threads add in the first
// step, a quarter in the next, and in the last one thread of 256, while the other warps run through
// switched-off instructions to the next barrier. The twin adds within the warps by shuffles and
// meets once for all of its rows.
#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = kThreads / kLanes;
constexpr unsigned kRows = 64;  // of a block's tile
constexpr unsigned kTileBytes = kRows * kThreads * sizeof(float);
constexpr unsigned kBlocksResident = 3;  // as their tiles allow
constexpr unsigned kWaves = 4;           // of blocks

// The block's rows, one column to a thread; each thread reads back what it has brought itself.
__device__ inline void load_tile(float* tile,                       // (kRows, kThreads)
                                 const float* __restrict__ rows) {  // (kRows, kThreads)
#pragma unroll 16
  for (unsigned row = 0; row < kRows; ++row) {
    tile[row * kThreads + threadIdx.x] = rows[row * kThreads + threadIdx.x];
  }
}

// The loads and stores of each step fill the load/store unit, whether their lanes are on or not.
// zoo: row_energies plants lsu-pipe, fixed by row_energies_shuffled
__global__ __launch_bounds__(kThreads, kBlocksResident) void row_energies(
    const float* __restrict__ rows,  // (gridDim.x, kRows, kThreads)
    float* __restrict__ energies) {  // (gridDim.x, kRows)
  extern __shared__ float tile[];    // (kRows, kThreads)
  __shared__ float partial[kThreads];
  load_tile(tile, rows + std::size_t{blockIdx.x} * (kRows * kThreads));
#pragma unroll 1
  for (unsigned row = 0; row < kRows; ++row) {
    const float value = tile[row * kThreads + threadIdx.x];
    partial[threadIdx.x] = value * value;
    __syncthreads();
#pragma unroll
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
      __syncthreads();
    }
    // The first thread alone touches the sum until the next row's first barrier.
    if (threadIdx.x == 0) energies[blockIdx.x * kRows + row] = partial[0];
  }
}

// zoo: row_energies_shuffled fixes row_energies
__global__ __launch_bounds__(kThreads, kBlocksResident) void row_energies_shuffled(
    const float* __restrict__ rows,  // (gridDim.x, kRows, kThreads)
    float* __restrict__ energies) {  // (gridDim.x, kRows)
  extern __shared__ float tile[];    // (kRows, kThreads)
  __shared__ float partial[kWarps][kRows];
  load_tile(tile, rows + std::size_t{blockIdx.x} * (kRows * kThreads));
#pragma unroll 4
  for (unsigned row = 0; row < kRows; ++row) {
    const float value = tile[row * kThreads + threadIdx.x];
    float sum = value * value;
#pragma unroll
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % kLanes == 0) partial[threadIdx.x / kLanes][row] = sum;
  }
  __syncthreads();
  if (threadIdx.x < kRows) {
    float sum = 0.0f;
#pragma unroll
    for (unsigned warp = 0; warp < kWarps; ++warp) sum += partial[warp][threadIdx.x];
    energies[blockIdx.x * kRows + threadIdx.x] = sum;
  }
}

namespace {

void run_row_energies() {
  const unsigned blocks = multiprocessors() * kBlocksResident * kWaves;
  const std::size_t row_count = std::size_t{blocks} * kRows;
  const std::vector<float> host = random_floats(row_count * kThreads, 158);
  DeviceBuffer<float> rows(host);           // (row_count, kThreads)
  DeviceBuffer<float> energies(row_count);  // (row_count)
  allow_shared(row_energies, kTileBytes);
  allow_shared(row_energies_shuffled, kTileBytes);
  energies.clear();
  row_energies<<<blocks, kThreads, kTileBytes>>>(rows.data(), energies.data());
  finish_launch();
  const std::vector<float> slow = energies.download();
  for (std::size_t row = 0; row < row_count; row += 11) {
    double expected = 0.0;
    for (std::size_t i = 0; i < kThreads; ++i) {
      const double value = host[row * kThreads + i];
      expected += value * value;
    }
    expect_close("row energies", slow[row], expected, 1e-5, row);
  }
  passed("row energies");

  energies.clear();
  row_energies_shuffled<<<blocks, kThreads, kTileBytes>>>(rows.data(), energies.data());
  finish_launch();
  expect_all_close("row energies shuffled", energies.download(), slow, 1e-5);
  passed("row energies shuffled");
}

}  // namespace

int main() { run_row_energies(); }
