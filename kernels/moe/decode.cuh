// SPDX-License-Identifier: Apache-2.0
//
// From packed 4-bit codes (packing.h) to bf16 A fragments (hopper/fragment.h): 15 instructions for
// eight values, scaling included.
#pragma once

#include <cstdint>

#include "../hopper/ptx.cuh"
#include "packing.h"

namespace moe {

// The exponent and fraction bits of e2m1, moved to those of bf16, are the value times 2^-126. One
// multiplication restores it and applies the scale, exactly: the factor is 2^126 * 2^(scale - 127),
// in both halves. Scales above 128 would not fit; moe_pack counts them.
__device__ inline std::uint32_t factor_of(std::uint32_t scale) {
  const std::uint32_t one = (scale + 126U) << 7U;
  return one | one << 16U;
}

// A lane's fragment of one product, a: (16, 16) per warp, from its word of codes. `upper` and
// `lower` are the factors of its two rows.
__device__ inline void decode(std::uint32_t word, std::uint32_t upper, std::uint32_t lower,
                              std::uint32_t (&a)[4]) {
  constexpr std::uint32_t kNumber = 0x81C081C0U;
  a[0] = hopper::mul_bf16x2(word & kNumber, upper);
  a[1] = hopper::mul_bf16x2(word << 3U & kNumber, lower);
  a[2] = hopper::mul_bf16x2(word << 6U & kNumber, upper);
  a[3] = hopper::mul_bf16x2(
      (word >> 5U & 0x01400140U) | (word >> 3U & 0x00800080U) | (word << 1U & 0x80008000U), lower);
}

// A lane's part of (16 rows, 64 along K).
struct Packed {
  uint4 codes;           // a word for each of the four products along K
  std::uint32_t scales;  // bytes: two of the upper row, one per 32 along K, two of the lower

  __device__ void decode_all(std::uint32_t (&a)[4][4]) const {
    const std::uint32_t words[4] = {codes.x, codes.y, codes.z, codes.w};
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t upper = factor_of(scales >> (8 * half) & 0xffU);
      const std::uint32_t lower = factor_of(scales >> (16 + 8 * half) & 0xffU);
      decode(words[2 * half], upper, lower, a[2 * half]);
      decode(words[2 * half + 1], upper, lower, a[2 * half + 1]);
    }
  }
};

}  // namespace moe
