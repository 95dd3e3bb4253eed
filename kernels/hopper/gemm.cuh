// SPDX-License-Identifier: Apache-2.0
//
// A warp-specialised GEMM for any element type and any epilogue:
//
//   d[m, n] = epilogue( sum over k of a[m, k] * b[n, k] )
//
//   a: (M, K) row-major, b: (N, K) row-major, d: (M, N) row-major with 16-bit elements
//
// Preconditions: K is a multiple of 128 bytes; rows of a, b and d are contiguous and start at
// multiples of 16 bytes. M and N may be anything else: TMA fills what lies outside with zeros and
// does not store it.
//
// A block is three warpgroups. One thread of the first is the producer: it fills a pipeline of
// stages by TMA, each (128, 128 bytes) of a and (kTileN, 128 bytes) of b. The other two warpgroups
// are the consumers: wgmma into accumulators in registers, then the epilogue.
//
//   stage   A: (kTileM, 128 B)    B: (kTileN, 128 B)         in shared memory, swizzled
//   tile    D: (kTileM, kTileN) fp32 accumulators            in registers of the consumers
//             cooperative: rows 0-63 in consumer 0, rows 64-127 in consumer 1
//             ping-pong:   all 128 rows in one consumer, the next tile in the other
//
// A kernel is a plan: a type that derives from Plan, redefines the constants it changes, and names
// its epilogue (see EpilogueStore):
//
//   struct Persistent : hopper::Plan {
//     static constexpr bool kPersistent = true;
//     using Epilogue = ...;
//   };
#pragma once

#include <cstdint>

#include "descriptor.h"
#include "pipeline.cuh"
#include "ptx.cuh"
#include "wgmma.cuh"

namespace hopper {

inline constexpr std::uint32_t kTileM = 128;
inline constexpr std::uint32_t kThreads = 384;  // producer warpgroup and two consumer warpgroups
inline constexpr std::uint32_t kConsumerWarps = 8;

// A warp's part of the result on its way through shared memory: (16, 64) 16-bit values, swizzled.
inline constexpr std::uint32_t kStoreBytes = 16 * kRowBytes;

enum class Store {
  kTmaWaited,  // stmatrix and TMA, waited for at once
  kDirect,     // st.global from registers, 16 bytes per thread
  kTmaQueued,  // stmatrix and TMA, waited for when the buffer is needed again
};

struct Plan {
  static constexpr std::uint32_t kTileN = 256;
  static constexpr std::uint32_t kStages = 4;
  static constexpr std::uint32_t kStoreBuffers = 2;  // per consumer warp, kStoreBytes each
  // Blocks of a cluster have tiles below each other: the same B tile, of which each loads its share
  // and multicasts it, so that L2 is read once for all.
  static constexpr std::uint32_t kCluster = 1;
  // The consumers alternate in whole tiles: one's epilogue runs under the other's products.
  static constexpr bool kPingPong = false;
  // One block per SM goes through many tiles, so that loads do not stop at a tile's end.
  static constexpr bool kPersistent = false;
  static constexpr Store kStore = Store::kTmaWaited;
  using Element = Bf16;
};

// m64 fragments of a tile that one consumer multiplies.
template <class P>
inline constexpr std::uint32_t kM64PerConsumer = P::kPingPong ? 2 : 1;

// Tiles come first: they have to start at multiples of kAtomBytes.
template <class P>
struct Shared {
  std::uint8_t a[P::kStages][kTileM * kRowBytes];                 // (kTileM, 128 B) per stage
  std::uint8_t b[P::kStages][P::kTileN * kRowBytes];              // (kTileN, 128 B) per stage
  std::uint8_t d[kConsumerWarps][P::kStoreBuffers][kStoreBytes];  // (16, 128 B) per buffer
  Pipeline<P::kStages> pipeline;
};

struct Work {
  std::uint32_t m;
  std::uint32_t n;        // of d, and its pitch
  std::uint32_t k_steps;  // stages along K: 128 bytes each
  std::uint32_t tiles;    // (kTileM * kCluster, kTileN) each, one per cluster
  std::uint32_t tiles_n;  // along N
  std::uint16_t* d;       // (m, n)
};

// First row and column of a cluster's tile.
struct Tile {
  std::uint32_t row;
  std::uint32_t column;
};

// Tiles are numbered along N first, so that all tiles of the same rows of a are in flight together
// and a is read from memory once.
template <class P>
__device__ Tile tile_at(const Work& work, std::uint32_t number) {
  const std::uint32_t row = number / work.tiles_n;
  return {row * kTileM * P::kCluster, (number - row * work.tiles_n) * P::kTileN};
}

// --- producer ------------------------------------------------------------------------------------

// One thread. Registers are few (setmaxnreg): loops stay rolled.
template <class P>
__device__ void produce(const CUtensorMap& a_map, const CUtensorMap& b_map, const Work& work,
                        Shared<P>& shared) {
  constexpr std::uint32_t kShare = P::kTileN / P::kCluster;  // rows of b that this block loads
  constexpr int kStepElements = kRowBytes / P::Element::kBytes;
  const std::uint32_t rank = P::kCluster > 1 ? cluster_rank() : 0;
  PipelineState<P::kStages> state{0, 1};
  for (std::uint32_t number = blockIdx.x / P::kCluster; number < work.tiles;
       number += gridDim.x / P::kCluster) {
    const Tile tile = tile_at<P>(work, number);
    const auto a_row = static_cast<int>(tile.row + rank * kTileM);
    const auto b_row = static_cast<int>(tile.column + rank * kShare);
#pragma unroll 1
    for (std::uint32_t step = 0; step < work.k_steps; ++step, state.advance()) {
      Mbarrier& full = shared.pipeline.full[state.stage];
      shared.pipeline.empty[state.stage].wait(state.parity);
      full.arrive_expect_tx(sizeof shared.a[0] + sizeof shared.b[0]);
      const int k = static_cast<int>(step) * kStepElements;
      tma_load(shared.a[state.stage], a_map, k, a_row, full);  // (kTileM, 128 B)
      if constexpr (P::kCluster > 1) {
        tma_load_multicast(shared.b[state.stage] + rank * kShare * kRowBytes, b_map, k, b_row, full,
                           (1U << P::kCluster) - 1);  // (kShare, 128 B) to every block
      } else {
        tma_load(shared.b[state.stage], b_map, k, b_row, full);  // (kTileN, 128 B)
      }
    }
  }
}

// --- consumers: products -------------------------------------------------------------------------

// Named barriers by which two consumers take the tensor cores in turn.
struct PingPongBarrier {
  static constexpr std::uint32_t kThreads = 256;  // of both consumers

  static __device__ void wait(std::uint32_t consumer) {
    if (consumer == 0) {
      named_barrier_sync<1>(kThreads);
    } else {
      named_barrier_sync<2>(kThreads);
    }
  }
  static __device__ void signal_other(std::uint32_t consumer) {
    if (consumer == 0) {
      named_barrier_arrive<2>(kThreads);
    } else {
      named_barrier_arrive<1>(kThreads);
    }
  }
};

// Issues the products of one stage: d[i] (64, kTileN) (+)= A rows 64i to 64i + 63 * B^T.
template <class P, std::uint32_t kFragments, std::uint32_t kCount>
__device__ void mma_stage(std::uint32_t a_address, std::uint32_t b_address,
                          float (&d)[kFragments][kCount], bool accumulate) {
  const std::uint64_t a = k_major(a_address);
  const std::uint64_t b = k_major(b_address);
  wgmma_fence();
#pragma unroll
  for (std::uint32_t k = 0; k < kRowBytes; k += kStepBytes) {
#pragma unroll
    for (std::uint32_t i = 0; i < kFragments; ++i) {
      wgmma(typename P::Element{}, d[i], advance(a, i * 64 * kRowBytes + k), advance(b, k),
            accumulate || k > 0);
    }
  }
  wgmma_commit_group();
}

// All products of one tile. `row` is the first of the stage's rows of a for this consumer.
template <class P, std::uint32_t kFragments, std::uint32_t kCount>
__device__ void mma_tile(Shared<P>& shared, const Work& work, PipelineState<P::kStages>& state,
                         std::uint32_t row, float (&d)[kFragments][kCount]) {
  // Every warp frees a stage by itself, in each block that multicast into it.
  const auto release = [&](std::uint32_t stage) {
    const std::uint32_t lane = threadIdx.x % 32;
    if constexpr (P::kCluster > 1) {
      if (lane < P::kCluster) shared.pipeline.empty[stage].arrive_remote(lane);
    } else {
      if (lane == 0) shared.pipeline.empty[stage].arrive();
    }
  };
  std::uint32_t previous = 0;  // the stage whose products are in flight
#pragma unroll 1
  for (std::uint32_t step = 0; step < work.k_steps; ++step, state.advance()) {
    shared.pipeline.full[state.stage].wait(state.parity);
    mma_stage<P>(shared_address(shared.a[state.stage]) + row * kRowBytes,
                 shared_address(shared.b[state.stage]), d, step > 0);
    wgmma_wait_group<1>();  // the products of the previous stage are done
    if (step > 0) release(previous);
    previous = state.stage;
  }
  // All products of this tile are issued: those of the other consumer may queue behind them.
  if constexpr (P::kPingPong) PingPongBarrier::signal_other(threadIdx.x / 128 - 1);
  wgmma_wait_group<0>();
  release(previous);
}

// --- consumers: epilogue -------------------------------------------------------------------------

// A 4 x 4 transpose of 32-bit words among four neighbouring lanes: lane q gets word q of each.
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

// A warp's accumulators through P::Epilogue to global memory: 16 rows of each fragment, 32 columns
// at a time. P::Epilogue turns a lane's 16 accumulators of these 32 columns into 16-bit pairs, four
// of each of its two rows (fragment.h):
//
//   void operator()(const float* d, std::uint32_t row, std::uint32_t column, uint4& upper,
//                   uint4& lower)
//
//   d[4i], d[4i + 1]       row      columns column + 8i + 2q, + 1    -> word i of upper
//   d[4i + 2], d[4i + 3]   row + 8  the same                         -> word i of lower
//
// where q = lane % 4, i = 0 to 3.
template <class P>
class EpilogueStore {
 public:
  // buffers: (kStoreBuffers, 16, 128 B) of this warp.
  __device__ EpilogueStore(const CUtensorMap& d_map, const Work& work, std::uint8_t* buffers)
      : d_map_(d_map), work_(work), buffers_(buffers), lane_(threadIdx.x % 32) {}

  // `row` and `column`: of the warp's first accumulator in d; fragment i is 64i rows below. Columns
  // are the outer loop: what an epilogue loads for a column serves all fragments and is not kept,
  // which would spill.
  template <std::uint32_t kFragments, std::uint32_t kCount>
  __device__ void store(const float (&d)[kFragments][kCount], std::uint32_t row,
                        std::uint32_t column, const typename P::Epilogue& epilogue) {
    static_assert(P::kStore == Store::kDirect || P::kStoreBuffers >= kFragments,
                  "each fragment fills a buffer before one is sent");
    std::uint8_t* buffers[kFragments] = {};
#pragma unroll
    for (std::uint32_t part = 0; part < kCount / 16; ++part) {  // 32 columns
      const std::uint32_t at = column + part * 32;
#pragma unroll
      for (std::uint32_t i = 0; i < kFragments; ++i) {
        uint4 upper;
        uint4 lower;
        epilogue(&d[i][part * 16], row + i * 64 + lane_ / 4, at, upper, lower);
        if constexpr (P::kStore == Store::kDirect) {
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
  // Half of a buffer, (16, 64 B): two stmatrix of (16, 32 B). Even chunks differ from the first in
  // bits that the swizzle only flips, so one address serves all.
  __device__ void fill(uint4 upper, uint4 lower, std::uint32_t half, std::uint8_t* buffer) const {
    const std::uint32_t first = shared_address(buffer) + swizzled(lane_ % 16, lane_ / 16 * 16);
    stmatrix_x4(first ^ (half * 64), upper.x, lower.x, upper.y, lower.y);
    stmatrix_x4(first ^ (half * 64 + 32), upper.z, lower.z, upper.w, lower.w);
  }

  __device__ void store_direct(uint4 upper, uint4 lower, std::uint32_t row,
                               std::uint32_t column) const {
    const std::uint32_t q = lane_ % 4;
    const auto put = [&](uint4 words, std::uint32_t r) {
      const uint4 line = transpose(words, q);  // columns 8q to 8q + 7
      const std::uint32_t c = column + q * 8;
      if (r >= work_.m || c >= work_.n) return;
      *reinterpret_cast<uint4*>(work_.d + static_cast<std::size_t>(r) * work_.n + c) = line;
    };
    put(upper, row + lane_ / 4);
    put(lower, row + lane_ / 4 + 8);
  }

  // The next buffer, once no TMA store reads it any more.
  __device__ std::uint8_t* claim() {
    if (elect_one()) bulk_wait_group_read<static_cast<int>(P::kStoreBuffers) - 1>();
    __syncwarp();
    std::uint8_t* const buffer = buffers_ + next_ * kStoreBytes;
    next_ = (next_ + 1) % P::kStoreBuffers;
    return buffer;
  }

  // (16, 64) of d.
  __device__ void send(const std::uint8_t* buffer, std::uint32_t row, std::uint32_t column) {
    fence_proxy_async();
    __syncwarp();
    if (!elect_one()) return;
    tma_store(d_map_, static_cast<int>(column), static_cast<int>(row), buffer, kEvictFirst);
    bulk_commit_group();
    if constexpr (P::kStore == Store::kTmaWaited) bulk_wait_group();
  }

  const CUtensorMap& d_map_;
  const Work& work_;
  std::uint8_t* buffers_;
  std::uint32_t lane_;
  std::uint32_t next_ = 0;
};

// --- consumers and kernel ------------------------------------------------------------------------

// Two warpgroups.
template <class P>
__device__ void consume(const CUtensorMap& d_map, const Work& work,
                        const typename P::Epilogue& epilogue, Shared<P>& shared) {
  const std::uint32_t consumer = threadIdx.x / 128 - 1;
  const std::uint32_t warp = warp_index() % 4;
  const std::uint32_t rank = P::kCluster > 1 ? cluster_rank() : 0;
  std::uint32_t stride = gridDim.x / P::kCluster;
  std::uint32_t number = blockIdx.x / P::kCluster;
  PipelineState<P::kStages> state;
  if constexpr (P::kPingPong) {
    if (consumer == 1) {
      number += stride;
      state.advance(work.k_steps);
      PingPongBarrier::signal_other(1);  // consumer 0 goes first
    }
    stride *= 2;
  }
  const std::uint32_t first = P::kPingPong ? 0 : consumer * 64;  // row in the tile
  EpilogueStore<P> results(d_map, work, shared.d[consumer * 4 + warp][0]);
  for (; number < work.tiles; number += stride) {
    const Tile tile = tile_at<P>(work, number);
    float d[kM64PerConsumer<P>][P::kTileN / 2];  // (64, kTileN) per fragment and warpgroup
    if constexpr (P::kPingPong) PingPongBarrier::wait(consumer);
    mma_tile<P>(shared, work, state, first, d);
    if constexpr (P::kPingPong) state.advance(work.k_steps);  // the other consumer's stages
    results.store(d, tile.row + rank * kTileM + first + warp * 16, tile.column, epilogue);
  }
  if (elect_one()) bulk_wait_group();
}

// Grid: clusters for all tiles, or with kPersistent as many as fit; kThreads per block. Dynamic
// shared memory: sizeof(Shared<P>) + kAtomBytes.
template <class P>
__global__ void __launch_bounds__(kThreads, 1)
    gemm(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
         const __grid_constant__ CUtensorMap d_map, const Work work,
         const typename P::Epilogue epilogue) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = align_shared<Shared<P>>(memory);
  if (threadIdx.x == 0) {
    prefetch_tensor_map(a_map);
    prefetch_tensor_map(b_map);
    // A stage is read by one consumer (ping-pong) or both, in every block of the cluster.
    shared.pipeline.init((P::kPingPong ? 4 : 8) * P::kCluster);
    fence_mbarrier_init();
  }
  if constexpr (P::kCluster > 1) {
    cluster_arrive();
    cluster_wait();
  } else {
    __syncthreads();
  }
  griddepcontrol_wait();
  if (threadIdx.x < 128) {
    setmaxnreg_dec<24>();
    if (warp_index() == 0 && elect_one()) produce<P>(a_map, b_map, work, shared);
  } else {
    setmaxnreg_inc<240>();
    consume<P>(d_map, work, epilogue, shared);
  }
  if constexpr (P::kCluster > 1) {
    // No block may exit while another can still write to its shared memory.
    __syncwarp();
    cluster_arrive();
    cluster_wait();
  }
}

}  // namespace hopper
