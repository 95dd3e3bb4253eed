// SPDX-License-Identifier: Apache-2.0
//
// How a layer with 4-bit weights is written first: weights are decoded in registers, stored once to
// a swizzled tile in shared memory, and multiplied from there. Rows of x are the left operand.
//
// And its failing twins, for those who check that a kernel is what it was meant to be: right
// results, each with one fault. playbooks/moe-evidence.toml must find every one.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

#include "../hopper/barrier.cuh"
#include "../hopper/copy.cuh"
#include "../hopper/descriptor.h"
#include "../hopper/warp.cuh"
#include "../hopper/wgmma.cuh"
#include "decode.cuh"
#include "layer.cuh"

namespace moe {

enum class Fault {
  kNone,
  kWarpProducts,  // the products of single warps instead of warpgroups: the slower tensor path
  kTwice,         // decoded to a plain tile, and from there to the swizzled one
  kScalar,        // two bytes a store
  kSpills,        // weights are loaded so far ahead that registers do not suffice
  kUnswizzled,    // lanes of a store meet in the same banks
};

inline constexpr std::uint32_t kStagedThreads = 256;
inline constexpr std::uint32_t kStagedRows = 128;  // of x
inline constexpr std::uint32_t kStagedTile = kTileRows * hopper::kRowBytes;

struct StagedShared {
  std::uint8_t x[2][kStagedRows * hopper::kRowBytes];
  std::uint8_t weights[2][kStagedTile];
  std::uint8_t plain[kStagedTile];  // only of kTwice
  hopper::Barrier full[2];
};

// Weights as they come: half of a row of a tile, 32 values.
struct Raw {
  uint4 codes;
  std::uint32_t scale;
};

__device__ inline Raw load_raw(const std::uint8_t* codes, const std::uint8_t* scales,
                               const Shape& shape, std::uint32_t block) {
  const std::uint32_t n = min(blockIdx.x * kTileRows + threadIdx.x / 2, shape.n - 1);
  const std::size_t row = static_cast<std::size_t>(blockIdx.y) * shape.n + n;
  const std::size_t group = row * (shape.k / kGroup) + block * 2 + threadIdx.x % 2;
  return {__ldg(reinterpret_cast<const uint4*>(codes) + group), __ldg(scales + group)};
}

// Eight values as bf16.
__device__ inline uint4 decode_word(std::uint32_t word, std::uint32_t factor) {
  const auto pair = [&](std::uint32_t byte) {
    return multiplied((byte & 0x07U) << 6U | (byte & 0x08U) << 12U | (byte & 0x70U) << 18U |
                          (byte & 0x80U) << 24U,
                      factor);
  };
  return make_uint4(pair(word), pair(word >> 8U), pair(word >> 16U), pair(word >> 24U));
}

__device__ inline void store_wide(std::uint32_t address, uint4 value) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.x),
               "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}
__device__ inline void store_scalar(std::uint32_t address, uint4 value) {
  const std::uint32_t words[4] = {value.x, value.y, value.z, value.w};
#pragma unroll
  for (std::uint32_t i = 0; i < 8; ++i) {
    // volatile, or the compiler joins them
    asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(address + i * 2),
                 "h"(static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16)))
                 : "memory");
  }
}

__device__ inline uint4 load_wide(std::uint32_t address) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address)
               : "memory");
  return value;
}

// A tile without swizzle: 16 bytes of all rows, then the next 16.
__device__ inline std::uint64_t unswizzled(std::uint32_t address) {
  constexpr std::uint64_t kNextColumns = kTileRows * 16 / 16;  // in units of 16 bytes
  constexpr std::uint64_t kNextRows = 8 * 16 / 16;
  return (address & 0x3ffffU) >> 4U | kNextColumns << 16U | kNextRows << 32U;
}

// A thread's half row, decoded into the tile.
template <Fault kFault>
__device__ void write_tile(StagedShared& shared, std::uint8_t* tile, const Raw& raw) {
  const std::uint32_t row = threadIdx.x / 2;
  const std::uint32_t half = threadIdx.x % 2;
  const std::uint32_t factor = factor_of(raw.scale);
  const std::uint32_t words[4] = {raw.codes.x, raw.codes.y, raw.codes.z, raw.codes.w};
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const uint4 values = decode_word(words[i], factor);
    const std::uint32_t chunk = half * 4 + i;
    const std::uint32_t target = hopper::shared_address(tile);
    if constexpr (kFault == Fault::kScalar) {
      store_scalar(target + hopper::swizzled(row, chunk * 16), values);
    } else if constexpr (kFault == Fault::kUnswizzled) {
      store_wide(target + chunk * kTileRows * 16 + row * 16, values);
    } else if constexpr (kFault == Fault::kTwice) {
      store_wide(hopper::shared_address(shared.plain) + row * hopper::kRowBytes + chunk * 16, values);
    } else {
      store_wide(target + hopper::swizzled(row, chunk * 16), values);
    }
  }
  if constexpr (kFault == Fault::kTwice) {
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < kStagedTile / 16; i += kStagedThreads) {
      store_wide(hopper::shared_address(tile) + hopper::swizzled(i / 8, i % 8 * 16),
                 load_wide(hopper::shared_address(shared.plain) + i * 16));
    }
  }
}

// One block along K: sixteen rows of x a warp, 128 of weights.
template <Fault kFault>
__device__ void multiply_tiles(const std::uint8_t* x, const std::uint8_t* weights,
                               float (&sums)[kTileRows / 2], bool add) {
  const std::uint32_t warp = hopper::warp_index();
  const std::uint32_t lane = threadIdx.x % 32;
  if constexpr (kFault == Fault::kWarpProducts) {
    const std::uint32_t half = lane / 16 * 16;
#pragma unroll
    for (std::uint32_t k = 0; k < hopper::kRowBytes; k += 32) {
      std::uint32_t left[4];
      hopper::load_matrices(
          left, hopper::shared_address(x) + hopper::swizzled(warp * 16 + lane % 16, k + half));
#pragma unroll
      for (std::uint32_t n = 0; n < kTileRows; n += 16) {
        std::uint32_t right[4];
        hopper::load_matrices(
            right, hopper::shared_address(weights) + hopper::swizzled(n + lane % 16, k + half));
        hopper::multiply_warp(reinterpret_cast<float(&)[4]>(sums[n / 2]), left, right[0], right[2]);
        hopper::multiply_warp(reinterpret_cast<float(&)[4]>(sums[n / 2 + 4]), left, right[1],
                              right[3]);
      }
    }
  } else {
    const std::uint64_t left =
        hopper::k_major(hopper::shared_address(x) + warp / 4 * 64 * hopper::kRowBytes);
    const std::uint32_t address = hopper::shared_address(weights);
    hopper::arrive();
#pragma unroll
    for (std::uint32_t step = 0; step < 4; ++step) {
      const std::uint64_t right = kFault == Fault::kUnswizzled
                                      ? unswizzled(address + step * 2 * kTileRows * 16)
                                      : hopper::advance(hopper::k_major(address), step * 32);
      hopper::multiply(hopper::Bf16{}, sums, hopper::advance(left, step * 32), right,
                       add || step > 0);
    }
    hopper::commit();
  }
}

// A block: one tile of one expert's weights, kStagedRows of its rows at a time. Grid: (tiles,
// experts). codes: (experts, n, k / 2), scales: (experts, n, k / 32).
template <Fault kFault>
__global__ void __launch_bounds__(kStagedThreads) __maxnreg__(kFault == Fault::kSpills ? 90 : 255)
    staged(const __grid_constant__ CUtensorMap x_map, const std::uint8_t* codes,
           const std::uint8_t* scales, const int* ends, __nv_bfloat16* y, const Shape shape) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::aligned<StagedShared>(memory);
  const std::uint32_t end = static_cast<std::uint32_t>(ends[blockIdx.y]);
  const std::uint32_t blocks = shape.k / kBlockK;
  if (threadIdx.x == 0) {
    shared.full[0].init(1);
    shared.full[1].init(1);
    hopper::publish_barriers();
  }
  __syncthreads();
  hopper::RingPlace<2> loaded;
  hopper::RingPlace<2> place;
  for (std::uint32_t first = begin_of(ends, blockIdx.y); first < end; first += kStagedRows) {
    const auto load_x = [&](std::uint32_t block) {
      if (threadIdx.x == 0) {
        shared.full[loaded.stage].expect(sizeof shared.x[0]);
        hopper::load_tile(shared.x[loaded.stage], x_map, static_cast<int>(block * kBlockK),
                          static_cast<int>(first), shared.full[loaded.stage]);
      }
      loaded.advance();
    };
    float sums[kTileRows / 2] = {};
    constexpr std::uint32_t kRawAhead = kFault == Fault::kSpills ? 5 : 1;
    Raw raw[kRawAhead];
#pragma unroll
    for (std::uint32_t i = 0; i < kRawAhead; ++i) raw[i] = load_raw(codes, scales, shape, i);
    load_x(0);
    const auto do_block = [&](Raw& weights, std::uint32_t block) {
      std::uint8_t* const tile = shared.weights[place.stage];
      write_tile<kFault>(shared, tile, weights);
      if (block + kRawAhead < blocks) {
        weights = load_raw(codes, scales, shape, block + kRawAhead);
      }
      hopper::fence_for_copies();
      if constexpr (kFault != Fault::kWarpProducts) hopper::wait<0>();  // of the block before
      __syncthreads();
      if (block + 1 < blocks) load_x(block + 1);
      shared.full[place.stage].wait(place.parity);
      multiply_tiles<kFault>(shared.x[place.stage], tile, sums, block > 0);
      place.advance();
    };
#pragma unroll 1
    for (std::uint32_t block = 0; block < blocks; block += kRawAhead) {
#pragma unroll
      for (std::uint32_t i = 0; i < kRawAhead; ++i) {
        if (block + i < blocks) do_block(raw[i], block + i);
      }
    }
    if constexpr (kFault != Fault::kWarpProducts) hopper::wait<0>();
    __syncthreads();  // both tiles are about to be written again

    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t row = first + hopper::warp_index() * 16 + lane / 4;
#pragma unroll
    for (std::uint32_t i = 0; i < kTileRows / 8; ++i) {
      const std::uint32_t n = blockIdx.x * kTileRows + i * 8 + lane % 4 * 2;
      if (n >= shape.n) continue;
      if (row < end) store<false>(y, shape, row, n, sums[4 * i], sums[4 * i + 1]);
      if (row + 8 < end) store<false>(y, shape, row + 8, n, sums[4 * i + 2], sums[4 * i + 3]);
    }
  }
}

}  // namespace moe
