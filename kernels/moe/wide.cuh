// SPDX-License-Identifier: Apache-2.0
//
// Many rows per expert: the kernel is compute-bound. A persistent, warp-specialised kernel as
// hopper/gemm.cuh, with the weights as the A operand and rows of x as the B operand.
//
//   stage   A: (128 of n, 64) weights, packed or bf16     B: (width rows of x, 64) bf16
//   item    D: (128 of n, width) fp32 accumulators        64 of n per consumer warpgroup
//
// Work is cut into items: a tile of an expert's weights times some of its rows, at most kMaxWidth.
// With ragged routing, full-width products would compute many rows that do not exist. So an
// expert's rows are split evenly, and products are only as wide as needed: from kMinWidth to
// kMaxWidth by kWidthStep. Few widths are possible: for more, ptxas runs out of registers and
// serialises the products (note C7512).
//
// What the weights are is P::Weights:
//
//   kStageBytes   one stage: (128 of n, 64)
//   kABuffers     A fragments in registers: 0 (A is read from shared memory) or 2 (double buffer)
//   Source        where they are in global memory
//   load()        producer: issues the load of a stage
//   mma<buffer>() consumer: issues the products of a stage, through A buffer `buffer`
//   neighbours()  of a thread's four accumulators (rows r, r + 8 of a warp's 16 of n; two rows of
//                 x), those of neighbouring n for each row of x; returns the first n
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>
#include <type_traits>

#include "../hopper/descriptor.h"
#include "../hopper/pipeline.cuh"
#include "../hopper/ptx.cuh"
#include "decode.cuh"
#include "layer.cuh"
#include "wgmma.cuh"

namespace moe {

inline constexpr std::uint32_t kMostExperts = 64;
inline constexpr std::uint32_t kWideThreads = 384;  // producer and two consumer warpgroups

struct Item {
  std::uint32_t expert;
  std::uint32_t tile;   // of 128 rows of weights
  std::uint32_t row;    // the first of x
  std::uint32_t end;    // after the last
  std::uint32_t width;  // of its products: N of wgmma
};

// --- weights -------------------------------------------------------------------------------------

// MXFP4, decoded to A fragments in registers.
struct Mxfp4Weights {
  static constexpr std::uint32_t kStageBytes = kRecordBytes;
  static constexpr std::uint32_t kABuffers = 2;
  struct Source {
    const std::uint8_t* packed;  // records of packing.h
  };

  static __device__ void load(const Source& source, const Shape& shape, const Item& item,
                              std::uint32_t block, std::uint8_t* stage, hopper::Mbarrier& full) {
    const std::size_t record =
        (static_cast<std::size_t>(item.expert) * tiles_of(shape.n) + item.tile) *
            (shape.k / kBlockK) +
        block;
    hopper::bulk_load(stage, source.packed + record * kRecordBytes, kRecordBytes,
                      hopper::shared_address(&full));
  }

  // d (64, width) (+)= A (64, 64) * B (width, 64)^T
  template <std::uint32_t kBuffer, std::uint32_t kCount>
  __device__ void mma(const std::uint8_t* stage, std::uint64_t b, float (&d)[kCount],
                      bool accumulate) {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t group = hopper::warp_index() - 4;  // of 16 rows
    Packed packed;
    packed.codes = *reinterpret_cast<const uint4*>(stage + group * 512 + lane * 16);
    packed.scales =
        *reinterpret_cast<const std::uint32_t*>(stage + kCodeBytes + group * 32 + lane / 4 * 4);
    packed.decode_all(a[kBuffer]);
    hopper::wgmma_fence();
#pragma unroll
    for (std::uint32_t step = 0; step < 4; ++step) {
      hopper::wgmma(hopper::Bf16{}, d, a[kBuffer][step],
                    hopper::advance(b, step * hopper::kStepBytes), accumulate || step > 0);
    }
    hopper::wgmma_commit_group();
  }

  // Packing made neighbours of fragment rows r and r + 8.
  static __device__ std::uint32_t neighbours(float4 d, float2& first, float2& second) {
    first = make_float2(d.x, d.z);
    second = make_float2(d.y, d.w);
    return threadIdx.x % 32 / 4 * 2;
  }

 private:
  // (64, 64) per buffer and warpgroup: one is decoded while products in flight read the other.
  std::uint32_t a[2][4][4];
};

// bf16, multiplied from shared memory.
struct Bf16Weights {
  static constexpr std::uint32_t kStageBytes = kTileRows * hopper::kRowBytes;
  static constexpr std::uint32_t kABuffers = 0;
  struct Source {
    CUtensorMap map;  // (experts * n, k), boxes of (kTileRows, 64)
  };

  // The last tile of an expert may read rows of the next expert; their results are not stored.
  static __device__ void load(const Source& source, const Shape& shape, const Item& item,
                              std::uint32_t block, std::uint8_t* stage, hopper::Mbarrier& full) {
    hopper::tma_load(stage, source.map, static_cast<int>(block * kBlockK),
                     static_cast<int>(item.expert * shape.n + item.tile * kTileRows), full);
  }

  // d (64, width) (+)= A (64, 64) * B (width, 64)^T
  template <std::uint32_t kBuffer, std::uint32_t kCount>
  __device__ void mma(const std::uint8_t* stage, std::uint64_t b, float (&d)[kCount],
                      bool accumulate) {
    const std::uint32_t warpgroup = hopper::warp_index() / 4 - 1;  // of 64 rows
    const std::uint64_t a =
        hopper::k_major(hopper::shared_address(stage) + warpgroup * 64 * hopper::kRowBytes);
    hopper::wgmma_fence();
#pragma unroll
    for (std::uint32_t step = 0; step < 4; ++step) {
      hopper::wgmma(hopper::Bf16{}, d, hopper::advance(a, step * hopper::kStepBytes),
                    hopper::advance(b, step * hopper::kStepBytes), accumulate || step > 0);
    }
    hopper::wgmma_commit_group();
  }

  // Neighbouring rows are in neighbouring groups of four lanes: even groups take both of row r, odd
  // ones both of row r + 8.
  static __device__ std::uint32_t neighbours(float4 d, float2& first, float2& second) {
    const std::uint32_t r = threadIdx.x % 32 / 4;
    const bool odd = r % 2 != 0;
    const float one = __shfl_xor_sync(0xffffffffU, odd ? d.x : d.z, 4);
    const float two = __shfl_xor_sync(0xffffffffU, odd ? d.y : d.w, 4);
    first = odd ? make_float2(one, d.z) : make_float2(d.x, one);
    second = odd ? make_float2(two, d.w) : make_float2(d.y, two);
    return odd ? r + 7 : r;
  }
};

// --- plans ---------------------------------------------------------------------------------------

struct Wide64 {
  using Weights = Mxfp4Weights;
  static constexpr std::uint32_t kMaxWidth = 64;
  static constexpr std::uint32_t kMinWidth = 32;
  static constexpr std::uint32_t kWidthStep = 32;
  static constexpr std::uint32_t kStages = 10;
};
struct Wide192 : Wide64 {
  static constexpr std::uint32_t kMaxWidth = 192;
  static constexpr std::uint32_t kMinWidth = 128;
  static constexpr std::uint32_t kStages = 7;
};
struct Wide256 : Wide64 {
  static constexpr std::uint32_t kMaxWidth = 256;
  static constexpr std::uint32_t kMinWidth = 192;
  static constexpr std::uint32_t kWidthStep = 64;
  static constexpr std::uint32_t kStages = 6;
};
struct WideBf16N64 : Wide64 {
  using Weights = Bf16Weights;
  static constexpr std::uint32_t kStages = 8;
};
struct WideBf16N192 : Wide192 {
  using Weights = Bf16Weights;
  static constexpr std::uint32_t kStages = 5;
};
struct WideBf16N256 : Wide256 {
  using Weights = Bf16Weights;
  static constexpr std::uint32_t kStages = 4;
};

// The narrowest product for so many rows.
template <class P>
__device__ std::uint32_t width_for(std::uint32_t rows) {
  if (rows <= P::kMinWidth) return P::kMinWidth;
  return P::kMinWidth + (rows - P::kMinWidth + P::kWidthStep - 1) / P::kWidthStep * P::kWidthStep;
}

// --- scheduling ----------------------------------------------------------------------------------

// Items are numbered so that those of one tile follow each other: its weights are read from memory
// once.
template <class P>
class Items {
 public:
  // starts: (experts + 1), the first item of each expert, from count().
  __device__ Items(const std::uint32_t* starts, const int* ends, std::uint32_t tiles,
                   std::uint32_t experts)
      : starts_(starts), ends_(ends), tiles_(tiles), experts_(experts) {}

  static __device__ void count(const int* ends, std::uint32_t tiles, std::uint32_t experts,
                               std::uint32_t* starts) {
    starts[0] = 0;
    for (std::uint32_t e = 0; e < experts; ++e) {
      const std::uint32_t rows = static_cast<std::uint32_t>(ends[e]) - begin_of(ends, e);
      starts[e + 1] = starts[e] + (rows + P::kMaxWidth - 1) / P::kMaxWidth * tiles;
    }
  }

  // Precondition: numbers grow from call to call.
  __device__ bool find(std::uint32_t number, Item& item) {
    while (expert_ < experts_ && number >= starts_[expert_ + 1]) ++expert_;
    if (expert_ == experts_) return false;
    const std::uint32_t begin = begin_of(ends_, expert_);
    const auto end = static_cast<std::uint32_t>(ends_[expert_]);
    const std::uint32_t inside = number - starts_[expert_];
    const std::uint32_t parts = (starts_[expert_ + 1] - starts_[expert_]) / tiles_;
    const std::uint32_t share = (end - begin + parts - 1) / parts;
    item.expert = expert_;
    item.tile = inside / parts;
    item.row = begin + (inside - item.tile * parts) * share;
    item.end = min(item.row + share, end);
    item.width = width_for<P>(share);
    return true;
  }

 private:
  const std::uint32_t* starts_;
  const int* ends_;
  std::uint32_t tiles_;
  std::uint32_t experts_;
  std::uint32_t expert_ = 0;
};

template <class P>
struct WideShared {
  std::uint8_t x[P::kStages][P::kMaxWidth * hopper::kRowBytes];  // (kMaxWidth, 64) bf16 per stage
  std::uint8_t weights[P::kStages][P::Weights::kStageBytes];     // (128, 64) per stage
  hopper::Pipeline<P::kStages> pipeline;
  std::uint32_t starts[kMostExperts + 1];
};

// --- producer ------------------------------------------------------------------------------------

// Boxes of x: (kMinWidth, 64) and (kWidthStep, 64).
struct XMaps {
  CUtensorMap least;
  CUtensorMap step;
};

// One thread.
template <class P>
__device__ void produce(const XMaps& x, const typename P::Weights::Source& source, Items<P> items,
                        const Shape& shape, WideShared<P>& shared) {
  const std::uint32_t blocks = shape.k / kBlockK;
  hopper::PipelineState<P::kStages> state{0, 1};
  Item item;
  for (std::uint32_t number = blockIdx.x; items.find(number, item); number += gridDim.x) {
#pragma unroll 1
    for (std::uint32_t block = 0; block < blocks; ++block, state.advance()) {
      hopper::Mbarrier& full = shared.pipeline.full[state.stage];
      shared.pipeline.empty[state.stage].wait(state.parity);
      full.arrive_expect_tx(item.width * hopper::kRowBytes + P::Weights::kStageBytes);
      // Rows from item.end on are loaded too; their results are not stored.
      const auto load = [&](const CUtensorMap& map, std::uint32_t row) {
        hopper::tma_load(shared.x[state.stage] + row * hopper::kRowBytes, map,
                         static_cast<int>(block * kBlockK), static_cast<int>(item.row + row), full);
      };
      load(x.least, 0);
#pragma unroll 1
      for (std::uint32_t row = P::kMinWidth; row < item.width; row += P::kWidthStep) {
        load(x.step, row);
      }
      P::Weights::load(source, shape, item, block, shared.weights[state.stage], full);
    }
  }
}

// --- consumers -----------------------------------------------------------------------------------

template <class P, bool kGated>
class Consumer {
 public:
  using Weights = typename P::Weights;

  __device__ Consumer(__nv_bfloat16* y, const Shape& shape, WideShared<P>& shared)
      : y_(y), shape_(shape), shared_(shared) {}

  __device__ void consume(const Item& item) {
    float d[P::kMaxWidth / 2];  // (64 of n, kMaxWidth): the same registers for all widths
    Weights weights;
    // The shuffle makes the width uniform: in a branch that may diverge, ptxas serialises wgmma.
    mma_of_width<P::kMaxWidth>(__shfl_sync(0xffffffffU, item.width, 0), weights, d);
    store_all(d, item);
  }

 private:
  // N is part of the instruction: there is code for each width.
  template <std::uint32_t kWidth>
  __device__ void mma_of_width(std::uint32_t width, Weights& weights,
                               float (&d)[P::kMaxWidth / 2]) {
    if constexpr (kWidth > P::kMinWidth) {
      if (width < kWidth) return mma_of_width<kWidth - P::kWidthStep>(width, weights, d);
    }
    mma_item(weights, reinterpret_cast<float(&)[kWidth / 2]>(d));
  }

  // Software pipeline: while the weights of a block are decoded, the products of the block before
  // run; those of the one before that are done, and its stage is freed.
  template <std::uint32_t kCount>
  __device__ void mma_item(Weights& weights, float (&d)[kCount]) {
    const std::uint32_t blocks = shape_.k / kBlockK;
    std::uint32_t previous = 0;  // the stage whose products are in flight
    const auto release = [&](std::uint32_t stage) {
      __syncwarp();  // all lanes have read their weights
      if (threadIdx.x % 32 < hopper::kArrivingLanes) shared_.pipeline.empty[stage].arrive();
    };
    const auto mma_block = [&](auto buffer, std::uint32_t block) {
      shared_.pipeline.full[state_.stage].wait(state_.parity);
      weights.template mma<decltype(buffer)::value>(
          shared_.weights[state_.stage],
          hopper::k_major(hopper::shared_address(shared_.x[state_.stage])), d, block > 0);
      hopper::wgmma_wait_group<1>();
      if (block > 0) release(previous);
      previous = state_.stage;
      state_.advance();
    };
    std::uint32_t block = 0;
    if constexpr (Weights::kABuffers == 2) {
#pragma unroll 1
      for (; block + 1 < blocks; block += 2) {
        mma_block(std::integral_constant<std::uint32_t, 0>{}, block);
        mma_block(std::integral_constant<std::uint32_t, 1>{}, block + 1);
      }
    }
#pragma unroll 1
    for (; block < blocks; ++block) {
      mma_block(std::integral_constant<std::uint32_t, 0>{}, block);
    }
    hopper::wgmma_wait_group<0>();
    release(previous);
  }

  // y (rows of x, 16 of n per warp), eight rows of x at a time.
  __device__ void store_all(const float (&d)[P::kMaxWidth / 2], const Item& item) const {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t first = item.tile * kTileRows + (hopper::warp_index() - 4) * 16;
#pragma unroll
    for (std::uint32_t i = 0; i < P::kMaxWidth / 8; ++i) {
      float2 one;
      float2 two;
      const std::uint32_t n =
          first + Weights::neighbours(
                      make_float4(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]), one, two);
      const std::uint32_t row = item.row + i * 8 + lane % 4 * 2;
      if (n >= shape_.n) continue;
      if (row < item.end) store<kGated>(y_, shape_, row, n, one.x, one.y);
      if (row + 1 < item.end) store<kGated>(y_, shape_, row + 1, n, two.x, two.y);
    }
  }

  __nv_bfloat16* y_;
  const Shape& shape_;
  WideShared<P>& shared_;
  hopper::PipelineState<P::kStages> state_;
};

// Grid: one block per SM. Dynamic shared memory: sizeof(WideShared<P>) + hopper::kAtomBytes.
template <class P, bool kGated>
__global__ void __launch_bounds__(kWideThreads, 1)
    wide(const __grid_constant__ XMaps x,
         const __grid_constant__ typename P::Weights::Source source, const int* ends,
         __nv_bfloat16* y, const Shape shape) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::align_shared<WideShared<P>>(memory);
  const std::uint32_t tiles = tiles_of(shape.n);
  if (threadIdx.x == 0) {
    shared.pipeline.init(8 * hopper::kArrivingLanes);
    hopper::fence_mbarrier_init();
    Items<P>::count(ends, tiles, shape.experts, shared.starts);
  }
  __syncthreads();
  Items<P> items(shared.starts, ends, tiles, shape.experts);
  if (threadIdx.x < 128) {
    hopper::setmaxnreg_dec<24>();
    if (hopper::warp_index() == 0 && hopper::elect_one()) {
      produce<P>(x, source, items, shape, shared);
    }
  } else {
    hopper::setmaxnreg_inc<240>();
    Consumer<P, kGated> consumer(y, shape, shared);
    Item item;
    for (std::uint32_t number = blockIdx.x; items.find(number, item); number += gridDim.x) {
      consumer.consume(item);
    }
  }
}

}  // namespace moe
