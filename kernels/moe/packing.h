// SPDX-License-Identifier: Apache-2.0
//
// How the kernels here want 4-bit weights: in the order in which a warp needs them for its
// products, so that a lane loads at once what it decodes at once. Packing is done once, when a
// model is loaded. Host code too, so that tests can try every place.
//
// A tile is 128 rows (n) of an expert's weights; along K it is cut into blocks of 64. What belongs
// to one tile and block lies together (kRecordBytes):
//
//   codes   of 8 groups of 16 rows, 512 bytes each: 16 bytes a lane, a 32-bit word for each of the
//           four products along K (16 values each)
//   scales  of 8 groups, 32 bytes each: a word for each pair of rows: the two of the first, the two
//           of the second (one for 32 values along K)
//
// A product's left fragment has, in lane 4r + q, row r at k = 2q, 2q + 1, 2q + 8, 2q + 9, and row
// r + 8 likewise. Fragment rows r and r + 8 are rows 2r and 2r + 1 of the group: so a thread ends
// with two neighbours of one result row, or with the gate and the value of one SwiGLU.
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

// One of the eight values in a lane's word.
struct Place {
  std::uint32_t pair;  // 0: (row r, k 2q), 1: (row r + 8, the same), 2 and 3: the same at k + 8
  bool odd;            // the second of the pair: k + 1
};

// Within its half of the word, where sign and magnitude (exponent and fraction, three bits) of each
// pair's value stand. decode() knows the same by its shifts.
struct Bits {
  std::uint32_t sign;
  std::uint32_t magnitude[3];  // of the fraction bit, then the exponent's lower and upper
};
MOE_BOTH constexpr Bits bits_of(std::uint32_t pair) {
  switch (pair) {
    case 0: return {15, {6, 7, 8}};
    case 1: return {12, {3, 4, 5}};
    case 2: return {9, {0, 1, 2}};
    default: return {14, {11, 10, 13}};
  }
}

// An e2m1 code as the word of its lane has it.
MOE_BOTH constexpr std::uint32_t spread(std::uint32_t code, Place place) {
  const Bits bits = bits_of(place.pair);
  std::uint32_t word = (code >> 3U & 1U) << bits.sign;
  for (std::uint32_t i = 0; i < 3; ++i) word |= (code >> i & 1U) << bits.magnitude[i];
  return place.odd ? word << 16U : word;
}

// Of the value at (row of the tile, k of the block): which 32-bit word of the record, and where in
// it.
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
// The byte of the record with the scale of (row, half of the block).
MOE_BOTH constexpr std::uint32_t scale_position(std::uint32_t row, std::uint32_t half) {
  return kCodeBytes + row / 2 * 4 + row % 2 * 2 + half;
}

MOE_BOTH constexpr std::uint32_t tiles_of(std::uint32_t rows) {
  return (rows + kTileRows - 1) / kTileRows;
}

}  // namespace moe
