// SPDX-License-Identifier: Apache-2.0
//
// A layer of a mixture of experts with 4-bit weights (MXFP4): every row of x belongs to one expert,
// rows are sorted by expert, and each expert multiplies its rows with its own matrix.
//
//   y[r, n] = bf16( sum over k of x[r, k] * w[e(r), n, k] * 2^(s[e(r), n, k / 32] - 127) )
//
//   x: (R, K) bf16, w: (experts, N, K) e2m1, s: (experts, N, K / 32) ue8m0, y: (R, N) bf16
//   ends: (experts): expert e has rows ends[e - 1] to ends[e] - 1
//
// Or, of a gated layer whose rows 2i and 2i + 1 are gate and value, SwiGLU of both: y: (R, N / 2).
//
// Weights are the left operand of each product, so that they are decoded in the registers from
// which the tensor cores read them; x is the right one. With few rows an expert, the bytes of the
// weights bind, and stream() reads them with as little as possible around it. With many, the
// products bind, and wide() hides the decoding behind them.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "../hopper/barrier.cuh"
#include "../hopper/copy.cuh"
#include "../hopper/descriptor.h"
#include "../hopper/warp.cuh"
#include "../hopper/wgmma.cuh"
#include "packing.h"

namespace moe {

// --- decoding ------------------------------------------------------------------------------------

// Exponent and fraction of an e2m1 number, put where bf16 has its own, are a number 2^126 times too
// small; the product that puts this right applies the scale too, exactly.
__device__ inline std::uint32_t multiplied(std::uint32_t pair, std::uint32_t factor) {
  std::uint32_t result;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(pair), "r"(factor));
  return result;
}

// 2^126 * 2^(scale - 127), twice. Scales above 128 would not fit; packing counts them.
__device__ inline std::uint32_t factor_of(std::uint32_t scale) {
  const std::uint32_t one = (scale + 126U) << 7U;
  return one | one << 16U;
}

// The fragment of one product from a lane's word; factors of the two rows.
__device__ inline void decode(std::uint32_t word, std::uint32_t upper, std::uint32_t lower,
                              std::uint32_t (&left)[4]) {
  constexpr std::uint32_t kNumber = 0x81C081C0U;
  left[0] = multiplied(word & kNumber, upper);
  left[1] = multiplied(word << 3U & kNumber, lower);
  left[2] = multiplied(word << 6U & kNumber, upper);
  left[3] = multiplied((word >> 5U & 0x01400140U) | (word >> 3U & 0x00800080U) |
                           (word << 1U & 0x80008000U),
                       lower);
}

// A lane's part of a block of 64 along K, and the factors of its two rows in both halves.
struct Packed {
  uint4 codes;
  std::uint32_t scales;

  __device__ void decode_all(std::uint32_t (&left)[4][4]) const {
    const std::uint32_t words[4] = {codes.x, codes.y, codes.z, codes.w};
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t upper = factor_of(scales >> (8 * half) & 0xffU);
      const std::uint32_t lower = factor_of(scales >> (16 + 8 * half) & 0xffU);
      decode(words[2 * half], upper, lower, left[2 * half]);
      decode(words[2 * half + 1], upper, lower, left[2 * half + 1]);
    }
  }
};

// --- results -------------------------------------------------------------------------------------

struct Shape {
  std::uint32_t n;        // rows of an expert's weights
  std::uint32_t k;
  std::uint32_t experts;
  std::uint32_t rows;     // of x
};

// Two neighbours of one row of y, or the one number that SwiGLU makes of them.
template <bool kGated>
__device__ inline void store(__nv_bfloat16* y, const Shape& shape, std::uint32_t row,
                             std::uint32_t n, float first, float second) {
  if constexpr (kGated) {
    const float gate = fminf(first, 7.0F);
    const float value = fminf(fmaxf(second, -7.0F), 7.0F);
    const float result = gate / (1.0F + __expf(-1.702F * gate)) * (value + 1.0F);
    y[static_cast<std::size_t>(row) * (shape.n / 2) + n / 2] = __float2bfloat16(result);
  } else {
    *reinterpret_cast<std::uint32_t*>(y + static_cast<std::size_t>(row) * shape.n + n) =
        hopper::to_bf16x2(first, second);
  }
}

// --- few rows an expert --------------------------------------------------------------------------

inline constexpr std::uint32_t kStreamWarps = 8;  // sixteen rows of a tile each
inline constexpr std::uint32_t kAhead = 5;        // blocks along K on their way in each warp

// x's rows in shared memory are so far apart that eight of them meet different banks.
__host__ __device__ constexpr std::uint32_t x_pitch(std::uint32_t k) { return k + 8; }

__device__ inline void load_matrices(std::uint32_t (&matrices)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(address));
}
__device__ inline void multiply_warp(float (&sums)[4], const std::uint32_t (&left)[4],
                                     std::uint32_t right0, std::uint32_t right1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
}

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

// A block: one tile of one expert, eight rows of x for each of kTiles at a time. Grid: (tiles,
// experts).
template <std::uint32_t kTiles, bool kGated>
__global__ void __launch_bounds__(kStreamWarps * 32)
    stream(const std::uint8_t* weights, const __nv_bfloat16* x, const int* ends, __nv_bfloat16* y,
           const Shape shape) {
  extern __shared__ __align__(16) std::uint8_t memory[];
  const std::uint32_t expert = blockIdx.y;
  const auto begin = static_cast<std::uint32_t>(expert == 0 ? 0 : ends[expert - 1]);
  const auto end = static_cast<std::uint32_t>(ends[expert]);
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
            load_matrices(right,
                          right_row + (t * 8 * pitch + (block + i) * kBlockK + step * 16) * 2);
            multiply_warp(sums[t], left[step], right[0], right[1]);
            multiply_warp(sums[t], left[step + 1], right[2], right[3]);
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
}

// --- many rows an expert -------------------------------------------------------------------------

inline constexpr std::uint32_t kMostExperts = 64;
inline constexpr std::uint32_t kWideThreads = 384;

template <std::uint32_t kN, std::uint32_t kStages>
struct WideShared {
  std::uint8_t x[kStages][kN * hopper::kRowBytes];
  std::uint8_t weights[kStages][(kRecordBytes + 127) / 128 * 128];
  hopper::Ring<kStages> ring;
  std::uint32_t starts[kMostExperts + 1];  // the first item of each expert

  static __device__ WideShared& in(std::uint8_t* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    return *reinterpret_cast<WideShared*>((address + 1023) / 1024 * 1024);
  }
};

// Work is cut into items: a tile of an expert's weights times kN of its rows. Items of one tile
// follow each other, so that its weights come from memory once.
struct Item {
  std::uint32_t expert;
  std::uint32_t tile;  // of the weights
  std::uint32_t row;   // the first of x
  std::uint32_t end;   // of the expert's rows
};

template <std::uint32_t kN>
class Items {
 public:
  __device__ Items(const std::uint32_t* starts, const int* ends, std::uint32_t tiles,
                   std::uint32_t experts)
      : starts_(starts), ends_(ends), tiles_(tiles), experts_(experts) {}

  // Numbers only grow from call to call.
  __device__ bool find(std::uint32_t number, Item& item) {
    while (expert_ < experts_ && number >= starts_[expert_ + 1]) ++expert_;
    if (expert_ == experts_) return false;
    const auto begin = static_cast<std::uint32_t>(expert_ == 0 ? 0 : ends_[expert_ - 1]);
    const std::uint32_t inside = number - starts_[expert_];
    const std::uint32_t parts = (starts_[expert_ + 1] - starts_[expert_]) / tiles_;
    item.expert = expert_;
    item.tile = inside / parts;
    item.row = begin + (inside - item.tile * parts) * kN;
    item.end = static_cast<std::uint32_t>(ends_[expert_]);
    return true;
  }

 private:
  const std::uint32_t* starts_;
  const int* ends_;
  std::uint32_t tiles_;
  std::uint32_t experts_;
  std::uint32_t expert_ = 0;
};

__device__ inline void load_bytes(void* target, const void* source, std::uint32_t bytes,
                                  hopper::Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          hopper::shared_address(target)),
      "l"(source), "r"(bytes), "r"(hopper::shared_address(&barrier))
      : "memory");
}

template <std::uint32_t kN, std::uint32_t kStages>
__device__ void produce(const CUtensorMap& x_map, const std::uint8_t* weights, Items<kN> items,
                        const Shape& shape, WideShared<kN, kStages>& shared) {
  const std::uint32_t blocks = shape.k / kBlockK;
  hopper::RingPlace<kStages> place{0, 1};
  Item item;
  for (std::uint32_t number = blockIdx.x; items.find(number, item); number += gridDim.x) {
    const std::uint8_t* record =
        weights + (static_cast<std::size_t>(item.expert) * tiles_of(shape.n) + item.tile) * blocks *
                      kRecordBytes;
#pragma unroll 1
    for (std::uint32_t block = 0; block < blocks; ++block, record += kRecordBytes, place.advance()) {
      hopper::Barrier& full = shared.ring.full[place.stage];
      shared.ring.empty[place.stage].wait(place.parity);
      full.expect(kN * hopper::kRowBytes + kRecordBytes);
      // Rows beyond the expert's are read too, and belong to nobody.
      hopper::load_tile(shared.x[place.stage], x_map, static_cast<int>(block * kBlockK),
                        static_cast<int>(item.row), full);
      load_bytes(shared.weights[place.stage], record, kRecordBytes, full);
    }
  }
}

template <std::uint32_t kN, std::uint32_t kStages, bool kGated>
__device__ void consume(Items<kN> items, __nv_bfloat16* y, const Shape& shape,
                        WideShared<kN, kStages>& shared) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t group = hopper::warp_index() - 4;  // of sixteen rows
  const std::uint32_t blocks = shape.k / kBlockK;
  hopper::RingPlace<kStages> place;
  const auto release = [&](std::uint32_t stage) {
    if (lane == 0) shared.ring.empty[stage].arrive();
  };
  Item item;
  for (std::uint32_t number = blockIdx.x; items.find(number, item); number += gridDim.x) {
    float sums[kN / 2];
    std::uint32_t left[2][4][4];
    std::uint32_t before = 0;  // the stage whose products are under way
    // One block along K. While its weights are decoded, the products of the block before run; those
    // of the one before that read the same registers and must be over.
    const auto multiply_block = [&](std::uint32_t(&fragment)[4][4], std::uint32_t block) {
      shared.ring.full[place.stage].wait(place.parity);
      const std::uint8_t* const record = shared.weights[place.stage];
      Packed packed;
      packed.codes = *reinterpret_cast<const uint4*>(record + group * 512 + lane * 16);
      packed.scales =
          *reinterpret_cast<const std::uint32_t*>(record + kCodeBytes + group * 32 + lane / 4 * 4);
      packed.decode_all(fragment);
      const std::uint64_t right = hopper::k_major(hopper::shared_address(shared.x[place.stage]));
      hopper::arrive();
#pragma unroll
      for (std::uint32_t step = 0; step < 4; ++step) {
        hopper::multiply(hopper::Bf16{}, sums, fragment[step], hopper::advance(right, step * 32),
                         block > 0 || step > 0);
      }
      hopper::commit();
      hopper::wait<1>();
      if (block > 0) release(before);
      before = place.stage;
      place.advance();
    };
    std::uint32_t block = 0;
#pragma unroll 1
    for (; block + 1 < blocks; block += 2) {
      multiply_block(left[0], block);
      multiply_block(left[1], block + 1);
    }
    if (block < blocks) multiply_block(left[0], block);
    hopper::wait<0>();
    release(before);

    const std::uint32_t n = item.tile * kTileRows + group * 16 + lane / 4 * 2;
    if (n >= shape.n) continue;
#pragma unroll
    for (std::uint32_t i = 0; i < kN / 8; ++i) {
      const std::uint32_t row = item.row + i * 8 + lane % 4 * 2;
      if (row < item.end) store<kGated>(y, shape, row, n, sums[4 * i], sums[4 * i + 2]);
      if (row + 1 < item.end) store<kGated>(y, shape, row + 1, n, sums[4 * i + 1], sums[4 * i + 3]);
    }
  }
}

// One warp loads, two warpgroups decode and multiply.
template <std::uint32_t kN, std::uint32_t kStages, bool kGated>
__global__ void __launch_bounds__(kWideThreads, 1)
    wide(const __grid_constant__ CUtensorMap x_map, const std::uint8_t* weights, const int* ends,
         __nv_bfloat16* y, const Shape shape) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = WideShared<kN, kStages>::in(memory);
  const std::uint32_t tiles = tiles_of(shape.n);
  if (threadIdx.x == 0) {
    shared.ring.init(8);
    hopper::publish_barriers();
    shared.starts[0] = 0;
    std::uint32_t begin = 0;
    for (std::uint32_t e = 0; e < shape.experts; ++e) {
      const auto end = static_cast<std::uint32_t>(ends[e]);
      shared.starts[e + 1] = shared.starts[e] + (end - begin + kN - 1) / kN * tiles;
      begin = end;
    }
  }
  __syncthreads();
  const Items<kN> items(shared.starts, ends, tiles, shape.experts);
  if (threadIdx.x < 128) {
    hopper::give_up_registers<40>();
    if (hopper::warp_index() == 0 && hopper::elect()) {
      produce<kN, kStages>(x_map, weights, items, shape, shared);
    }
  } else {
    hopper::take_registers<232>();
    consume<kN, kStages, kGated>(items, y, shape, shared);
  }
}

}  // namespace moe
