// SPDX-License-Identifier: Apache-2.0
//
// The GEMM of kernels/hopper/gemm.cuh on Blackwell: a pair of blocks multiplies 256 rows, warps are
// specialised, and accumulators are double-buffered in tensor memory, so that the epilogue of one
// tile runs under the products of the next.
//
//   warp 0     producer: TMA loads of operands, and of scales where there are some
//   warp 1     MMA: one thread of the first block issues for both
//   warp 2     allocates tensor memory
//   warps 4-7  epilogue: a thread has one row, 32 columns at a time
//
//   stage   A: (128, 128 B) and B: (kN / 2, 128 B) per block, and the scales of 256 values along K
//   tile    D: (256, kN) fp32 accumulators, (128, kN) in the tensor memory of each block, twice
//
// Never run: there is no such GPU here. Its SASS is asserted over (tests/cli/twins_test.py), and
// its descriptors are checked against the documentation (tests/unit/blackwell_descriptor_test.cpp).
#pragma once

#include <cstdint>

#include "../hopper/pipeline.cuh"
#include "tcgen05.cuh"

namespace blackwell {

using hopper::kRowBytes;
inline constexpr std::uint32_t kTileM = 128;  // of each block
inline constexpr std::uint32_t kThreads = 256;
inline constexpr std::uint32_t kScaleBlock = 512;

// A plan P: kN (of the tile), kStages, kStepValues (along K per stage), kScaled, Epilogue.
template <class P>
struct Sizes {
  static constexpr std::uint32_t kBRows = P::kN / 2;  // of each block
  // Scales of 256 values along K: a block of 512 bytes per 64 of them and 128 rows.
  static constexpr std::uint32_t kScaleBlocks = P::kScaled ? 4 : 0;
  static constexpr std::uint32_t kA = kTileM * kRowBytes;  // (128, 128 B)
  static constexpr std::uint32_t kB = kBRows * kRowBytes;  // (kN / 2, 128 B)
  static constexpr std::uint32_t kScales = kScaleBlocks * kScaleBlock;
  static constexpr std::uint32_t kStage = kA + kB + 2 * kScales;
  // Columns of tensor memory: two accumulators, then the scales of a stage.
  static constexpr std::uint32_t kAScales = 2 * P::kN;
  static constexpr std::uint32_t kBScales = kAScales + 4 * kScaleBlocks;
  static constexpr std::uint32_t kColumns = 512;
  static_assert(kBScales + 4 * kScaleBlocks <= kColumns);
  static_assert(!P::kScaled || P::kN == 128, "one block of scales for all rows of B");
};

template <class P>
struct Shared {
  std::uint8_t stages[P::kStages][Sizes<P>::kStage];
  hopper::Pipeline<P::kStages> pipeline;
  Mbarrier accumulator_full[2];
  Mbarrier accumulator_empty[2];
  std::uint32_t tensor_memory;
};

struct Work {
  std::uint32_t m;
  std::uint32_t n;
  std::uint32_t k_steps;  // stages along K: 128 bytes each
  std::uint32_t tiles;    // (256, kN) each, one per pair of blocks
  std::uint32_t tiles_n;  // along N
  // Blocks of 512 bytes for 128 rows and 64 values along K, K-first.
  const std::uint8_t* a_scales;
  const std::uint8_t* b_scales;
};

struct Tile {
  std::uint32_t row;
  std::uint32_t column;
};
template <class P>
__device__ Tile tile_at(const Work& work, std::uint32_t number) {
  const std::uint32_t row = number / work.tiles_n;
  return {row * 2 * kTileM, (number - row * work.tiles_n) * P::kN};
}

// Both blocks load their halves of the stage; the bytes of both complete the first block's
// mbarrier, where the products are issued.
template <class P>
__device__ void load_role(const CUtensorMap& a_map, const CUtensorMap& b_map, const Work& work,
                          Shared<P>& shared, std::uint32_t rank) {
  using Size = Sizes<P>;
  hopper::PipelineState<P::kStages> state{0, 1};
  for (std::uint32_t number = blockIdx.x / 2; number < work.tiles; number += gridDim.x / 2) {
    const Tile tile = tile_at<P>(work, number);
    const std::uint32_t a_row = tile.row + rank * kTileM;
#pragma unroll 1
    for (std::uint32_t step = 0; step < work.k_steps; ++step, state.advance()) {
      shared.pipeline.empty[state.stage].wait(state.parity);
      Mbarrier& full = shared.pipeline.full[state.stage];
      if (rank == 0) full.arrive_expect_tx(2 * Size::kStage);
      const std::uint32_t mbarrier = hopper::map_to_rank(shared_address(&full), 0);
      std::uint8_t* const stage = shared.stages[state.stage];
      const auto k = static_cast<int>(step * P::kStepValues);
      tma_load_pair(stage, a_map, k, static_cast<int>(a_row), mbarrier);
      tma_load_pair(stage + Size::kA, b_map, k, static_cast<int>(tile.column + rank * Size::kBRows),
                    mbarrier);
      if constexpr (P::kScaled) {
        // Of A the scales of this block's rows; of B those of all, which both blocks multiply with.
        const auto scales = [&](const std::uint8_t* all, std::uint32_t row) {
          return all + (static_cast<std::size_t>(row / 128) * work.k_steps + step) * Size::kScales;
        };
        std::uint8_t* const target = stage + Size::kA + Size::kB;
        hopper::bulk_load(target, scales(work.a_scales, a_row), Size::kScales, mbarrier);
        hopper::bulk_load(target + Size::kScales, scales(work.b_scales, tile.column), Size::kScales,
                          mbarrier);
      }
    }
  }
}

// Issues the products of one stage: d (256, kN) (+)= A (256, 128 B) * B (kN, 128 B)^T.
template <class P>
__device__ void mma_stage(std::uint32_t stage, std::uint32_t d, std::uint32_t memory,
                          bool accumulate) {
  using Size = Sizes<P>;
  const std::uint64_t a = k_major(stage);
  const std::uint64_t b = k_major(stage + Size::kA);
  if constexpr (P::kScaled) {
    const std::uint64_t scales = scale_block(stage + Size::kA + Size::kB);
#pragma unroll
    for (std::uint32_t i = 0; i < Size::kScaleBlocks; ++i) {
      copy_scales(memory + Size::kAScales + 4 * i, advance(scales, i * kScaleBlock));
      copy_scales(memory + Size::kBScales + 4 * i,
                  advance(scales, Size::kScales + i * kScaleBlock));
    }
  }
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if constexpr (P::kScaled) {
      mma_block_scaled(d, advance(a, i * 32), advance(b, i * 32), memory + Size::kAScales + 4 * i,
                       memory + Size::kBScales + 4 * i,
                       block_scaled_instruction(2 * kTileM, P::kN, true), accumulate || i > 0);
    } else {
      mma_bf16(d, advance(a, i * 32), advance(b, i * 32), bf16_instruction(2 * kTileM, P::kN),
               accumulate || i > 0);
    }
  }
}

template <class P>
__device__ void mma_role(const Work& work, Shared<P>& shared) {
  hopper::PipelineState<P::kStages> state;
  hopper::PipelineState<2> accumulator{0, 1};
  const std::uint32_t memory = shared.tensor_memory;
  for (std::uint32_t number = blockIdx.x / 2; number < work.tiles;
       number += gridDim.x / 2, accumulator.advance()) {
    shared.accumulator_empty[accumulator.stage].wait(accumulator.parity);
    tcgen05_fence_after();
#pragma unroll 1
    for (std::uint32_t step = 0; step < work.k_steps; ++step, state.advance()) {
      shared.pipeline.full[state.stage].wait(state.parity);
      tcgen05_fence_after();
      mma_stage<P>(shared_address(shared.stages[state.stage]), memory + accumulator.stage * P::kN,
                   memory, step > 0);
      tcgen05_commit(shared.pipeline.empty[state.stage]);
    }
    tcgen05_commit(shared.accumulator_full[accumulator.stage]);
  }
}

template <class P>
__device__ void epilogue_role(const Work& work, Shared<P>& shared,
                              const typename P::Epilogue& epilogue, std::uint32_t rank) {
  const std::uint32_t warp = hopper::warp_index() % 4;
  hopper::PipelineState<2> accumulator;
  for (std::uint32_t number = blockIdx.x / 2; number < work.tiles;
       number += gridDim.x / 2, accumulator.advance()) {
    const Tile tile = tile_at<P>(work, number);
    const std::uint32_t row = tile.row + rank * kTileM + warp * 32 + threadIdx.x % 32;
    shared.accumulator_full[accumulator.stage].wait(accumulator.parity);
    tcgen05_fence_after();
    // A warp can read its own 32 lanes only.
    const std::uint32_t address = shared.tensor_memory + accumulator.stage * P::kN + (warp << 21U);
#pragma unroll 1
    for (std::uint32_t column = 0; column < P::kN; column += 32) {
      float d[32];  // of one row
      tmem_load(d, address + column);
      if (row < work.m) epilogue(d, row, tile.column + column);
    }
    tcgen05_fence_before();
    __syncwarp();
    if (hopper::elect_one()) shared.accumulator_empty[accumulator.stage].arrive_remote(0);
  }
}

template <class P>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(kThreads, 1)
    gemm(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
         const Work work, const typename P::Epilogue epilogue) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::align_shared<Shared<P>>(memory);
  const std::uint32_t rank = hopper::cluster_rank();
  const std::uint32_t warp = hopper::warp_index();
  if (threadIdx.x == 0) {
    shared.pipeline.init(1);
    for (std::uint32_t i = 0; i < 2; ++i) {
      shared.accumulator_full[i].init(1);
      shared.accumulator_empty[i].init(8);  // four warps of both blocks
    }
    hopper::fence_mbarrier_init();
  }
  if (warp == 2) tmem_alloc<Sizes<P>::kColumns>(&shared.tensor_memory);
  tcgen05_fence_before();
  __syncthreads();
  hopper::cluster_arrive();
  hopper::cluster_wait();
  tcgen05_fence_after();
  if (warp == 0) {
    if (hopper::elect_one()) load_role<P>(a_map, b_map, work, shared, rank);
  } else if (warp == 1) {
    if (rank == 0 && hopper::elect_one()) mma_role<P>(work, shared);
  } else if (warp >= 4) {
    epilogue_role<P>(work, shared, epilogue, rank);
  }
  __syncwarp();
  tcgen05_fence_before();
  hopper::cluster_arrive();
  hopper::cluster_wait();
  if (warp == 2) tmem_dealloc<Sizes<P>::kColumns>(shared.tensor_memory);
}

}  // namespace blackwell
