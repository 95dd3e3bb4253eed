// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the L1 cache's data path, 128 bytes a cycle and multiprocessor: totals
// of a table and sums of rows drawn from it. All blocks read the same 64 KiB, which each
// multiprocessor's L1 holds after the first touch; no shared memory is used.
#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;        // blocks of kThreads that fill a multiprocessor
constexpr unsigned kWaves = 2;           // of blocks
constexpr unsigned kLoads = 4;           // of a thread, under way at once
constexpr unsigned kTileVectors = 1024;  // kLoads * kThreads, 16 KiB
constexpr unsigned kTiles = 4;           // of the table, a power of two
constexpr unsigned kVisits = 320;        // of a block to a tile
static_assert(kTileVectors == kLoads * kThreads, "a block reads a tile at once");

// tile_step comes at run time, so that no load can be taken to repeat an earlier one.
// zoo: table_totals is healthy at l1-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void table_totals(
    const float4* __restrict__ table,  // (kTiles, kLoads, kThreads)
    float4* __restrict__ totals,       // (blocks, kThreads)
    unsigned tile_step) {
  float4 total = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  unsigned tile = blockIdx.x % kTiles;
#pragma unroll 1
  for (unsigned visit = 0; visit < kVisits; ++visit) {
    const float4* from = table + tile * kTileVectors + threadIdx.x;
    float4 held[kLoads];
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) held[j] = __ldg(from + j * kThreads);
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) {
      total.x += held[j].x;
      total.y += held[j].y;
      total.z += held[j].z;
      total.w += held[j].w;
    }
    tile = (tile + tile_step) % kTiles;
  }
  totals[blockIdx.x * kThreads + threadIdx.x] = total;
}

constexpr unsigned kWarp = 32;
constexpr unsigned kRows = 256;  // a power of two; a row is one pair a lane
constexpr unsigned kBag = 4;     // neighbouring rows that a draw takes
constexpr unsigned kDraws = 600;

// A generator of full period modulo kRows, cheap enough to leave the cache as the only limit.
__host__ __device__ inline unsigned next_row(unsigned row) { return (row * 5 + 17) % kRows; }

// zoo: sum_row_bags is healthy at l1-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void sum_row_bags(
    const float2* __restrict__ rows,  // (kRows + kBag, kWarp)
    float2* __restrict__ sums) {      // (warps, kWarp)
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  float2 sum = make_float2(0.0f, 0.0f);
  unsigned row = thread / kWarp % kRows;
#pragma unroll 2
  for (unsigned draw = 0; draw < kDraws; ++draw) {
    const float2* from = rows + row * kWarp + threadIdx.x % kWarp;
#pragma unroll
    for (unsigned j = 0; j < kBag; ++j) {
      const float2 held = __ldg(from + j * kWarp);
      sum.x += held.x;
      sum.y += held.y;
    }
    row = next_row(row);
  }
  sums[thread] = sum;
}

namespace {

// Whole numbers, so that their sums are exact in any order.
std::vector<float> small_numbers(std::size_t count, unsigned seed) {
  std::vector<float> numbers;
  numbers.reserve(count);
  for (const unsigned value : random_integers(count, 16, seed)) {
    numbers.push_back(static_cast<float>(value) - 8.0f);
  }
  return numbers;
}

void run_table_totals() {
  constexpr unsigned kTileStep = 1;
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::vector<float> host = small_numbers(std::size_t{4} * kTiles * kTileVectors, 7);
  DeviceBuffer<float> table(host);                                 // (kTiles, kTileVectors, 4)
  DeviceBuffer<float> totals(std::size_t{4} * kThreads * blocks);  // (blocks, kThreads, 4)
  totals.clear();
  CHECK_CUDA(cudaFuncSetAttribute(table_totals, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxL1));
  table_totals<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(table.data()),
                                     reinterpret_cast<float4*>(totals.data()), kTileStep);
  finish_launch();
  const std::vector<float> actual = totals.download();
  for (std::size_t i = 0; i < actual.size(); i += 2003) {
    const std::size_t lane = i % (4 * kThreads);
    std::size_t tile = i / (4 * kThreads) % kTiles;
    float expected = 0.0f;
    for (unsigned visit = 0; visit < kVisits; ++visit) {
      for (unsigned j = 0; j < kLoads; ++j) {
        expected += host[4 * (tile * kTileVectors + j * kThreads) + lane];
      }
      tile = (tile + kTileStep) % kTiles;
    }
    expect_close("table totals", actual[i], expected, 0.0, i);
  }
  passed("table totals");
}

void run_sum_row_bags() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::vector<float> host = small_numbers(std::size_t{2} * (kRows + kBag) * kWarp, 8);
  DeviceBuffer<float> rows(host);                                // (kRows + kBag, kWarp, 2)
  DeviceBuffer<float> sums(std::size_t{2} * kThreads * blocks);  // (blocks, kThreads, 2)
  sums.clear();
  CHECK_CUDA(cudaFuncSetAttribute(sum_row_bags, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxL1));
  sum_row_bags<<<blocks, kThreads>>>(reinterpret_cast<const float2*>(rows.data()),
                                     reinterpret_cast<float2*>(sums.data()));
  finish_launch();
  const std::vector<float> actual = sums.download();
  for (std::size_t i = 0; i < actual.size(); i += 2003) {
    const std::size_t lane = i % (2 * kWarp);
    unsigned row = static_cast<unsigned>(i / (2 * kWarp) % kRows);
    float expected = 0.0f;
    for (unsigned draw = 0; draw < kDraws; ++draw) {
      for (unsigned j = 0; j < kBag; ++j) expected += host[(row + j) * (2 * kWarp) + lane];
      row = next_row(row);
    }
    expect_close("sum row bags", actual[i], expected, 0.0, i);
  }
  passed("sum row bags");
}

}  // namespace

int main() {
  run_table_totals();
  run_sum_row_bags();
}
