// SPDX-License-Identifier: Apache-2.0
//
// How wgmma finds a tile in shared memory. A tile whose rows run along K ("K-major") lies in rows
// of 128 bytes, eight of which make an atom of 1024 bytes; within an atom the 16-byte chunks of row
// r are exchanged: chunk c stands at c ^ r. So eight threads that read one column's chunks meet
// eight different banks. The copy engine writes tiles so by itself (SWIZZLE_128B).
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define HOPPER_BOTH __host__ __device__
#else
#define HOPPER_BOTH  // tests try every place of a tile
#endif

namespace hopper {

inline constexpr std::uint32_t kRowBytes = 128;
inline constexpr std::uint32_t kAtomRows = 8;
inline constexpr std::uint32_t kAtomBytes = kRowBytes * kAtomRows;

// Where byte `column` of row `row` of a tile lies, from the tile's beginning.
HOPPER_BOTH constexpr std::uint32_t swizzled(std::uint32_t row, std::uint32_t column) {
  const std::uint32_t chunk = column / 16;
  return row * kRowBytes + ((chunk ^ (row % kAtomRows)) * 16) + column % 16;
}

enum class Swizzle : std::uint64_t { kNone = 0, k128 = 1, k64 = 2, k32 = 3 };

// address and steps in bytes, multiples of 16; the tile begins at a multiple of kAtomBytes.
HOPPER_BOTH constexpr std::uint64_t descriptor(std::uint32_t address, std::uint32_t leading_step,
                                               std::uint32_t atom_step, Swizzle swizzle) {
  return static_cast<std::uint64_t>((address & 0x3ffffU) >> 4U) |
         static_cast<std::uint64_t>(leading_step >> 4U) << 16U |
         static_cast<std::uint64_t>(atom_step >> 4U) << 32U |
         static_cast<std::uint64_t>(swizzle) << 62U;
}

// A K-major tile; the leading step means nothing to it.
HOPPER_BOTH constexpr std::uint64_t k_major(std::uint32_t address) {
  return descriptor(address, 0, kAtomBytes, Swizzle::k128);
}

// The same tile from `bytes` further on: 32 for the next product along K (16 bf16 or 32 fp8
// values), 64 * kRowBytes for the next 64 rows.
HOPPER_BOTH constexpr std::uint64_t advance(std::uint64_t tile, std::uint32_t bytes) {
  return tile + (bytes >> 4U);
}

}  // namespace hopper
