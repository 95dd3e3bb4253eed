// SPDX-License-Identifier: Apache-2.0
//
// Many rows an expert: the products bind. One thread fills a ring of stages with weights and rows of
// x; two warpgroups multiply. Work is cut into items: a tile of an expert's weights times some of
// its rows, at most Widths::kMost. Ragged routing must not pay for many rows that nobody has, so
// an expert's rows are split evenly, and products are as narrow as Widths lets them be. Only a few
// widths fit: for more, ptxas finds no registers and puts the products one after the other (note
// C7512).
//
// What the weights are is a type W:
//
//   kStageBytes   of one stage: 128 rows, 64 along K
//   kFragments    of weights, that a thread keeps in registers: 0 none, 2 by turns
//   Source        where they are in memory
//   load()        brings a stage; the producer
//   multiply<f>() begins the products of a stage, by way of fragment f
//   pairs()       of a thread's four sums (rows r, r + 8 of a warp's sixteen; two rows of x), those
//                 of neighbouring n for each row of x
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>
#include <type_traits>

#include "../hopper/barrier.cuh"
#include "../hopper/copy.cuh"
#include "../hopper/descriptor.h"
#include "../hopper/warp.cuh"
#include "../hopper/wgmma.cuh"
#include "decode.cuh"
#include "layer.cuh"

namespace moe {

inline constexpr std::uint32_t kMostExperts = 64;
inline constexpr std::uint32_t kWideThreads = 384;

// Of products, in columns.
template <std::uint32_t kMostColumns, std::uint32_t kLeastColumns, std::uint32_t kStepColumns>
struct Widths {
  static constexpr std::uint32_t kMost = kMostColumns;
  static constexpr std::uint32_t kLeast = kLeastColumns;
  static constexpr std::uint32_t kStep = kStepColumns;

  // The narrowest that is enough.
  static __device__ std::uint32_t at_least(std::uint32_t rows) {
    return rows <= kLeast ? kLeast : kLeast + (rows - kLeast + kStep - 1) / kStep * kStep;
  }
};

struct Item {
  std::uint32_t expert;
  std::uint32_t tile;   // of the weights
  std::uint32_t row;    // the first of x
  std::uint32_t end;    // behind the last
  std::uint32_t width;  // of its products
};

// Items of one tile follow each other, so that its weights come from memory once.
template <class Widths>
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
      starts[e + 1] = starts[e] + (rows + Widths::kMost - 1) / Widths::kMost * tiles;
    }
  }

  // Numbers only grow from call to call.
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
    item.width = Widths::at_least(share);
    return true;
  }

 private:
  const std::uint32_t* starts_;
  const int* ends_;
  std::uint32_t tiles_;
  std::uint32_t experts_;
  std::uint32_t expert_ = 0;
};

// 4-bit weights, decoded into the registers from which the products read them.
struct PackedWeights {
  static constexpr std::uint32_t kStageBytes = kRecordBytes;
  static constexpr std::uint32_t kFragments = 2;
  struct Source {
    const std::uint8_t* packed;
  };

  static __device__ void load(const Source& source, const Shape& shape, const Item& item,
                              std::uint32_t block, std::uint8_t* stage, hopper::Barrier& full) {
    const std::size_t record =
        (static_cast<std::size_t>(item.expert) * tiles_of(shape.n) + item.tile) *
            (shape.k / kBlockK) +
        block;
    hopper::load_bytes(stage, source.packed + record * kRecordBytes, kRecordBytes,
                       hopper::shared_address(&full));
  }

  template <std::uint32_t kFragment, std::uint32_t kCount>
  __device__ void multiply(const std::uint8_t* stage, std::uint64_t right, float (&sums)[kCount],
                           bool add) {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t group = hopper::warp_index() - 4;  // of sixteen rows
    Packed packed;
    packed.codes = *reinterpret_cast<const uint4*>(stage + group * 512 + lane * 16);
    packed.scales =
        *reinterpret_cast<const std::uint32_t*>(stage + kCodeBytes + group * 32 + lane / 4 * 4);
    packed.decode_all(left[kFragment]);
    hopper::arrive();
#pragma unroll
    for (std::uint32_t step = 0; step < 4; ++step) {
      hopper::multiply(hopper::Bf16{}, sums, left[kFragment][step], hopper::advance(right, step * 32),
                       add || step > 0);
    }
    hopper::commit();
  }

  // Packing made neighbours of fragment rows r and r + 8. The number is the pair's first n.
  static __device__ std::uint32_t pairs(float4 sums, float2& first, float2& second) {
    first = make_float2(sums.x, sums.z);
    second = make_float2(sums.y, sums.w);
    return threadIdx.x % 32 / 4 * 2;
  }

 private:
  // Of one block while the products of the one before read theirs.
  std::uint32_t left[2][4][4];
};

// bf16 weights, multiplied from shared memory as they are.
struct PlainWeights {
  static constexpr std::uint32_t kStageBytes = kTileRows * hopper::kRowBytes;
  static constexpr std::uint32_t kFragments = 0;
  struct Source {
    CUtensorMap map;  // (experts * n, k), tiles of kTileRows
  };

  // The last tile of an expert may read the next one's rows, and belongs there to nobody.
  static __device__ void load(const Source& source, const Shape& shape, const Item& item,
                              std::uint32_t block, std::uint8_t* stage, hopper::Barrier& full) {
    hopper::load_tile(stage, source.map, static_cast<int>(block * kBlockK),
                      static_cast<int>(item.expert * shape.n + item.tile * kTileRows), full);
  }

  template <std::uint32_t kFragment, std::uint32_t kCount>
  __device__ void multiply(const std::uint8_t* stage, std::uint64_t right, float (&sums)[kCount],
                           bool add) {
    const std::uint32_t warpgroup = hopper::warp_index() / 4 - 1;  // of 64 rows
    const std::uint64_t left =
        hopper::k_major(hopper::shared_address(stage) + warpgroup * 64 * hopper::kRowBytes);
    hopper::arrive();
#pragma unroll
    for (std::uint32_t step = 0; step < 4; ++step) {
      hopper::multiply(hopper::Bf16{}, sums, hopper::advance(left, step * 32),
                       hopper::advance(right, step * 32), add || step > 0);
    }
    hopper::commit();
  }

  // Neighbouring rows are in neighbouring groups of four lanes: even ones take both of row r, odd
  // ones both of row r + 8.
  static __device__ std::uint32_t pairs(float4 sums, float2& first, float2& second) {
    const std::uint32_t r = threadIdx.x % 32 / 4;
    const bool odd = r % 2 != 0;
    const float one = __shfl_xor_sync(0xffffffffU, odd ? sums.x : sums.z, 4);
    const float two = __shfl_xor_sync(0xffffffffU, odd ? sums.y : sums.w, 4);
    first = odd ? make_float2(one, sums.z) : make_float2(sums.x, one);
    second = odd ? make_float2(two, sums.w) : make_float2(sums.y, two);
    return odd ? r + 7 : r;
  }
};

template <class W, class Widths, std::uint32_t kStages>
struct WideShared {
  std::uint8_t x[kStages][Widths::kMost * hopper::kRowBytes];
  std::uint8_t weights[kStages][W::kStageBytes];
  hopper::Ring<kStages> ring;
  std::uint32_t starts[kMostExperts + 1];
};

// x comes in tiles of the least width and of steps.
struct XMaps {
  CUtensorMap least;
  CUtensorMap step;
};

template <class W, class Widths, std::uint32_t kStages>
__device__ void produce(const XMaps& x, const typename W::Source& source, Items<Widths> items,
                        const Shape& shape, WideShared<W, Widths, kStages>& shared) {
  const std::uint32_t blocks = shape.k / kBlockK;
  hopper::RingPlace<kStages> place{0, 1};
  Item item;
  for (std::uint32_t number = blockIdx.x; items.find(number, item); number += gridDim.x) {
#pragma unroll 1
    for (std::uint32_t block = 0; block < blocks; ++block, place.advance()) {
      hopper::Barrier& full = shared.ring.full[place.stage];
      shared.ring.empty[place.stage].wait(place.parity);
      full.expect(item.width * hopper::kRowBytes + W::kStageBytes);
      // Rows beyond the item's are read too, and belong to nobody.
      const auto load = [&](const CUtensorMap& map, std::uint32_t row) {
        hopper::load_tile(shared.x[place.stage] + row * hopper::kRowBytes, map,
                          static_cast<int>(block * kBlockK), static_cast<int>(item.row + row), full);
      };
      load(x.least, 0);
#pragma unroll 1
      for (std::uint32_t row = Widths::kLeast; row < item.width; row += Widths::kStep) {
        load(x.step, row);
      }
      W::load(source, shape, item, block, shared.weights[place.stage], full);
    }
  }
}

template <class W, class Widths, std::uint32_t kStages, bool kGated>
class Consumer {
 public:
  __device__ Consumer(__nv_bfloat16* y, const Shape& shape, WideShared<W, Widths, kStages>& shared)
      : y_(y), shape_(shape), shared_(shared) {}

  __device__ void consume(const Item& item) {
    // All widths in the same registers.
    float sums[Widths::kMost / 2];
    W weights;
    // Known to be the same in all lanes; a branch that may diverge would serialise the products.
    multiply_as<Widths::kMost>(__shfl_sync(0xffffffffU, item.width, 0), weights, sums);
    store_all(sums, item);
  }

 private:
  // The number of columns is part of an instruction: code for each.
  template <std::uint32_t kColumns>
  __device__ void multiply_as(std::uint32_t width, W& weights, float (&sums)[Widths::kMost / 2]) {
    if constexpr (kColumns > Widths::kLeast) {
      if (width < kColumns) return multiply_as<kColumns - Widths::kStep>(width, weights, sums);
    }
    multiply(weights, reinterpret_cast<float(&)[kColumns / 2]>(sums));
  }

  // While a block's weights are made ready, the products of the block before run; those of the one
  // before that are over, and so is its stage.
  template <std::uint32_t kCount>
  __device__ void multiply(W& weights, float (&sums)[kCount]) {
    const std::uint32_t blocks = shape_.k / kBlockK;
    std::uint32_t before = 0;  // the stage whose products are under way
    const auto release = [&](std::uint32_t stage) {
      __syncwarp();  // all lanes have read their weights
      if (threadIdx.x % 32 < hopper::kArrivingLanes) shared_.ring.empty[stage].arrive();
    };
    const auto multiply_block = [&](auto fragment, std::uint32_t block) {
      shared_.ring.full[place_.stage].wait(place_.parity);
      weights.template multiply<decltype(fragment)::value>(
          shared_.weights[place_.stage],
          hopper::k_major(hopper::shared_address(shared_.x[place_.stage])), sums, block > 0);
      hopper::wait<1>();
      if (block > 0) release(before);
      before = place_.stage;
      place_.advance();
    };
    std::uint32_t block = 0;
    if constexpr (W::kFragments == 2) {
#pragma unroll 1
      for (; block + 1 < blocks; block += 2) {
        multiply_block(std::integral_constant<std::uint32_t, 0>{}, block);
        multiply_block(std::integral_constant<std::uint32_t, 1>{}, block + 1);
      }
    }
#pragma unroll 1
    for (; block < blocks; ++block) {
      multiply_block(std::integral_constant<std::uint32_t, 0>{}, block);
    }
    hopper::wait<0>();
    release(before);
  }

  __device__ void store_all(const float (&sums)[Widths::kMost / 2], const Item& item) const {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t first = item.tile * kTileRows + (hopper::warp_index() - 4) * 16;
#pragma unroll
    for (std::uint32_t i = 0; i < Widths::kMost / 8; ++i) {
      float2 one;
      float2 two;
      const std::uint32_t n =
          first +
          W::pairs(make_float4(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]), one,
                   two);
      const std::uint32_t row = item.row + i * 8 + lane % 4 * 2;
      if (n >= shape_.n) continue;
      if (row < item.end) store<kGated>(y_, shape_, row, n, one.x, one.y);
      if (row + 1 < item.end) store<kGated>(y_, shape_, row + 1, n, two.x, two.y);
    }
  }

  __nv_bfloat16* y_;
  const Shape& shape_;
  WideShared<W, Widths, kStages>& shared_;
  hopper::RingPlace<kStages> place_;
};

// One thread loads, two warpgroups multiply.
template <class W, class Widths, std::uint32_t kStages, bool kGated>
__global__ void __launch_bounds__(kWideThreads, 1)
    wide(const __grid_constant__ XMaps x, const __grid_constant__ typename W::Source source,
         const int* ends, __nv_bfloat16* y, const Shape shape) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::aligned<WideShared<W, Widths, kStages>>(memory);
  const std::uint32_t tiles = tiles_of(shape.n);
  if (threadIdx.x == 0) {
    shared.ring.init(8 * hopper::kArrivingLanes);
    hopper::publish_barriers();
    Items<Widths>::count(ends, tiles, shape.experts, shared.starts);
  }
  __syncthreads();
  Items<Widths> items(shared.starts, ends, tiles, shape.experts);
  if (threadIdx.x < 128) {
    hopper::give_up_registers<24>();
    if (hopper::warp_index() == 0 && hopper::elect()) {
      produce<W, Widths, kStages>(x, source, items, shape, shared);
    }
  } else {
    hopper::take_registers<240>();
    Consumer<W, Widths, kStages, kGated> consumer(y, shape, shared);
    Item item;
    for (std::uint32_t number = blockIdx.x; items.find(number, item); number += gridDim.x) {
      consumer.consume(item);
    }
  }
}

}  // namespace moe
