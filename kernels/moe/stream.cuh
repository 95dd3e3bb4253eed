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

// A block: one tile of one expert, eight rows of x for each of kTiles at a time. Grid: (tiles,
// experts). Two launches for different experts overlap: the first lets the second begin at once, and
// the second does not end before the first.
template <std::uint32_t kTiles, bool kGated>
__global__ void __launch_bounds__(kStreamWarps * 32)
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
  const std::uint32_t blocks = shape.k / kBlockK;
  const std::uint8_t* const tile =
      weights + (static_cast<std::size_t>(expert) * gridDim.x + blockIdx.x) * blocks * kRecordBytes;
  const std::uint32_t pitch = x_pitch(shape.k);

  for (std::uint32_t first = begin; first < end; first += kTiles * 8) {
    Packed ahead[kAhead];
#pragma unroll
    for (std::uint32_t i = 0; i < kAhead; ++i) {
      ahead[i] = load_packed(tile + i * kRecordBytes, group, lane);
    }
    // While these come: the rows of x. Those behind the last are the last again, for nobody.
    const std::uint32_t chunks = shape.k / 8;
    for (std::uint32_t i = threadIdx.x; i < kTiles * 8 * chunks; i += blockDim.x) {
      const std::uint32_t row = i / chunks;
      const std::uint32_t chunk = i - row * chunks;
      const __nv_bfloat16* const source =
          x + static_cast<std::size_t>(min(first + row, end - 1)) * shape.k + chunk * 8;
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
    const std::uint32_t n = blockIdx.x * kTileRows + group * 16 + lane / 4 * 2;
    if (n < shape.n) {
#pragma unroll
      for (std::uint32_t t = 0; t < kTiles; ++t) {
        const std::uint32_t row = first + t * 8 + lane % 4 * 2;
        if (row < end) store<kGated>(y, shape, row, n, sums[t][0], sums[t][2]);
        if (row + 1 < end) store<kGated>(y, shape, row + 1, n, sums[t][1], sums[t][3]);
      }
    }
    __syncthreads();  // x is about to be written again
  }
  hopper::wait_for_previous();
}

}  // namespace moe
