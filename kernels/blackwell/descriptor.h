// SPDX-License-Identifier: Apache-2.0
//
// The descriptors of tcgen05.mma: of a tile in shared memory (64 bits) and of the instruction, its
// types and shape (32 bits). Host code too, so that tests can check every field.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define BLACKWELL_BOTH __host__ __device__
#else
#define BLACKWELL_BOTH
#endif

namespace blackwell {

enum class Swizzle : std::uint64_t { kNone = 0, k128 = 2, k64 = 4, k32 = 6 };

// Preconditions: the address and both byte offsets are multiples of 16. The stride byte offset
// leads to the next eight rows.
BLACKWELL_BOTH constexpr std::uint64_t tile_descriptor(std::uint32_t address,
                                                       std::uint32_t leading_offset,
                                                       std::uint32_t stride_offset,
                                                       Swizzle swizzle) {
  return static_cast<std::uint64_t>((address & 0x3ffffU) >> 4U) |
         static_cast<std::uint64_t>(leading_offset >> 4U) << 16U |
         static_cast<std::uint64_t>(stride_offset >> 4U) << 32U |
         std::uint64_t{1} << 46U |  // descriptor version of sm_100
         static_cast<std::uint64_t>(swizzle) << 61U;
}

// K-major rows of 128 bytes with TMA's 128-byte swizzle.
BLACKWELL_BOTH constexpr std::uint64_t k_major(std::uint32_t address) {
  return tile_descriptor(address, 0, 1024, Swizzle::k128);
}
// A block of scales, (32, 16 B), not swizzled.
BLACKWELL_BOTH constexpr std::uint64_t scale_block(std::uint32_t address) {
  return tile_descriptor(address, 0, 128, Swizzle::kNone);
}
BLACKWELL_BOTH constexpr std::uint64_t advance(std::uint64_t tile, std::uint32_t bytes) {
  return tile + (bytes >> 4U);
}

// Instruction descriptor: bf16 A and B, both K-major, fp32 accumulators.
BLACKWELL_BOTH constexpr std::uint32_t bf16_instruction(std::uint32_t m, std::uint32_t n) {
  constexpr std::uint32_t kFp32Accumulators = 1U << 4U;
  constexpr std::uint32_t kBf16A = 1U << 7U;
  constexpr std::uint32_t kBf16B = 1U << 10U;
  return kFp32Accumulators | kBf16A | kBf16B | (n >> 3U) << 17U | (m >> 4U) << 24U;
}

// Instruction descriptor: e2m1 A and B, each with a scale for every 16 values along K.
BLACKWELL_BOTH constexpr std::uint32_t block_scaled_instruction(std::uint32_t m, std::uint32_t n,
                                                                bool ue8m0) {
  constexpr std::uint32_t kE2m1A = 1U << 7U;
  constexpr std::uint32_t kE2m1B = 1U << 10U;
  return kE2m1A | kE2m1B | (n >> 3U) << 17U | (ue8m0 ? 1U << 23U : 0U) | (m >> 4U) << 24U;
}

}  // namespace blackwell
