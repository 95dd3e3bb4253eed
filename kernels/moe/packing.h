// SPDX-License-Identifier: Apache-2.0
//
// The layout of packed 4-bit weights: in the order of the A fragments (hopper/fragment.h), so that
// a lane loads in one vector what it decodes together. Packing is done once, when a model is
// loaded. Host code too, so that tests can enumerate every value.
//
// A record is (128 rows, 64 along K) of an expert's weights, kRecordBytes:
//
//   codes   (8 groups of 16 rows, 32 lanes, 4 products along K) words of 32 bits, 8 values each
//   scales  (8 groups, 8 pairs of rows) words: two bytes of the first row, two of the second, one
//           per 32 values along K
//
// Records lie in the order (expert, tile of 128 rows, block of 64 along K).
//
// Fragment rows r and r + 8 are rows 2r and 2r + 1 of the group: so a thread ends with two
// neighbouring columns of y, or with the gate and the value of one SwiGLU.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define MOE_BOTH __host__ __device__
#else
#define MOE_BOTH
#endif

namespace moe {

inline constexpr std::uint32_t kTileRows = 128;
inline constexpr std::uint32_t kBlockK = 64;
inline constexpr std::uint32_t kGroup = 32;  // values for each scale
inline constexpr std::uint32_t kCodeBytes = kTileRows * kBlockK / 2;
inline constexpr std::uint32_t kRecordBytes = kCodeBytes + kTileRows * (kBlockK / kGroup);

// One of the eight values in a lane's word, by its place in the A fragment.
struct Place {
  std::uint32_t pair;  // a[pair]: 0 (row r, k 2q), 1 (row r + 8, k 2q), 2 and 3 the same at k + 8
  bool odd;            // the second of the pair: k + 1
};

// Bit positions of sign and magnitude (exponent and fraction, three bits) of each pair's value
// within its half of the word. They fit the shifts and masks of decode().
struct Bits {
  std::uint32_t sign;
  std::uint32_t magnitude[3];  // the fraction bit, then the lower and upper exponent bit
};
MOE_BOTH constexpr Bits bits_of(std::uint32_t pair) {
  switch (pair) {
    case 0: return {15, {6, 7, 8}};
    case 1: return {12, {3, 4, 5}};
    case 2: return {9, {0, 1, 2}};
    default: return {14, {11, 10, 13}};
  }
}

// The bits of an e2m1 code in its lane's word.
MOE_BOTH constexpr std::uint32_t spread(std::uint32_t code, Place place) {
  const Bits bits = bits_of(place.pair);
  std::uint32_t word = (code >> 3U & 1U) << bits.sign;
  for (std::uint32_t i = 0; i < 3; ++i) word |= (code >> i & 1U) << bits.magnitude[i];
  return place.odd ? word << 16U : word;
}

// The 32-bit word of the record, and the place in it, of the value at (row, k).
struct Position {
  std::uint32_t word;
  Place place;
};
MOE_BOTH constexpr Position position_of(std::uint32_t row, std::uint32_t k) {
  const std::uint32_t group = row / 16;
  const std::uint32_t r = row % 16 / 2;
  const std::uint32_t step = k / 16;
  const std::uint32_t in_step = k % 16;
  const std::uint32_t q = in_step % 8 / 2;
  const std::uint32_t lane = r * 4 + q;
  return {group * 128 + lane * 4 + step, {row % 2 + in_step / 8 * 2, in_step % 2 != 0}};
}
// The byte of the record with the scale of (row, half of the 64 along K).
MOE_BOTH constexpr std::uint32_t scale_position(std::uint32_t row, std::uint32_t half) {
  return kCodeBytes + row / 2 * 4 + row % 2 * 2 + half;
}

MOE_BOTH constexpr std::uint32_t tiles_of(std::uint32_t rows) {
  return (rows + kTileRows - 1) / kTileRows;
}

}  // namespace moe
