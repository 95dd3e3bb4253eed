// SPDX-License-Identifier: Apache-2.0
//
// How a tile lies in shared memory, and its wgmma descriptor. All tiles here are K-major with the
// 128-byte swizzle: a row is 128 bytes along K (64 bf16 or 128 fp8 values), eight rows are an atom
// of 1024 bytes, and within an atom the 16-byte chunk c of row r is stored at chunk c ^ r:
//
//   chunk       0   1   2   3   4   5   6   7
//   row 0       0   1   2   3   4   5   6   7
//   row 1       1   0   3   2   5   4   7   6
//   row 2       2   3   0   1   6   7   4   5
//    ...
//   row 7       7   6   5   4   3   2   1   0
//
// Eight rows of one column of chunks are thus in eight different bank groups. TMA writes tiles this
// way (CU_TENSOR_MAP_SWIZZLE_128B), and wgmma reads them this way (Swizzle::k128).
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define HOPPER_BOTH __host__ __device__
#else
#define HOPPER_BOTH  // tests enumerate every byte of a tile
#endif

namespace hopper {

inline constexpr std::uint32_t kRowBytes = 128;
inline constexpr std::uint32_t kAtomRows = 8;
inline constexpr std::uint32_t kAtomBytes = kRowBytes * kAtomRows;  // and alignment of every tile
// One product along K: k16 of bf16 or k32 of fp8.
inline constexpr std::uint32_t kStepBytes = 32;

// Offset in the tile of byte `column` of row `row`.
HOPPER_BOTH constexpr std::uint32_t swizzled(std::uint32_t row, std::uint32_t column) {
  const std::uint32_t chunk = column / 16;
  return row * kRowBytes + ((chunk ^ (row % kAtomRows)) * 16) + column % 16;
}

enum class Swizzle : std::uint64_t { kNone = 0, k128 = 1, k64 = 2, k32 = 3 };

// Preconditions: the address and both byte offsets are multiples of 16; a swizzled tile starts at a
// multiple of kAtomBytes. Bits 0-13 address, 16-29 leading byte offset, 32-45 stride byte offset
// (from eight rows to the next eight), each in units of 16 bytes; 62-63 swizzle.
HOPPER_BOTH constexpr std::uint64_t descriptor(std::uint32_t address, std::uint32_t leading_offset,
                                               std::uint32_t stride_offset, Swizzle swizzle) {
  return static_cast<std::uint64_t>((address & 0x3ffffU) >> 4U) |
         static_cast<std::uint64_t>(leading_offset >> 4U) << 16U |
         static_cast<std::uint64_t>(stride_offset >> 4U) << 32U |
         static_cast<std::uint64_t>(swizzle) << 62U;
}

// A K-major tile with the 128-byte swizzle, for which wgmma ignores the leading byte offset.
HOPPER_BOTH constexpr std::uint64_t k_major(std::uint32_t address) {
  return descriptor(address, 0, kAtomBytes, Swizzle::k128);
}

// The same tile `bytes` further on: kStepBytes for the next product along K, 64 * kRowBytes for the
// next 64 rows.
HOPPER_BOTH constexpr std::uint64_t advance(std::uint64_t tile, std::uint32_t bytes) {
  return tile + (bytes >> 4U);
}

}  // namespace hopper
