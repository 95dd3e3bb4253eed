// SPDX-License-Identifier: Apache-2.0
#include "readers/sanitizer/sanitizer_log_place.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/regex_text.h"
#include "readers/sanitizer/sanitizer_log_lines.h"

namespace proofline {
namespace {

std::uint32_t parse_line_number(std::string_view text) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(parse_counted(text), UINT32_MAX));
}

// "f(int)+0x90 in a.cu:8", of some versions "f(int):0x90"; from its end, since a name may be long.
bool read_offset_after_name(std::string_view text, DevicePlace& place) {
  constexpr std::string_view kIn = " in ";
  const std::size_t in = text.rfind(kIn);
  std::string_view before = text.substr(0, in);
  const std::size_t zero = before.rfind("0x");
  if (zero == std::string_view::npos || zero == 0) return false;
  if (before[zero - 1] != '+' && before[zero - 1] != ':') return false;
  const auto offset = parse_hex(before.substr(zero));
  if (!offset) return false;
  if (in != std::string_view::npos) {
    const std::string_view source = text.substr(in + kIn.size());
    const std::size_t colon = std::min(source.rfind(':'), source.size());
    place.file = source.substr(0, colon);
    place.line = parse_line_number(source.substr(colon));
  }
  place.function = before.substr(0, zero - 1);
  place.offset = offset;
  return true;
}

}  // namespace

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

DevicePlace parse_device_place(std::string_view text) {
  static const RE2 kBeforeName(R"((0x[0-9a-fA-F]+)(?: in (?:(.+?):(\d+):)?(.*))?)");
  static const RE2 kLine(R"((.+?):(\d+):(.*))");
  DevicePlace place;
  if (read_offset_after_name(text, place)) return place;
  std::string offset;
  std::string line;
  const re2::StringPiece all = regex_text(text);
  if (RE2::FullMatch(all, kBeforeName, &offset, &place.file, &line, &place.function)) {
    place.offset = parse_hex(offset);
  } else if (!RE2::FullMatch(all, kLine, &place.file, &line, &place.function)) {
    place.function = text;
  }
  place.line = parse_line_number(line);
  return place;
}

}  // namespace proofline
