// SPDX-License-Identifier: Apache-2.0
//
// Few rows an expert: the weights' bytes bind. Every warp streams its own sixteen rows of weights
// from memory to registers, several blocks ahead, and multiplies them with rows of x that wait in
// shared memory.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "../hopper/barrier.cuh"
#include "../hopper/warp.cuh"
#include "decode.cuh"
#include "layer.cuh"

namespace moe {

inline constexpr std::uint32_t kStreamWarps = 8;  // sixteen rows of a tile each
inline constexpr std::uint32_t kAhead = 5;        // blocks along K on their way in each warp

// x's rows in shared memory are so far apart that eight of them meet different banks.
__host__ __device__ constexpr std::uint32_t x_pitch(std::uint32_t k) { return k + 8; }

__device__ inline Packed load_packed(const std::uint8_t* record, std::uint32_t group,
                                     std::uint32_t lane) {
  Packed packed;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(packed.codes.x), "=r"(packed.codes.y), "=r"(packed.codes.z),
                 "=r"(packed.codes.w)
               : "l"(record + group * 512 + lane * 16));
  asm volatile("ld.global.nc.u32 %0, [%1];"
               : "=r"(packed.scales)
               : "l"(record + kCodeBytes + group * 32 + lane / 4 * 4));
  return packed;
}

// Which experts a launch is for, by their rows.
struct RowRange {
  std::uint32_t least = 1;
  std::uint32_t most = ~0U;
};

// Sums of every thread, to the same thread of the cluster's first block, and taken there.
template <std::uint32_t kTiles>
__device__ inline void hand_over(const float4* handed, const float (&sums)[kTiles][4]) {
  const std::uint32_t first = hopper::shared_address_of(hopper::shared_address(handed), 0);
#pragma unroll
  for (std::uint32_t t = 0; t < kTiles; ++t) {
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(
                     first + (t * blockDim.x + threadIdx.x) * 16),
                 "f"(sums[t][0]), "f"(sums[t][1]), "f"(sums[t][2]), "f"(sums[t][3])
                 : "memory");
  }
}
template <std::uint32_t kTiles>
__device__ inline void add_handed(float (&sums)[kTiles][4], const float4* handed) {
#pragma unroll
  for (std::uint32_t t = 0; t < kTiles; ++t) {
    const float4 more = handed[t * blockDim.x + threadIdx.x];
    sums[t][0] += more.x;
    sums[t][1] += more.y;
    sums[t][2] += more.z;
    sums[t][3] += more.w;
  }
}

// What a block of the split kernel is given in shared memory: x, then the sums of its twin.
template <std::uint32_t kTiles>
struct StreamShared {
  static __host__ __device__ constexpr std::uint32_t x_bytes(std::uint32_t k) {
    return kTiles * 8 * x_pitch(k) * 2;
  }
  static constexpr std::uint32_t kSumBytes = kStreamWarps * 32 * kTiles * 16;
};

// Blocks along K that each of kParts blocks multiplies; the last may have fewer.
template <std::uint32_t kParts>
__host__ __device__ constexpr std::uint32_t blocks_of_part(std::uint32_t k) {
  return (k / kBlockK + kParts - 1) / kParts;
}

// A block: one tile of one expert, eight rows of x for each of kTiles at a time. Grid: (tiles,
// experts). Two launches for different experts overlap: the first lets the second begin at once, and
// the second does not end before the first.
//
// With kParts 2 a cluster of two blocks has the tile, each one half of K: the second hands its sums
// to the first. Blocks of half the length and half of x leave fewer SMs idle in the end.
template <std::uint32_t kTiles, bool kGated, std::uint32_t kParts>
__global__ void __launch_bounds__(kStreamWarps * 32, kTiles == 1 ? 4 : kParts + 1)
    stream(const std::uint8_t* weights, const __nv_bfloat16* x, const int* ends, __nv_bfloat16* y,
           const Shape shape, const RowRange range) {
  extern __shared__ __align__(16) std::uint8_t memory[];
  hopper::let_next_begin();
  const std::uint32_t expert = blockIdx.y;
  const std::uint32_t begin = begin_of(ends, expert);
  const auto end = static_cast<std::uint32_t>(ends[expert]);
  if (end - begin < range.least || end - begin > range.most) return hopper::wait_for_previous();
  const std::uint32_t group = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t part = kParts > 1 ? hopper::cluster_rank() : 0;
  const std::uint32_t whole = shape.k / kBlockK;
  const std::uint32_t share = blocks_of_part<kParts>(shape.k);
  const std::uint32_t before = part * share;
  const std::uint32_t blocks = min(share, whole - before);  // of this part
  const std::uint32_t number = blockIdx.x / kParts;
  const std::uint8_t* const tile =
      weights + ((static_cast<std::size_t>(expert) * (gridDim.x / kParts) + number) * whole + before) *
                    kRecordBytes;
  const std::uint32_t pitch = x_pitch(share * kBlockK);
  auto* const handed = reinterpret_cast<float4*>(
      memory + StreamShared<kTiles>::x_bytes(share * kBlockK));
  if constexpr (kParts > 1) hopper::cluster_arrive();

  for (std::uint32_t first = begin; first < end; first += kTiles * 8) {
    Packed ahead[kAhead];
#pragma unroll
    for (std::uint32_t i = 0; i < kAhead; ++i) {
      ahead[i] = load_packed(tile + i * kRecordBytes, group, lane);
    }
    // While these come: the rows of x. Those behind the last are the last again, for nobody.
    const std::uint32_t chunks = blocks * (kBlockK / 8);
    for (std::uint32_t i = threadIdx.x; i < kTiles * 8 * chunks; i += blockDim.x) {
      const std::uint32_t row = i / chunks;
      const std::uint32_t chunk = i - row * chunks;
      const __nv_bfloat16* const source =
          x + static_cast<std::size_t>(min(first + row, end - 1)) * shape.k + before * kBlockK +
          chunk * 8;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       hopper::shared_address(memory) + (row * pitch + chunk * 8) * 2),
                   "l"(source)
                   : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();

    float sums[kTiles][4] = {};
    const std::uint32_t right_row =
        hopper::shared_address(memory) + (lane % 8 * pitch + lane / 8 * 8) * 2;
    for (std::uint32_t block = 0; block < blocks; block += kAhead) {
#pragma unroll
      for (std::uint32_t i = 0; i < kAhead; ++i) {
        if (block + i >= blocks) break;
        std::uint32_t left[4][4];
        ahead[i].decode_all(left);
        if (block + i + kAhead < blocks) {
          ahead[i] = load_packed(tile + (block + i + kAhead) * kRecordBytes, group, lane);
        }
#pragma unroll
        for (std::uint32_t t = 0; t < kTiles; ++t) {
#pragma unroll
          for (std::uint32_t step = 0; step < 4; step += 2) {
            std::uint32_t right[4];
            hopper::load_matrices(
                right, right_row + (t * 8 * pitch + (block + i) * kBlockK + step * 16) * 2);
            hopper::multiply_warp(sums[t], left[step], right[0], right[1]);
            hopper::multiply_warp(sums[t], left[step + 1], right[2], right[3]);
          }
        }
      }
    }
    if constexpr (kParts > 1) {
      hopper::cluster_wait();  // the first is there, and has taken the sums before these
      if (part == 1) hand_over(handed, sums);
      hopper::cluster_arrive();
      hopper::cluster_wait();
      if (part == 0) add_handed(sums, handed);
      hopper::cluster_arrive();
    }
    const std::uint32_t n = number * kTileRows + group * 16 + lane / 4 * 2;
    if (part == 0 && n < shape.n) {
#pragma unroll
      for (std::uint32_t t = 0; t < kTiles; ++t) {
        const std::uint32_t row = first + t * 8 + lane % 4 * 2;
        if (row < end) store<kGated>(y, shape, row, n, sums[t][0], sums[t][2]);
        if (row + 1 < end) store<kGated>(y, shape, row + 1, n, sums[t][1], sums[t][3]);
      }
    }
    __syncthreads();  // x is about to be written again
  }
  if constexpr (kParts > 1) hopper::cluster_wait();
  hopper::wait_for_previous();
}

}  // namespace moe
