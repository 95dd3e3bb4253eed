// SPDX-License-Identifier: Apache-2.0
//
// Sets two sequences of hashes side by side: which element of one is which of the other. What lies
// between long stretches that occur once on each side is aligned by itself, so time is nearly
// linear for code that is mostly the same, and bounded for code that is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace proofline {

inline constexpr std::uint32_t kNoMate = ~std::uint32_t{0};

// One side: its elements, and where each of its blocks begins, in order, the first at 0.
struct AlignedSide {
  std::span<const std::uint64_t> elements;
  std::span<const std::uint32_t> blocks;
};

struct Alignment {
  std::vector<std::uint32_t> of_a;  // of each element of A: its mate in B, or kNoMate
  std::vector<std::uint32_t> of_b;
  // Some stretches are too different to be aligned within the limits: nothing in them has a mate.
  bool capped = false;

  void pair(std::size_t a, std::size_t b) {
    of_a[a] = static_cast<std::uint32_t>(b);
    of_b[b] = static_cast<std::uint32_t>(a);
  }
};

// Mates are in the same order on both sides.
Alignment align(const AlignedSide& a, const AlignedSide& b);

}  // namespace proofline
