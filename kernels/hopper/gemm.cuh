// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices that keeps the tensor cores busy, for any type of elements and any ending:
//
//   y[m, n] = finish( sum over k of left[m, k] * right[n, k] )
//
//   left: (M, K), right: (N, K), y: (M, N), each row-major; y has 16-bit elements
//
// A block has three warpgroups. One thread of the first fills a ring of stages with tiles that the
// copy engine brings, 128 bytes along K each; the other two warpgroups multiply and finish. What a
// Plan may choose is what a profile asks for, one after the other:
//
//   store       how results leave
//   persistent  a block for each SM works through many tiles, so that loads never pause
//   pingpong    the two warpgroups take whole tiles in turn: one multiplies while the other finishes
//   cluster     two blocks share each tile of `right`, which comes from L2 once for both
//
// A kernel is described by a type V:
//
//   struct V {
//     static constexpr hopper::Plan kPlan{...};
//     using Element = hopper::Bf16;
//     using Finish = ...;   // what happens to sums before they are stored: see FragmentStore
//   };
#pragma once

#include <cstdint>

#include "barrier.cuh"
#include "copy.cuh"
#include "descriptor.h"
#include "warp.cuh"
#include "wgmma.cuh"

namespace hopper {

inline constexpr std::uint32_t kTileM = 128;
inline constexpr std::uint32_t kThreads = 384;

enum class Store {
  kWaited,  // through shared memory by the copy engine, waited for at once
  kDirect,  // from registers, 16 bytes a thread
  kQueued,  // through shared memory, waited for when the buffer is needed again
};

struct Plan {
  std::uint32_t tile_n = 256;
  std::uint32_t stages = 4;
  std::uint32_t buffers = 2;  // of each warp, for stores: 16 rows of 128 bytes
  std::uint32_t cluster = 1;
  bool pingpong = false;
  bool persistent = false;
  Store store = Store::kWaited;

  // Of 64 rows, that a warpgroup multiplies at a time.
  __host__ __device__ constexpr std::uint32_t fragments() const { return pingpong ? 2 : 1; }
};

// What a block has in shared memory; the tiles first, since they must begin at multiples of 1024.
template <class V>
struct Shared {
  std::uint8_t left[V::kPlan.stages][kTileM * kRowBytes];
  std::uint8_t right[V::kPlan.stages][V::kPlan.tile_n * kRowBytes];
  std::uint8_t y[8][V::kPlan.buffers][16 * kRowBytes];  // by warp of the consumers
  Ring<V::kPlan.stages> ring;

  static constexpr std::uint32_t kBytes = sizeof(std::uint8_t[V::kPlan.stages][kTileM * kRowBytes]) +
                                          V::kPlan.stages * V::kPlan.tile_n * kRowBytes +
                                          8 * V::kPlan.buffers * 16 * kRowBytes +
                                          sizeof(Ring<V::kPlan.stages>) + kTileAlignment;
};

struct Work {
  std::uint32_t rows;     // of y
  std::uint32_t columns;  // of y, and its pitch
  std::uint32_t steps;    // along K: 128 bytes each
  std::uint32_t tiles;    // a cluster's tile is kTileM rows for each of its blocks
  std::uint32_t tiles_n;  // beside each other
  std::uint16_t* y;
};

struct Tile {
  std::uint32_t row;
  std::uint32_t column;
};

// Tiles of one row of tiles follow each other, so that `left` is read from memory once.
template <class V>
__device__ Tile tile_at(const Work& work, std::uint32_t number) {
  const std::uint32_t row = number / work.tiles_n;
  return {row * kTileM * V::kPlan.cluster, (number - row * work.tiles_n) * V::kPlan.tile_n};
}

// The four 32-bit words of each of four neighbouring lanes, transposed: lane q gets word q of all.
__device__ inline uint4 transpose(uint4 words, std::uint32_t q) {
  const auto exchange = [](std::uint32_t& a, std::uint32_t& b, bool upper, int distance) {
    const std::uint32_t sent = upper ? a : b;
    const std::uint32_t got = __shfl_xor_sync(0xffffffffU, sent, distance);
    (upper ? a : b) = got;
  };
  const bool odd = (q & 1U) != 0;
  exchange(words.x, words.y, odd, 1);
  exchange(words.z, words.w, odd, 1);
  const bool second = (q & 2U) != 0;
  exchange(words.x, words.z, second, 2);
  exchange(words.y, words.w, second, 2);
  return words;
}

// A warp's part of a tile on its way from sums to memory: sixteen rows of each fragment of 64. Lane
// 4r + q has, of rows r and r + 8, columns 8i + 2q and 8i + 2q + 1 of every eight.
//
// V::Finish turns the 16 sums that a lane has of 32 columns into 16-bit pairs, four of each row:
//
//   void operator()(const float* sums, std::uint32_t row, std::uint32_t column, uint4& upper,
//                   uint4& lower)
//
// where row is the lane's upper one and column the first of the 32; sums[4i], [4i + 1] are the
// upper row's, the next two the lower's.
template <class V>
class FragmentStore {
 public:
  __device__ FragmentStore(const CUtensorMap& y_map, const Work& work, std::uint8_t* buffers)
      : y_map_(y_map), work_(work), buffers_(buffers), lane_(threadIdx.x % 32) {}

  // Row and column are those of the first sum in y. Column after column, so that what belongs to a
  // column is loaded once for all fragments and not kept.
  template <std::uint32_t kFragments, std::uint32_t kCount>
  __device__ void store(const float (&sums)[kFragments][kCount], std::uint32_t row,
                        std::uint32_t column, const typename V::Finish& finish) {
    static_assert(V::kPlan.store == Store::kDirect || V::kPlan.buffers >= kFragments,
                  "each fragment fills a buffer before one is sent");
    std::uint8_t* buffers[kFragments] = {};
#pragma unroll
    for (std::uint32_t part = 0; part < kCount / 16; ++part) {
      const std::uint32_t at = column + part * 32;
#pragma unroll
      for (std::uint32_t i = 0; i < kFragments; ++i) {
        uint4 upper;
        uint4 lower;
        finish(&sums[i][part * 16], row + i * 64 + lane_ / 4, at, upper, lower);
        if constexpr (V::kPlan.store == Store::kDirect) {
          store_direct(upper, lower, row + i * 64, at);
        } else {
          if (part % 2 == 0) buffers[i] = claim();
          fill(upper, lower, part % 2, buffers[i]);
          if (part % 2 == 1) send(buffers[i], row + i * 64, at - 32);
        }
      }
    }
  }

 private:
  // Half of a buffer: rows 0-7 and 8-15 of eight columns, then of the next eight. Even chunks differ
  // from the first in bits that the swizzle only flips, so one address serves all.
  __device__ void fill(uint4 upper, uint4 lower, std::uint32_t half, std::uint8_t* buffer) const {
    const std::uint32_t first = shared_address(buffer) + swizzled(lane_ % 16, lane_ / 16 * 16);
    store_matrices(first ^ (half * 64), upper.x, lower.x, upper.y, lower.y);
    store_matrices(first ^ (half * 64 + 32), upper.z, lower.z, upper.w, lower.w);
  }

  __device__ void store_direct(uint4 upper, uint4 lower, std::uint32_t row,
                               std::uint32_t column) const {
    const std::uint32_t q = lane_ % 4;
    const auto put = [&](uint4 words, std::uint32_t r) {
      const uint4 line = transpose(words, q);  // columns 8q to 8q + 7
      const std::uint32_t c = column + q * 8;
      if (r >= work_.rows || c >= work_.columns) return;
      *reinterpret_cast<uint4*>(work_.y + static_cast<std::size_t>(r) * work_.columns + c) = line;
    };
    put(upper, row + lane_ / 4);
    put(lower, row + lane_ / 4 + 8);
  }

  // The next buffer, which no store reads any more.
  __device__ std::uint8_t* claim() {
    if (elect()) wait_stores_read<static_cast<int>(V::kPlan.buffers) - 1>();
    __syncwarp();
    std::uint8_t* const buffer = buffers_ + next_ * 16 * kRowBytes;
    next_ = (next_ + 1) % V::kPlan.buffers;
    return buffer;
  }

  __device__ void send(const std::uint8_t* buffer, std::uint32_t row, std::uint32_t column) {
    fence_for_copies();
    __syncwarp();
    if (!elect()) return;
    store_tile(y_map_, static_cast<int>(column), static_cast<int>(row), buffer, kEvictFirst);
    commit_stores();
    if constexpr (V::kPlan.store == Store::kWaited) wait_stores();
  }

  const CUtensorMap& y_map_;
  const Work& work_;
  std::uint8_t* buffers_;  // this warp's
  std::uint32_t lane_;
  std::uint32_t next_ = 0;
};

// Fills the ring; one thread.
template <class V>
__device__ void produce(const CUtensorMap& left_map, const CUtensorMap& right_map, const Work& work,
                        Shared<V>& shared) {
  constexpr Plan kPlan = V::kPlan;
  constexpr std::uint32_t kShare = kPlan.tile_n / kPlan.cluster;  // of right, that this block loads
  constexpr int kStep = kRowBytes / V::Element::kBytes;
  const std::uint32_t rank = kPlan.cluster > 1 ? cluster_rank() : 0;
  RingPlace<kPlan.stages> place{0, 1};
  for (std::uint32_t number = blockIdx.x / kPlan.cluster; number < work.tiles;
       number += gridDim.x / kPlan.cluster) {
    const Tile tile = tile_at<V>(work, number);
    const auto left_row = static_cast<int>(tile.row + rank * kTileM);
    const auto right_row = static_cast<int>(tile.column + rank * kShare);
#pragma unroll 1  // it has few registers
    for (std::uint32_t step = 0; step < work.steps; ++step, place.advance()) {
      Barrier& full = shared.ring.full[place.stage];
      shared.ring.empty[place.stage].wait(place.parity);
      full.expect(sizeof shared.left[0] + sizeof shared.right[0]);
      const int k = static_cast<int>(step) * kStep;
      load_tile(shared.left[place.stage], left_map, k, left_row, full);
      if constexpr (kPlan.cluster > 1) {
        load_tile(shared.right[place.stage] + rank * kShare * kRowBytes, right_map, k, right_row,
                  full, (1U << kPlan.cluster) - 1);
      } else {
        load_tile(shared.right[place.stage], right_map, k, right_row, full);
      }
    }
  }
}

// Whose turn it is to multiply, where two warpgroups do so in turn.
struct Turns {
  static __device__ void wait(std::uint32_t consumer) {
    if (consumer == 0) {
      named_sync<1>(256);
    } else {
      named_sync<2>(256);
    }
  }
  static __device__ void pass_on(std::uint32_t consumer) {
    if (consumer == 0) {
      named_arrive<2>(256);
    } else {
      named_arrive<1>(256);
    }
  }
};

// One stage's products are begun: 128 bytes along K.
template <class V, std::uint32_t kFragments, std::uint32_t kCount>
__device__ void multiply_stage(std::uint32_t left_address, std::uint32_t right_address,
                               float (&sums)[kFragments][kCount], bool add) {
  const std::uint64_t left = k_major(left_address);
  const std::uint64_t right = k_major(right_address);
  arrive();
#pragma unroll
  for (std::uint32_t k = 0; k < kRowBytes; k += 32) {
#pragma unroll
    for (std::uint32_t i = 0; i < kFragments; ++i) {
      multiply(typename V::Element{}, sums[i], advance(left, i * 64 * kRowBytes + k),
               advance(right, k), add || k > 0);
    }
  }
  commit();
}

// The products of one tile. `row`: the first of the stage's rows that are this warpgroup's.
template <class V, std::uint32_t kFragments, std::uint32_t kCount>
__device__ void multiply_tile(Shared<V>& shared, const Work& work,
                              RingPlace<V::kPlan.stages>& place, std::uint32_t row,
                              float (&sums)[kFragments][kCount]) {
  // Every warp says by itself that it is done with a stage, in each block that filled it.
  const auto release = [&](std::uint32_t stage) {
    const std::uint32_t lane = threadIdx.x % 32;
    if constexpr (V::kPlan.cluster > 1) {
      if (lane < V::kPlan.cluster) shared.ring.empty[stage].arrive_at(lane);
    } else {
      if (lane == 0) shared.ring.empty[stage].arrive();
    }
  };
  std::uint32_t before = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < work.steps; ++step, place.advance()) {
    shared.ring.full[place.stage].wait(place.parity);
    multiply_stage<V>(shared_address(shared.left[place.stage]) + row * kRowBytes,
                      shared_address(shared.right[place.stage]), sums, step > 0);
    hopper::wait<1>();  // for the step before
    if (step > 0) release(before);
    before = place.stage;
  }
  // All products of this tile are on their way: the other warpgroup may queue its own.
  if constexpr (V::kPlan.pingpong) Turns::pass_on(threadIdx.x / 128 - 1);
  hopper::wait<0>();
  release(before);
}

// Empties the ring; two warpgroups.
template <class V>
__device__ void consume(const CUtensorMap& y_map, const Work& work,
                        const typename V::Finish& finish, Shared<V>& shared) {
  constexpr Plan kPlan = V::kPlan;
  const std::uint32_t consumer = threadIdx.x / 128 - 1;
  const std::uint32_t warp = warp_index() % 4;
  const std::uint32_t rank = kPlan.cluster > 1 ? cluster_rank() : 0;
  std::uint32_t stride = gridDim.x / kPlan.cluster;
  std::uint32_t number = blockIdx.x / kPlan.cluster;
  RingPlace<kPlan.stages> place;
  if constexpr (kPlan.pingpong) {
    if (consumer == 1) {
      number += stride;
      place.advance(work.steps);
      Turns::pass_on(1);  // the first turn is the other's
    }
    stride *= 2;
  }
  const std::uint32_t first = kPlan.pingpong ? 0 : consumer * 64;  // row in the tile
  FragmentStore<V> results(y_map, work, shared.y[consumer * 4 + warp][0]);
  for (; number < work.tiles; number += stride) {
    const Tile tile = tile_at<V>(work, number);
    float sums[kPlan.fragments()][kPlan.tile_n / 2];
    if constexpr (kPlan.pingpong) Turns::wait(consumer);
    multiply_tile<V>(shared, work, place, first, sums);
    if constexpr (kPlan.pingpong) place.advance(work.steps);  // those are the other's
    results.store(sums, tile.row + rank * kTileM + first + warp * 16, tile.column, finish);
  }
  if (elect()) wait_stores();
}

template <class V>
__global__ void __launch_bounds__(kThreads, 1)
    gemm(const __grid_constant__ CUtensorMap left_map, const __grid_constant__ CUtensorMap right_map,
         const __grid_constant__ CUtensorMap y_map, const Work work,
         const typename V::Finish finish) {
  constexpr Plan kPlan = V::kPlan;
  extern __shared__ std::uint8_t memory[];
  auto& shared = aligned<Shared<V>>(memory);
  if (threadIdx.x == 0) {
    prefetch(left_map);
    prefetch(right_map);
    // In turn, a stage is read by one warpgroup, else by both; by those of all blocks.
    shared.ring.init((kPlan.pingpong ? 4 : 8) * kPlan.cluster);
    publish_barriers();
  }
  if constexpr (kPlan.cluster > 1) {
    cluster_arrive();
    cluster_wait();
  } else {
    __syncthreads();
  }
  wait_for_previous();
  if (threadIdx.x < 128) {
    give_up_registers<24>();
    if (warp_index() == 0 && elect()) produce<V>(left_map, right_map, work, shared);
  } else {
    take_registers<240>();
    consume<V>(y_map, work, finish, shared);
  }
  if constexpr (kPlan.cluster > 1) {
    // Nobody leaves while another block may still write to its shared memory.
    __syncwarp();
    cluster_arrive();
    cluster_wait();
  }
}

}  // namespace hopper
