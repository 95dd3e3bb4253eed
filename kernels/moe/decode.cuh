// SPDX-License-Identifier: Apache-2.0
//
// From 4-bit codes, packed as packing.h says, to the bf16 fragments that products read: 15
// instructions for eight values, the scale among them.
#pragma once

#include <cstdint>

#include "packing.h"

namespace moe {

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

}  // namespace moe
