// SPDX-License-Identifier: Apache-2.0
//
// The first version of a layer with 4-bit weights: weights are decoded in registers, stored once to
// a swizzled tile in shared memory, and multiplied from there. Here rows of x are the A operand and
// weights the B operand.
//
//   stage   A: (128 rows of x, 64) bf16      B: (128 of n, 64) bf16, decoded
//   block   D: (128, 128) fp32 accumulators  16 rows per warp, 64 per thread
//
// And its failing twins, to test tools that check a kernel's design: their results are right, but
// each has one fault. playbooks/moe-evidence.toml has to find every one.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

#include "../hopper/descriptor.h"
#include "../hopper/pipeline.cuh"
#include "../hopper/ptx.cuh"
#include "decode.cuh"
#include "layer.cuh"
#include "wgmma.cuh"

namespace moe {

enum class Fault {
  kNone,
  kWarpProducts,  // mma.sync of single warps instead of wgmma: the slower tensor path
  kTwice,         // decoded to an unswizzled tile, and copied from there to the swizzled one
  kScalar,        // st.shared of two bytes
  kSpills,        // weights are loaded further ahead than registers allow
  kUnswizzled,    // bank conflicts: the lanes of a store have the same banks
};

inline constexpr std::uint32_t kStagedThreads = 256;
inline constexpr std::uint32_t kStagedRows = 128;  // of x
inline constexpr std::uint32_t kStagedTile = kTileRows * hopper::kRowBytes;

struct StagedShared {
  std::uint8_t x[2][kStagedRows * hopper::kRowBytes];  // (128, 64) bf16 per stage
  std::uint8_t weights[2][kStagedTile];                // (128, 64) bf16 per stage
  std::uint8_t plain[kStagedTile];                     // (128, 64) bf16, only for kTwice
  hopper::Mbarrier full[2];                            // of x
};

// Weights before decoding: half of a row of a tile, 32 values.
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

// Eight values as four bf16x2 words.
__device__ inline uint4 decode_word(std::uint32_t word, std::uint32_t factor) {
  const auto pair = [&](std::uint32_t byte) {
    return hopper::mul_bf16x2((byte & 0x07U) << 6U | (byte & 0x08U) << 12U | (byte & 0x70U) << 18U |
                                  (byte & 0x80U) << 24U,
                              factor);
  };
  return make_uint4(pair(word), pair(word >> 8U), pair(word >> 16U), pair(word >> 24U));
}

__device__ inline void store_scalar(std::uint32_t address, uint4 value) {
  const std::uint32_t words[4] = {value.x, value.y, value.z, value.w};
#pragma unroll
  for (std::uint32_t i = 0; i < 8; ++i) {
    hopper::st_shared_volatile(address + i * 2,
                               static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16)));
  }
}

// The descriptor of a tile without swizzle: 16 bytes of all rows, then the next 16.
__device__ inline std::uint64_t unswizzled(std::uint32_t address) {
  return hopper::descriptor(address, kTileRows * 16, 8 * 16, hopper::Swizzle::kNone);
}

// Decodes a thread's half row into the tile.
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
      hopper::st_shared_v4(target + chunk * kTileRows * 16 + row * 16, values);
    } else if constexpr (kFault == Fault::kTwice) {
      hopper::st_shared_v4(
          hopper::shared_address(shared.plain) + row * hopper::kRowBytes + chunk * 16, values);
    } else {
      hopper::st_shared_v4(target + hopper::swizzled(row, chunk * 16), values);
    }
  }
  if constexpr (kFault == Fault::kTwice) {
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < kStagedTile / 16; i += kStagedThreads) {
      hopper::st_shared_v4(hopper::shared_address(tile) + hopper::swizzled(i / 8, i % 8 * 16),
                           hopper::ld_shared_v4(hopper::shared_address(shared.plain) + i * 16));
    }
  }
}

// The products of one block along K: d (16 per warp, 128) (+)= A (16, 64) * B (128, 64)^T.
template <Fault kFault>
__device__ void mma_tiles(const std::uint8_t* x, const std::uint8_t* weights,
                          float (&d)[kTileRows / 2], bool accumulate) {
  const std::uint32_t warp = hopper::warp_index();
  const std::uint32_t lane = threadIdx.x % 32;
  if constexpr (kFault == Fault::kWarpProducts) {
    const std::uint32_t half = lane / 16 * 16;
#pragma unroll
    for (std::uint32_t k = 0; k < hopper::kRowBytes; k += hopper::kStepBytes) {
      std::uint32_t a[4];  // (16, 16)
      hopper::ldmatrix_x4(
          a, hopper::shared_address(x) + hopper::swizzled(warp * 16 + lane % 16, k + half));
#pragma unroll
      for (std::uint32_t n = 0; n < kTileRows; n += 16) {
        std::uint32_t b[4];  // (16, 16): two n8 tiles
        hopper::ldmatrix_x4(
            b, hopper::shared_address(weights) + hopper::swizzled(n + lane % 16, k + half));
        hopper::mma_m16n8k16(reinterpret_cast<float(&)[4]>(d[n / 2]), a, b[0], b[2]);
        hopper::mma_m16n8k16(reinterpret_cast<float(&)[4]>(d[n / 2 + 4]), a, b[1], b[3]);
      }
    }
  } else {
    const std::uint64_t a =
        hopper::k_major(hopper::shared_address(x) + warp / 4 * 64 * hopper::kRowBytes);
    const std::uint32_t address = hopper::shared_address(weights);
    hopper::wgmma_fence();
#pragma unroll
    for (std::uint32_t step = 0; step < 4; ++step) {
      const std::uint64_t b =
          kFault == Fault::kUnswizzled
              ? unswizzled(address + step * 2 * kTileRows * 16)
              : hopper::advance(hopper::k_major(address), step * hopper::kStepBytes);
      hopper::wgmma(hopper::Bf16{}, d, hopper::advance(a, step * hopper::kStepBytes), b,
                    accumulate || step > 0);
    }
    hopper::wgmma_commit_group();
  }
}

// A block has one tile of one expert's weights, and kStagedRows of its rows at a time. Grid:
// (tiles, experts).
//
//   x_map: (rows, k), boxes of (128, 64); codes: (experts, n, k / 2); scales: (experts, n, k / 32)
template <Fault kFault>
__global__ void __launch_bounds__(kStagedThreads) __maxnreg__(kFault == Fault::kSpills ? 90 : 255)
    staged(const __grid_constant__ CUtensorMap x_map, const std::uint8_t* codes,
           const std::uint8_t* scales, const int* ends, __nv_bfloat16* y, const Shape shape) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::align_shared<StagedShared>(memory);
  const std::uint32_t end = static_cast<std::uint32_t>(ends[blockIdx.y]);
  const std::uint32_t blocks = shape.k / kBlockK;
  if (threadIdx.x == 0) {
    shared.full[0].init(1);
    shared.full[1].init(1);
    hopper::fence_mbarrier_init();
  }
  __syncthreads();
  hopper::PipelineState<2> loaded;
  hopper::PipelineState<2> state;
  for (std::uint32_t first = begin_of(ends, blockIdx.y); first < end; first += kStagedRows) {
    const auto load_x = [&](std::uint32_t block) {
      if (threadIdx.x == 0) {
        shared.full[loaded.stage].arrive_expect_tx(sizeof shared.x[0]);
        hopper::tma_load(shared.x[loaded.stage], x_map, static_cast<int>(block * kBlockK),
                         static_cast<int>(first), shared.full[loaded.stage]);
      }
      loaded.advance();
    };
    float d[kTileRows / 2] = {};  // (16 rows of x per warp, 128 of n)
    constexpr std::uint32_t kRawAhead = kFault == Fault::kSpills ? 5 : 1;
    Raw raw[kRawAhead];
#pragma unroll
    for (std::uint32_t i = 0; i < kRawAhead; ++i) raw[i] = load_raw(codes, scales, shape, i);
    load_x(0);
    const auto do_block = [&](Raw& weights, std::uint32_t block) {
      std::uint8_t* const tile = shared.weights[state.stage];
      write_tile<kFault>(shared, tile, weights);
      if (block + kRawAhead < blocks) {
        weights = load_raw(codes, scales, shape, block + kRawAhead);
      }
      hopper::fence_proxy_async();
      // The products of the block before have to be done before its tiles are overwritten.
      if constexpr (kFault != Fault::kWarpProducts) hopper::wgmma_wait_group<0>();
      __syncthreads();
      if (block + 1 < blocks) load_x(block + 1);
      shared.full[state.stage].wait(state.parity);
      mma_tiles<kFault>(shared.x[state.stage], tile, d, block > 0);
      state.advance();
    };
#pragma unroll 1
    for (std::uint32_t block = 0; block < blocks; block += kRawAhead) {
#pragma unroll
      for (std::uint32_t i = 0; i < kRawAhead; ++i) {
        if (block + i < blocks) do_block(raw[i], block + i);
      }
    }
    if constexpr (kFault != Fault::kWarpProducts) hopper::wgmma_wait_group<0>();
    __syncthreads();  // before both tiles are overwritten

    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t row = first + hopper::warp_index() * 16 + lane / 4;
#pragma unroll
    for (std::uint32_t i = 0; i < kTileRows / 8; ++i) {
      const std::uint32_t n = blockIdx.x * kTileRows + i * 8 + lane % 4 * 2;
      if (n >= shape.n) continue;
      if (row < end) store<false>(y, shape, row, n, d[4 * i], d[4 * i + 1]);
      if (row + 8 < end) store<false>(y, shape, row + 8, n, d[4 * i + 2], d[4 * i + 3]);
    }
  }
}

}  // namespace moe
