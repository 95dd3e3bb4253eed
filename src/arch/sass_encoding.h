// SPDX-License-Identifier: Apache-2.0
//
// The bits of an encoding, counted from the lowest of 128.
#pragma once

#include <cstdint>

#include "model/code/listing.h"

namespace proofline {

// Bits 0 to 11 say which instruction it is, and in which form its operands are.
constexpr std::uint32_t kSassNumbers = 1U << 12;

inline std::uint32_t sass_number(const Encoding& encoding) {
  return static_cast<std::uint32_t>(encoding.low & (kSassNumbers - 1));
}

constexpr std::uint64_t low_bits(std::uint32_t width) {
  return width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0};
}

inline std::uint64_t bits_of(const Encoding& encoding, std::uint32_t place, std::uint32_t width) {
  if (place >= 64) return (encoding.high >> (place - 64)) & low_bits(width);
  std::uint64_t value = encoding.low >> place;
  if (place + width > 64) value |= encoding.high << (64 - place);
  return value & low_bits(width);
}

inline std::int64_t sign_extended(std::uint64_t value, std::uint32_t width) {
  const std::uint32_t unused = 64 - width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace proofline
