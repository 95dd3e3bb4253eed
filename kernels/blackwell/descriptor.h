// SPDX-License-Identifier: Apache-2.0
//
// What a tensor instruction of Blackwell (tcgen05) is told of its operands: two words that describe
// tiles in shared memory, and one that describes the product. Host code too, so that tests can read
// every field.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define BLACKWELL_BOTH __host__ __device__
#else
#define BLACKWELL_BOTH
#endif

namespace blackwell {

enum class Swizzle : std::uint64_t { kNone = 0, k128 = 2, k64 = 4, k32 = 6 };

// address and steps in bytes, multiples of 16. `atom_step` leads to the next eight rows.
BLACKWELL_BOTH constexpr std::uint64_t tile_descriptor(std::uint32_t address,
                                                       std::uint32_t leading_step,
                                                       std::uint32_t atom_step, Swizzle swizzle) {
  return static_cast<std::uint64_t>((address & 0x3ffffU) >> 4U) |
         static_cast<std::uint64_t>(leading_step >> 4U) << 16U |
         static_cast<std::uint64_t>(atom_step >> 4U) << 32U |
         std::uint64_t{1} << 46U |  // this generation's layout of the word
         static_cast<std::uint64_t>(swizzle) << 61U;
}

// Rows of 128 bytes along K, swizzled as the copy engine writes them.
BLACKWELL_BOTH constexpr std::uint64_t k_major(std::uint32_t address) {
  return tile_descriptor(address, 0, 1024, Swizzle::k128);
}
// A block of scales: 32 rows of 16 bytes, one after the other.
BLACKWELL_BOTH constexpr std::uint64_t scale_block(std::uint32_t address) {
  return tile_descriptor(address, 0, 128, Swizzle::kNone);
}
BLACKWELL_BOTH constexpr std::uint64_t advance(std::uint64_t tile, std::uint32_t bytes) {
  return tile + (bytes >> 4U);
}

// bf16 times bf16, sums in fp32; both operands along K.
BLACKWELL_BOTH constexpr std::uint32_t bf16_product(std::uint32_t m, std::uint32_t n) {
  constexpr std::uint32_t kFp32Sums = 1U << 4U;
  constexpr std::uint32_t kBf16Left = 1U << 7U;
  constexpr std::uint32_t kBf16Right = 1U << 10U;
  return kFp32Sums | kBf16Left | kBf16Right | (n >> 3U) << 17U | (m >> 4U) << 24U;
}

// e2m1 times e2m1, each with scales for every 16 values along K.
BLACKWELL_BOTH constexpr std::uint32_t block_scaled_product(std::uint32_t m, std::uint32_t n,
                                                            bool ue8m0) {
  constexpr std::uint32_t kE2m1Left = 1U << 7U;
  constexpr std::uint32_t kE2m1Right = 1U << 10U;
  return kE2m1Left | kE2m1Right | (n >> 3U) << 17U | (ue8m0 ? 1U << 23U : 0U) | (m >> 4U) << 24U;
}

}  // namespace blackwell
