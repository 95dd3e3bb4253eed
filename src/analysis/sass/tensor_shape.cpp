// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/tensor_shape.h"

#include <charconv>
#include <system_error>

#include "base/characters.h"

namespace proofline {
namespace {

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

// "64x128x16"
std::optional<TensorShape> spelled_out(std::string_view part) {
  const auto m = whole_number(take_until('x', part));
  const auto n = whole_number(take_until('x', part));
  const auto k = whole_number(part);
  if (!m || !n || !k) return std::nullopt;
  return TensorShape{*m, *n, *k};
}

// "16816" is 16 x 8 x 16, "884" is 8 x 8 x 4: a warp's tiles have 8 columns.
std::optional<TensorShape> packed(std::string_view part) {
  for (const std::string_view sides : {"168", "88"}) {
    if (!part.starts_with(sides)) continue;
    const auto k = whole_number(part.substr(sides.size()));
    if (!k) return std::nullopt;
    return TensorShape{sides == "168" ? 16U : 8U, 8, *k};
  }
  return std::nullopt;
}

}  // namespace

std::optional<TensorShape> tensor_shape(std::string_view opcode) {
  take_until('.', opcode);
  while (!opcode.empty()) {
    const std::string_view part = take_until('.', opcode);
    if (const auto shape = spelled_out(part)) return shape;
    if (const auto shape = packed(part)) return shape;
  }
  return std::nullopt;
}

}  // namespace proofline
