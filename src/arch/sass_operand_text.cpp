// SPDX-License-Identifier: Apache-2.0
#include "arch/sass_operand_text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace proofline {
namespace {

// Bits of a number of 16 bits as one of 32; the shorter kind is its upper half.
float half_of(std::uint64_t bits) {
  const bool negative = (bits & 0x8000U) != 0;
  const auto exponent = static_cast<int>(bits >> 10U & 0x1fU);
  const auto fraction = static_cast<float>(bits & 0x3ffU);
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(fraction + 1024, exponent - 25);
  }
  return std::copysign(value, negative ? -1.0F : 1.0F);
}

double number_of(char kind, std::uint64_t bits) {
  switch (kind) {
    case 'E': return std::bit_cast<double>(bits << 32U);
    case 'H': return static_cast<double>(half_of(bits));
    case 'G':
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16U)));
    default: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

}  // namespace

std::string float_text(char kind, std::uint64_t bits) {
  const double value = number_of(kind, bits);
  constexpr double kFirstWithExponent = 1e9;
  if (std::isnan(value)) return std::signbit(value) ? "-QNAN" : "+QNAN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "+INF";
  if (value == 0 && std::signbit(value)) return "-0.0";
  return std::abs(value) < kFirstWithExponent ? fmt::format("{:.20g}", value)
                                              : fmt::format("{:.20e}", value);
}

std::string hex_text(std::int64_t value) {
  return value < 0 ? fmt::format("-{:#x}", 0 - static_cast<std::uint64_t>(value))
                   : fmt::format("{:#x}", value);
}

std::string register_text(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return operand.index == Operand::kZero ? "RZ" : fmt::format("R{}", operand.index);
    case OperandKind::kUniformRegister:
      return operand.index == Operand::kZero ? "URZ" : fmt::format("UR{}", operand.index);
    case OperandKind::kPredicate:
      return operand.index == Operand::kTrue ? "PT" : fmt::format("P{}", operand.index);
    default: return operand.index == Operand::kTrue ? "UPT" : fmt::format("UP{}", operand.index);
  }
}

std::string set_text(std::uint64_t set) {
  std::string text;
  for (int bit = 63; bit >= 0; --bit) {
    if ((set >> static_cast<unsigned>(bit) & 1U) == 0) continue;
    text += text.empty() ? "" : ",";
    text += std::to_string(bit);
  }
  return "{" + text + "}";
}

}  // namespace proofline
