// SPDX-License-Identifier: Apache-2.0
//
// domain:range:payload type:payload:colour type:colour:message type:message, in quotes. Colons are
// not escaped; where a name has some, only domain and name are certain, and the rest is left out.
#include "readers/ncu/nvtx_cell.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace proofline {
namespace {

constexpr std::size_t kFields = 8;

template <class Integer>
std::optional<Integer> to_integer(std::string_view text, int base = 10) {
  Integer number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::string given(std::string_view text) {
  return text == "none" ? std::string() : std::string(text);
}

std::optional<NvtxAttributes> read_attributes(const std::array<std::string_view, kFields>& fields) {
  NvtxAttributes attributes;
  attributes.payload_type = given(fields[2]);
  attributes.payload = given(fields[3]);
  if (fields[5].substr(0, 2) == "0x") {
    attributes.argb = to_integer<std::uint32_t>(fields[5].substr(2), 16);
  }
  attributes.message_type = given(fields[6]);
  if (!attributes.message_type.empty()) attributes.message = fields[7];
  const bool any = !attributes.payload_type.empty() || attributes.argb.has_value() ||
                   !attributes.message_type.empty();
  return any ? std::optional(std::move(attributes)) : std::nullopt;
}

std::optional<NvtxRange> read_range(std::string_view text) {
  std::array<std::string_view, kFields> fields;
  std::size_t count = 0;
  for (std::string_view rest = text;; ++count) {
    const std::size_t colon = rest.find(':');
    if (count < kFields) fields[count] = rest.substr(0, colon);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  ++count;
  if (count < 2) return std::nullopt;
  NvtxRange range;
  if (fields[0] != "<default domain>") range.domain = fields[0];
  range.name = fields[1];
  if (count == kFields) range.attributes = read_attributes(fields);
  return range;
}

std::string_view take_id(std::string_view& text) {
  const std::size_t colon = text.find(':');
  const std::string_view id = text.substr(0, colon);
  text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  return id;
}

}  // namespace

void parse_nvtx_cell(std::string_view cell, bool push_pop, std::vector<NvtxRange>& ranges) {
  std::string_view number;
  while (!cell.empty()) {
    const std::size_t open = cell.find('"');
    if (open == std::string_view::npos) return;
    if (const auto before = trim(cell.substr(0, open)); !before.empty()) number = before;
    cell.remove_prefix(open + 1);
    const std::size_t close = cell.find('"');
    std::string_view text = cell.substr(0, close);
    if (!push_pop) number = take_id(text);
    if (auto range = read_range(text)) {
      range->push_pop = push_pop;
      if (push_pop) {
        range->thread = to_integer<std::uint32_t>(number);
      } else {
        range->id = to_integer<std::uint64_t>(number).value_or(0);
      }
      ranges.push_back(*std::move(range));
    }
    cell.remove_prefix(close == std::string_view::npos ? cell.size() : close + 1);
  }
}

}  // namespace proofline
