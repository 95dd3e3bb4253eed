// SPDX-License-Identifier: Apache-2.0
//
// The order of scales in memory, and e2m1 values as e4m3 codes. Host code too, so that tests can
// enumerate all of them.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define BLOCK_SCALED_BOTH __host__ __device__
#else
#define BLOCK_SCALED_BOTH
#endif

namespace block_scaled {

// The index of the scale of a row's group along K. A row has `groups` of them, a multiple of 4.
BLOCK_SCALED_BOTH constexpr std::uint64_t scale_index(std::uint32_t row, std::uint32_t group,
                                                      std::uint32_t groups) {
  const std::uint32_t block = row / 128 * (groups / 4) + group / 4;
  const std::uint32_t r = row % 128;
  return static_cast<std::uint64_t>(block) * 512 + r % 32 * 16 + r / 32 * 4 + group % 4;
}

// Powers of two by which every e2m1 value can be multiplied within e4m3.
inline constexpr int kLeast = -8;
inline constexpr int kMost = 6;

// The e4m3 code of an e2m1 magnitude (0 to 7) times 2^r.
BLOCK_SCALED_BOTH constexpr std::uint32_t e4m3_code(std::uint32_t magnitude, int r) {
  if (magnitude == 0) return 0;
  // The value in halves: 1, 2, 3, 4, 6, 8, 12; then its leading bit and the fraction after it.
  const std::uint32_t halves =
      magnitude < 4 ? magnitude : (2 + magnitude % 2) << (magnitude / 2 - 1);
  const int top = halves >= 8 ? 3 : halves >= 4 ? 2 : halves >= 2 ? 1 : 0;
  const int exponent = top - 1 + r;  // value = 2^exponent * 1.f
  if (exponent >= -6) {
    const std::uint32_t fraction = ((halves << 3U) >> top) & 7U;
    return static_cast<std::uint32_t>(exponent + 7) << 3U | fraction;
  }
  // Subnormal: multiples of 2^-9; halves * 2^(r - 1) = code * 2^-9.
  return halves << (r + 8);
}

// The codes of all eight magnitudes, one per byte: a table for PRMT.
struct Codes {
  std::uint32_t low;
  std::uint32_t high;
};
BLOCK_SCALED_BOTH constexpr Codes e4m3_codes(int r) {
  Codes codes{0, 0};
  for (std::uint32_t i = 0; i < 4; ++i) {
    codes.low |= e4m3_code(i, r) << (8 * i);
    codes.high |= e4m3_code(i + 4, r) << (8 * i);
  }
  return codes;
}

}  // namespace block_scaled
