// SPDX-License-Identifier: Apache-2.0
//
// A product of half-precision matrices that keeps its tiles in half precision and widens each
// element where it is used: next to every two multiply-adds of the ordinary pipe stands a
// conversion, and the tensor cores do nothing. The twin has the same tiles and gives them to the
// tensor cores.
#include <cuda_fp16.h>
#include <mma.h>

#include "resident.cuh"

namespace wmma = nvcuda::wmma;

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 4;
constexpr unsigned kTile = 64;  // rows and columns of the result for a block
constexpr unsigned kSlab = 32;  // of the depth
constexpr unsigned kPack = 8;   // elements in sixteen bytes
constexpr unsigned kShare = 4;  // rows and columns of the result for a thread
constexpr unsigned kWaves = 2;  // of blocks

// Rows in shared memory are longer by a pack, for the banks.
constexpr unsigned kLeftRow = kSlab + kPack;
constexpr unsigned kRightRow = kTile + kPack;

__device__ inline uint4 load_pack(const __half* source) {
  return *reinterpret_cast<const uint4*>(source);
}
__device__ inline void store_pack(__half* target, uint4 pack) {
  *reinterpret_cast<uint4*>(target) = pack;
}

// Calls multiply(left, right) with each slab of the block's tile in shared memory; the next slab is
// on its way meanwhile. left points to the first row of the tile, right to its first column.
template <typename Multiply>
__device__ inline void for_each_slab(const __half* __restrict__ left,
                                     const __half* __restrict__ right, unsigned depth,
                                     unsigned columns, Multiply multiply) {
  constexpr unsigned kLeftPacks = kSlab / kPack;  // of a row
  constexpr unsigned kRightPacks = kTile / kPack;
  static_assert(kTile * kLeftPacks == kThreads && kSlab * kRightPacks == kThreads,
                "a thread brings one pack of each slab");
  __shared__ __align__(32) __half left_slab[2][kTile * kLeftRow];
  __shared__ __align__(32) __half right_slab[2][kSlab * kRightRow];
  const unsigned left_row = threadIdx.x / kLeftPacks;
  const unsigned left_column = threadIdx.x % kLeftPacks * kPack;
  const unsigned right_row = threadIdx.x / kRightPacks;
  const unsigned right_column = threadIdx.x % kRightPacks * kPack;
  left += left_row * depth + left_column;
  right += right_row * columns + right_column;
  uint4 next_left = load_pack(left);
  uint4 next_right = load_pack(right);
  const unsigned slabs = depth / kSlab;
#pragma unroll 1
  for (unsigned slab = 0; slab < slabs; ++slab) {
    const unsigned now = slab % 2;
    store_pack(&left_slab[now][left_row * kLeftRow + left_column], next_left);
    store_pack(&right_slab[now][right_row * kRightRow + right_column], next_right);
    __syncthreads();
    if (slab + 1 < slabs) {
      left += kSlab;
      right += kSlab * columns;
      next_left = load_pack(left);
      next_right = load_pack(right);
    }
    multiply(left_slab[now], right_slab[now]);
  }
}

// One of the two halves of a word.
__device__ inline float widen(unsigned word, unsigned which) {
  const __half2 pair = *reinterpret_cast<const __half2*>(&word);
  return which == 0 ? __low2float(pair) : __high2float(pair);
}

// zoo: project_tokens plants tensor-cores-idle, fixed by project_tokens_fragments
__global__ __launch_bounds__(kThreads, kBlocksResident) void project_tokens(
    const __half* __restrict__ tokens,   // (rows, depth)
    const __half* __restrict__ weights,  // (depth, columns)
    float* __restrict__ outputs,         // (rows, columns)
    unsigned depth, unsigned columns) {
  const unsigned row = blockIdx.y * kTile;
  const unsigned column = blockIdx.x * kTile;
  const unsigned my_row = threadIdx.x / (kTile / kShare) * kShare;
  const unsigned my_column = threadIdx.x % (kTile / kShare) * kShare;
  float sums[kShare][kShare] = {};
  for_each_slab(tokens + row * depth, weights + column, depth, columns,
                [&](const __half* left, const __half* right) {
#pragma unroll 2
                  for (unsigned k = 0; k < kSlab; k += kPack) {
                    unsigned packs[kShare][kPack / 2];
#pragma unroll
                    for (unsigned i = 0; i < kShare; ++i) {
                      const uint4 pack = load_pack(left + (my_row + i) * kLeftRow + k);
                      packs[i][0] = pack.x;
                      packs[i][1] = pack.y;
                      packs[i][2] = pack.z;
                      packs[i][3] = pack.w;
                    }
#pragma unroll
                    for (unsigned p = 0; p < kPack; ++p) {
                      const uint2 four =
                          *reinterpret_cast<const uint2*>(right + (k + p) * kRightRow + my_column);
                      const float b[kShare] = {widen(four.x, 0), widen(four.x, 1), widen(four.y, 0),
                                               widen(four.y, 1)};
#pragma unroll
                      for (unsigned i = 0; i < kShare; ++i) {
                        const float a = widen(packs[i][p / 2], p % 2);
#pragma unroll
                        for (unsigned j = 0; j < kShare; ++j)
                          sums[i][j] = fmaf(a, b[j], sums[i][j]);
                      }
                    }
                  }
                });
#pragma unroll
  for (unsigned i = 0; i < kShare; ++i) {
    // Names its width: left to itself the compiler would split the store.
    __stcg(reinterpret_cast<float4*>(&outputs[(row + my_row + i) * columns + column + my_column]),
           make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]));
  }
}

constexpr unsigned kCore = 16;        // rows, columns and depth of a fragment
constexpr unsigned kWarpColumns = 2;  // fragments of a warp's 16 x 32 part of the tile

// zoo: project_tokens_fragments fixes project_tokens
__global__ __launch_bounds__(kThreads, kBlocksResident) void project_tokens_fragments(
    const __half* __restrict__ tokens,   // (rows, depth)
    const __half* __restrict__ weights,  // (depth, columns)
    float* __restrict__ outputs,         // (rows, columns)
    unsigned depth, unsigned columns) {
  const unsigned row = blockIdx.y * kTile;
  const unsigned column = blockIdx.x * kTile;
  const unsigned my_row = threadIdx.x / 32 / 2 * kCore;
  const unsigned my_column = threadIdx.x / 32 % 2 * (kWarpColumns * kCore);
  wmma::fragment<wmma::accumulator, kCore, kCore, kCore, float> sums[kWarpColumns];
#pragma unroll
  for (unsigned j = 0; j < kWarpColumns; ++j) wmma::fill_fragment(sums[j], 0.0f);
  for_each_slab(
      tokens + row * depth, weights + column, depth, columns,
      [&](const __half* left, const __half* right) {
#pragma unroll
        for (unsigned k = 0; k < kSlab; k += kCore) {
          wmma::fragment<wmma::matrix_a, kCore, kCore, kCore, __half, wmma::row_major> a;
          wmma::load_matrix_sync(a, left + my_row * kLeftRow + k, kLeftRow);
#pragma unroll
          for (unsigned j = 0; j < kWarpColumns; ++j) {
            wmma::fragment<wmma::matrix_b, kCore, kCore, kCore, __half, wmma::row_major> b;
            wmma::load_matrix_sync(b, right + k * kRightRow + my_column + j * kCore, kRightRow);
            wmma::mma_sync(sums[j], a, b, sums[j]);
          }
        }
      });
#pragma unroll
  for (unsigned j = 0; j < kWarpColumns; ++j) {
    wmma::store_matrix_sync(outputs + (row + my_row) * columns + column + my_column + j * kCore,
                            sums[j], columns, wmma::mem_row_major);
  }
}

namespace {

std::vector<__half> random_halves(std::size_t count, unsigned seed) {
  const std::vector<float> values = random_floats(count, seed);
  std::vector<__half> halves(count);
  for (std::size_t i = 0; i < count; ++i) halves[i] = __float2half(values[i]);
  return halves;
}

void run_project_tokens() {
  constexpr unsigned kRows = kTile * 16 * kWaves;
  constexpr unsigned kDepth = 1024;
  // Whole waves on 132 multiprocessors, a quarter of which is a number of tiles.
  const unsigned columns = multiprocessors() / 4 * kTile;
  const std::vector<__half> host_tokens = random_halves(std::size_t{kRows} * kDepth, 156);
  const std::vector<__half> host_weights = random_halves(std::size_t{kDepth} * columns, 157);
  DeviceBuffer<__half> tokens(host_tokens);                   // (kRows, kDepth)
  DeviceBuffer<__half> weights(host_weights);                 // (kDepth, columns)
  DeviceBuffer<float> outputs(std::size_t{kRows} * columns);  // (kRows, columns)
  const dim3 grid(columns / kTile, kRows / kTile);
  outputs.clear();
  project_tokens<<<grid, kThreads>>>(tokens.data(), weights.data(), outputs.data(), kDepth,
                                     columns);
  finish_launch();
  const std::vector<float> slow = outputs.download();
  for (std::size_t i = 0; i < slow.size(); i += 4999) {
    double expected = 0.0;
    for (unsigned k = 0; k < kDepth; ++k) {
      expected += double{__half2float(host_tokens[i / columns * kDepth + k])} *
                  __half2float(host_weights[std::size_t{k} * columns + i % columns]);
    }
    expect_close("project tokens", slow[i], expected, 1e-4, i);
  }
  passed("project tokens");

  outputs.clear();
  project_tokens_fragments<<<grid, kThreads>>>(tokens.data(), weights.data(), outputs.data(),
                                               kDepth, columns);
  finish_launch();
  expect_all_close("project tokens fragments", outputs.download(), slow, 1e-3);
  passed("project tokens fragments");
}

}  // namespace

int main() { run_project_tokens(); }
