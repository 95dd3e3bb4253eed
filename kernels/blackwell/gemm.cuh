// SPDX-License-Identifier: Apache-2.0
//
// The products of kernels/hopper/gemm.cuh on Blackwell: a pair of blocks multiplies 256 rows, warps
// have one role each, and sums wait in tensor memory, twice, so that one tile is finished while the
// next is multiplied.
//
//   warp 0     loads: operands, and scales where there are some
//   warp 1     multiplies (of the first block; one thread)
//   warp 2     allocates tensor memory
//   warps 4-7  finish: a thread has one row, 32 columns at a time
//
// Never run: there is no such GPU here. What is known of it is what the machine code shows, and that
// its descriptors hold what the documents say (tests/unit/blackwell_descriptor_test.cpp).
#pragma once

#include <cstdint>

#include "../hopper/copy.cuh"
#include "../hopper/warp.cuh"
#include "tcgen05.cuh"

namespace blackwell {

inline constexpr std::uint32_t kRowBytes = 128;
inline constexpr std::uint32_t kTileM = 128;  // of each block
inline constexpr std::uint32_t kThreads = 256;
inline constexpr std::uint32_t kScaleBlock = 512;

// V: kN (of the tile), kStages, kScaled, Finish.
template <class V>
struct Sizes {
  static constexpr std::uint32_t kRightRows = V::kN / 2;  // of each block
  // Scales for 256 values along K: a block of 512 bytes for each 64 and 128 rows.
  static constexpr std::uint32_t kScaleBlocks = V::kScaled ? 4 : 0;
  static constexpr std::uint32_t kLeft = kTileM * kRowBytes;
  static constexpr std::uint32_t kRight = kRightRows * kRowBytes;
  static constexpr std::uint32_t kScales = kScaleBlocks * kScaleBlock;
  static constexpr std::uint32_t kStage = kLeft + kRight + 2 * kScales;
  // Tensor memory: sums twice, then the scales of a stage.
  static constexpr std::uint32_t kLeftScales = 2 * V::kN;
  static constexpr std::uint32_t kRightScales = kLeftScales + 4 * kScaleBlocks;
  static constexpr std::uint32_t kColumns = 512;
  static_assert(kRightScales + 4 * kScaleBlocks <= kColumns);
  static_assert(!V::kScaled || V::kN == 128, "one block of scales for all rows of right");
};

template <class V>
struct Shared {
  std::uint8_t stages[V::kStages][Sizes<V>::kStage];
  hopper::Ring<V::kStages> ring;
  Barrier sums_full[2];
  Barrier sums_empty[2];
  std::uint32_t tensor_memory;
};

struct Work {
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t steps;    // along K: 128 bytes each
  std::uint32_t tiles;    // of a pair of blocks
  std::uint32_t tiles_n;  // beside each other
  // Blocks of 512 bytes for 128 rows and 64 values along K, block after block along K.
  const std::uint8_t* left_scales;
  const std::uint8_t* right_scales;
};

struct Tile {
  std::uint32_t row;
  std::uint32_t column;
};
template <class V>
__device__ Tile tile_at(const Work& work, std::uint32_t number) {
  const std::uint32_t row = number / work.tiles_n;
  return {row * 2 * kTileM, (number - row * work.tiles_n) * V::kN};
}

// Both blocks load their halves, and tell the first one's barrier: it is there that they multiply.
template <class V>
__device__ void load_role(const CUtensorMap& left_map, const CUtensorMap& right_map,
                          const Work& work, Shared<V>& shared, std::uint32_t rank) {
  using Size = Sizes<V>;
  hopper::RingPlace<V::kStages> place{0, 1};
  for (std::uint32_t number = blockIdx.x / 2; number < work.tiles; number += gridDim.x / 2) {
    const Tile tile = tile_at<V>(work, number);
    const std::uint32_t left_row = tile.row + rank * kTileM;
#pragma unroll 1
    for (std::uint32_t step = 0; step < work.steps; ++step, place.advance()) {
      shared.ring.empty[place.stage].wait(place.parity);
      Barrier& full = shared.ring.full[place.stage];
      if (rank == 0) full.expect(2 * Size::kStage);
      const std::uint32_t barrier = hopper::shared_address_of(shared_address(&full), 0);
      std::uint8_t* const stage = shared.stages[place.stage];
      const auto k = static_cast<int>(step * V::kStepValues);
      load_tile(stage, left_map, k, static_cast<int>(left_row), barrier);
      load_tile(stage + Size::kLeft, right_map, k,
                static_cast<int>(tile.column + rank * Size::kRightRows), barrier);
      if constexpr (V::kScaled) {
        // Scales of its own rows of left; of right, those of all, since each multiplies with all.
        const auto scales = [&](const std::uint8_t* all, std::uint32_t row) {
          return all + (static_cast<std::size_t>(row / 128) * work.steps + step) * Size::kScales;
        };
        std::uint8_t* const target = stage + Size::kLeft + Size::kRight;
        hopper::load_bytes(target, scales(work.left_scales, left_row), Size::kScales, barrier);
        hopper::load_bytes(target + Size::kScales, scales(work.right_scales, tile.column),
                           Size::kScales, barrier);
      }
    }
  }
}

// One stage's products: 128 bytes along K, 32 for each.
template <class V>
__device__ void multiply_stage(std::uint32_t stage, std::uint32_t sums, std::uint32_t memory,
                               bool add) {
  using Size = Sizes<V>;
  const std::uint64_t left = k_major(stage);
  const std::uint64_t right = k_major(stage + Size::kLeft);
  if constexpr (V::kScaled) {
    const std::uint64_t scales = scale_block(stage + Size::kLeft + Size::kRight);
#pragma unroll
    for (std::uint32_t i = 0; i < Size::kScaleBlocks; ++i) {
      copy_scales(memory + Size::kLeftScales + 4 * i, advance(scales, i * kScaleBlock));
      copy_scales(memory + Size::kRightScales + 4 * i,
                  advance(scales, Size::kScales + i * kScaleBlock));
    }
  }
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if constexpr (V::kScaled) {
      multiply_scaled(sums, advance(left, i * 32), advance(right, i * 32),
                      memory + Size::kLeftScales + 4 * i, memory + Size::kRightScales + 4 * i,
                      block_scaled_product(2 * kTileM, V::kN, true), add || i > 0);
    } else {
      multiply_bf16(sums, advance(left, i * 32), advance(right, i * 32),
                    bf16_product(2 * kTileM, V::kN), add || i > 0);
    }
  }
}

template <class V>
__device__ void multiply_role(const Work& work, Shared<V>& shared) {
  hopper::RingPlace<V::kStages> place;
  hopper::RingPlace<2> sums{0, 1};
  const std::uint32_t memory = shared.tensor_memory;
  for (std::uint32_t number = blockIdx.x / 2; number < work.tiles;
       number += gridDim.x / 2, sums.advance()) {
    shared.sums_empty[sums.stage].wait(sums.parity);
    fence_after_barrier();
#pragma unroll 1
    for (std::uint32_t step = 0; step < work.steps; ++step, place.advance()) {
      shared.ring.full[place.stage].wait(place.parity);
      fence_after_barrier();
      multiply_stage<V>(shared_address(shared.stages[place.stage]), memory + sums.stage * V::kN,
                        memory, step > 0);
      commit(shared.ring.empty[place.stage]);
    }
    commit(shared.sums_full[sums.stage]);
  }
}

template <class V>
__device__ void finish_role(const Work& work, Shared<V>& shared, const typename V::Finish& finish,
                            std::uint32_t rank) {
  const std::uint32_t warp = hopper::warp_index() % 4;
  hopper::RingPlace<2> sums;
  for (std::uint32_t number = blockIdx.x / 2; number < work.tiles;
       number += gridDim.x / 2, sums.advance()) {
    const Tile tile = tile_at<V>(work, number);
    const std::uint32_t row = tile.row + rank * kTileM + warp * 32 + threadIdx.x % 32;
    shared.sums_full[sums.stage].wait(sums.parity);
    fence_after_barrier();
    // A warp reads its own 32 lanes.
    const std::uint32_t place = shared.tensor_memory + sums.stage * V::kN + (warp << 21U);
#pragma unroll 1
    for (std::uint32_t column = 0; column < V::kN; column += 32) {
      float values[32];
      load_sums(values, place + column);
      if (row < work.rows) finish(values, row, tile.column + column);
    }
    fence_before_barrier();
    __syncwarp();
    if (hopper::elect()) shared.sums_empty[sums.stage].arrive_at(0);
  }
}

template <class V>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(kThreads, 1)
    gemm(const __grid_constant__ CUtensorMap left_map, const __grid_constant__ CUtensorMap right_map,
         const Work work, const typename V::Finish finish) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::aligned<Shared<V>>(memory);
  const std::uint32_t rank = hopper::cluster_rank();
  const std::uint32_t warp = hopper::warp_index();
  if (threadIdx.x == 0) {
    shared.ring.init(1);
    for (std::uint32_t i = 0; i < 2; ++i) {
      shared.sums_full[i].init(1);
      shared.sums_empty[i].init(8);  // four warps of both blocks
    }
    hopper::publish_barriers();
  }
  if (warp == 2) allocate<Sizes<V>::kColumns>(&shared.tensor_memory);
  fence_before_barrier();
  __syncthreads();
  hopper::cluster_arrive();
  hopper::cluster_wait();
  fence_after_barrier();
  if (warp == 0) {
    if (hopper::elect()) load_role<V>(left_map, right_map, work, shared, rank);
  } else if (warp == 1) {
    if (rank == 0 && hopper::elect()) multiply_role<V>(work, shared);
  } else if (warp >= 4) {
    finish_role<V>(work, shared, finish, rank);
  }
  __syncwarp();
  fence_before_barrier();
  hopper::cluster_arrive();
  hopper::cluster_wait();
  if (warp == 2) free<Sizes<V>::kColumns>(shared.tensor_memory);
}

}  // namespace blackwell
