// SPDX-License-Identifier: Apache-2.0
//
// Few rows per expert: the kernel is memory-bound by the weights. Every warp streams its own 16
// rows of packed weights from global memory to registers, kAhead blocks along K ahead, decodes them
// and multiplies them by mma.sync with rows of x that were copied to shared memory before.
//
//   warp     A: (16 of n, 64) per step, in registers      decoded from 544 packed bytes
//   block    B: (kRows of x, K) bf16, in shared memory    kRows = 8 * kTiles
//   warp     D: (16 of n, kRows) fp32 accumulators        4 * kTiles per thread
//
// stream() is the kernel; its steps come before it, in the order in which they run.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "../hopper/ptx.cuh"
#include "decode.cuh"
#include "layer.cuh"

namespace moe {

inline constexpr std::uint32_t kStreamWarps = 8;  // 16 rows of a tile each
inline constexpr std::uint32_t kAhead = 5;        // blocks along K in flight per warp

// What a launch chooses. kSplitK 2: a cluster of two blocks has a tile, each half of K; the second
// adds its accumulators to the first's. Blocks of half the length leave fewer SMs idle at the end.
struct Stream8 {
  static constexpr std::uint32_t kTiles = 1;  // n8 tiles: rows of x at a time, in eights
  static constexpr std::uint32_t kSplitK = 1;
  static constexpr std::uint32_t kBlocksPerSm = 4;
};
struct Stream16 {
  static constexpr std::uint32_t kTiles = 2;
  static constexpr std::uint32_t kSplitK = 1;
  static constexpr std::uint32_t kBlocksPerSm = 2;
};
struct Stream16SplitK : Stream16 {
  static constexpr std::uint32_t kSplitK = 2;
  static constexpr std::uint32_t kBlocksPerSm = 3;
};

// The experts that a launch is for, by their number of rows.
struct RowRange {
  std::uint32_t least = 1;
  std::uint32_t most = ~0U;
};

// Shared memory: x (8 * kTiles, pitch) bf16, then with split K the accumulators that block 1 of the
// cluster hands over, (kTiles, threads) float4. The pitch puts eight rows in different banks.
template <class P>
struct StreamShared {
  static __host__ __device__ constexpr std::uint32_t pitch(std::uint32_t k) { return k + 8; }
  static __host__ __device__ constexpr std::uint32_t x_bytes(std::uint32_t k) {
    return P::kTiles * 8 * pitch(k) * 2;
  }
  static constexpr std::uint32_t kHandedBytes =
      P::kSplitK > 1 ? kStreamWarps * 32 * P::kTiles * 16 : 0;
};

// Blocks of 64 along K that each part multiplies; the last may have fewer.
template <class P>
__host__ __device__ constexpr std::uint32_t blocks_of_part(std::uint32_t k) {
  return (k / kBlockK + P::kSplitK - 1) / P::kSplitK;
}

// The part of K that a block of the grid multiplies, in blocks of 64.
struct KPart {
  std::uint32_t first;
  std::uint32_t blocks;
  std::uint32_t pitch;  // of these columns of x in shared memory
};

// A warp's part of a record: (16 of n, 64).
__device__ inline Packed load_packed(const std::uint8_t* record) {
  const std::uint32_t group = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  Packed packed;
  packed.codes = hopper::ld_global_nc_no_allocate_v4(record + group * 512 + lane * 16);
  packed.scales = hopper::ld_global_nc(record + kCodeBytes + group * 32 + lane / 4 * 4);
  return packed;
}

// Step 1: x (8 * kTiles rows from `first` on, this part of K) to shared memory. Rows from `end` on
// repeat the last: their results are not stored.
template <class P>
__device__ inline void copy_x(std::uint32_t target, const __nv_bfloat16* x, const Shape& shape,
                              std::uint32_t first, std::uint32_t end, const KPart& k) {
  const std::uint32_t chunks = k.blocks * (kBlockK / 8);  // of 16 bytes
  for (std::uint32_t i = threadIdx.x; i < P::kTiles * 8 * chunks; i += blockDim.x) {
    const std::uint32_t row = i / chunks;
    const std::uint32_t chunk = i - row * chunks;
    const __nv_bfloat16* const source =
        x + static_cast<std::size_t>(min(first + row, end - 1)) * shape.k + k.first * kBlockK +
        chunk * 8;
    hopper::cp_async_16(target + (row * k.pitch + chunk * 8) * 2, source);
  }
  hopper::cp_async_wait_all();
  __syncthreads();
}

// Step 2: d[t] (16 of n, 8 rows of x) += A (16, 64) * B (8, 64)^T, for every tile of eight rows.
// `b_row` is the address that this lane gives to ldmatrix, at k = 0; `k` is the block's first.
template <class P>
__device__ inline void mma_block(const std::uint32_t (&a)[4][4], std::uint32_t b_row,
                                 std::uint32_t pitch, std::uint32_t k, float (&d)[P::kTiles][4]) {
#pragma unroll
  for (std::uint32_t t = 0; t < P::kTiles; ++t) {
#pragma unroll
    for (std::uint32_t step = 0; step < 4; step += 2) {
      std::uint32_t b[4];  // (8, 32): the B fragments of two products
      hopper::ldmatrix_x4(b, b_row + (t * 8 * pitch + k + step * 16) * 2);
      hopper::mma_m16n8k16(d[t], a[step], b[0], b[1]);
      hopper::mma_m16n8k16(d[t], a[step + 1], b[2], b[3]);
    }
  }
}

// Step 2 for all blocks along K. A block's registers are loaded again, kAhead further on, as soon
// as they are decoded.
template <class P>
__device__ inline void mma_stream(const std::uint8_t* records, Packed (&ahead)[kAhead],
                                  std::uint32_t x_rows, const KPart& k, float (&d)[P::kTiles][4]) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t b_row = x_rows + (lane % 8 * k.pitch + lane / 8 * 8) * 2;
  for (std::uint32_t block = 0; block < k.blocks; block += kAhead) {
#pragma unroll
    for (std::uint32_t i = 0; i < kAhead; ++i) {
      if (block + i >= k.blocks) break;
      std::uint32_t a[4][4];  // (16, 16) per product
      ahead[i].decode_all(a);
      if (block + i + kAhead < k.blocks) {
        ahead[i] = load_packed(records + (block + i + kAhead) * kRecordBytes);
      }
      mma_block<P>(a, b_row, k.pitch, (block + i) * kBlockK, d);
    }
  }
}

// Step 3, with split K: block 1 of the cluster writes its accumulators to the shared memory of
// block 0, which adds them. Every thread hands over to the same thread.
template <class P>
__device__ inline void reduce_split_k(float (&d)[P::kTiles][4], const float4* handed,
                                      std::uint32_t part) {
  hopper::cluster_wait();  // block 0 runs, and has read what was handed over before
  if (part == 1) {
    const std::uint32_t target = hopper::map_to_rank(hopper::shared_address(handed), 0);
#pragma unroll
    for (std::uint32_t t = 0; t < P::kTiles; ++t) {
      hopper::st_shared_cluster_v4(target + (t * blockDim.x + threadIdx.x) * 16, d[t]);
    }
  }
  hopper::cluster_arrive();
  hopper::cluster_wait();
  if (part == 0) {
#pragma unroll
    for (std::uint32_t t = 0; t < P::kTiles; ++t) {
      const float4 more = handed[t * blockDim.x + threadIdx.x];
      d[t][0] += more.x;
      d[t][1] += more.y;
      d[t][2] += more.z;
      d[t][3] += more.w;
    }
  }
  hopper::cluster_arrive();
}

// Step 4: y (rows `first` to `end`, 16 of n per warp); with split K, block 0 stores. Packing put
// neighbouring n in fragment rows r and r + 8: d[0] and d[2] are columns n and n + 1 of one row of
// y, d[1] and d[3] of the next row.
template <class P, bool kGated>
__device__ inline void store_rows(const float (&d)[P::kTiles][4], __nv_bfloat16* y,
                                  const Shape& shape, std::uint32_t first, std::uint32_t end,
                                  std::uint32_t tile, std::uint32_t part) {
  const std::uint32_t group = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t n = tile * kTileRows + group * 16 + lane / 4 * 2;
  if (part == 0 && n < shape.n) {
#pragma unroll
    for (std::uint32_t t = 0; t < P::kTiles; ++t) {
      const std::uint32_t row = first + t * 8 + lane % 4 * 2;
      if (row < end) store<kGated>(y, shape, row, n, d[t][0], d[t][2]);
      if (row + 1 < end) store<kGated>(y, shape, row + 1, n, d[t][1], d[t][3]);
    }
  }
}

// A block has one tile of one expert (a cluster, with split K) and all of the expert's rows, 8 *
// kTiles at a time. Grid: (tiles * kSplitK, experts).
//
// Two launches for different experts overlap by programmatic dependent launch: the first lets the
// second start at once, and the second does not end before the first.
template <class P, bool kGated>
__global__ void __launch_bounds__(kStreamWarps * 32, P::kBlocksPerSm)
    stream(const std::uint8_t* weights, const __nv_bfloat16* x, const int* ends, __nv_bfloat16* y,
           const Shape shape, const RowRange range) {
  extern __shared__ __align__(16) std::uint8_t memory[];
  hopper::griddepcontrol_launch_dependents();
  const std::uint32_t expert = blockIdx.y;
  const std::uint32_t begin = begin_of(ends, expert);
  const auto end = static_cast<std::uint32_t>(ends[expert]);
  if (end - begin < range.least || end - begin > range.most) return hopper::griddepcontrol_wait();

  // This block's tile and its part of K.
  const std::uint32_t part = P::kSplitK > 1 ? hopper::cluster_rank() : 0;
  const std::uint32_t whole = shape.k / kBlockK;
  const std::uint32_t share = blocks_of_part<P>(shape.k);
  using Layout = StreamShared<P>;
  const KPart k{part * share, min(share, whole - part * share), Layout::pitch(share * kBlockK)};
  const std::uint32_t tile = blockIdx.x / P::kSplitK;
  const std::uint8_t* const records =
      weights +
      ((static_cast<std::size_t>(expert) * (gridDim.x / P::kSplitK) + tile) * whole + k.first) *
          kRecordBytes;
  const std::uint32_t x_rows = hopper::shared_address(memory);
  auto* const handed = reinterpret_cast<float4*>(memory + Layout::x_bytes(share * kBlockK));
  if constexpr (P::kSplitK > 1) hopper::cluster_arrive();

  for (std::uint32_t first = begin; first < end; first += P::kTiles * 8) {
    Packed ahead[kAhead];  // (16 of n per warp, 64) each
#pragma unroll
    for (std::uint32_t i = 0; i < kAhead; ++i) ahead[i] = load_packed(records + i * kRecordBytes);
    copy_x<P>(x_rows, x, shape, first, end, k);

    float d[P::kTiles][4] = {};  // (16 of n per warp, 8 rows of x) per tile
    mma_stream<P>(records, ahead, x_rows, k, d);
    if constexpr (P::kSplitK > 1) reduce_split_k<P>(d, handed, part);
    store_rows<P, kGated>(d, y, shape, first, end, tile, part);
    __syncthreads();  // before x is overwritten
  }
  if constexpr (P::kSplitK > 1) hopper::cluster_wait();
  hopper::griddepcontrol_wait();
}

}  // namespace moe
