// SPDX-License-Identifier: Apache-2.0
//
// Everything works on code points: one walk over the text, in which an invalid UTF-8 byte
// counts as one.

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace proofline {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;  // in bytes
  bool valid = false;      // otherwise value is the byte itself
};

// The first code point of a text that is not empty.
CodePoint first_code_point(std::string_view text) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by length; less is overlong
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const CodePoint invalid{lead, 1, false};
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return invalid;
  char32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return invalid;
    value = (value << 6U) | (byte(i) & 0x3fU);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[length] || surrogate || value > 0x10ffff) return invalid;
  return {value, length, true};
}

// Calls visit(code point, its bytes) for each.
template <class Visit>
void for_each_code_point(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    visit(point, text.substr(0, point.length));
    text.remove_prefix(point.length);
  }
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool contains(const Range (&sorted)[N], char32_t value) {
  const auto* after = std::upper_bound(std::begin(sorted), std::end(sorted), value,
                                       [](char32_t v, const Range& r) { return v < r.first; });
  return after != std::begin(sorted) && value <= std::prev(after)->last;
}

bool is_control(const CodePoint& point) {
  return point.valid && (point.value < 0x20 || (point.value >= 0x7f && point.value <= 0x9f));
}

// What a reader cannot see although it changes what he sees: soft hyphen, bidirectional controls,
// zero-width characters, line and paragraph separator, byte order mark, annotation marks, tags.
constexpr Range kInvisible[] = {{0x00ad, 0x00ad}, {0x061c, 0x061c}, {0x180e, 0x180e},
                                {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                                {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

// Marks that combine with the character before them, of the scripts likely in names.
constexpr Range kCombining[] = {{0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

// Two columns each: East Asian scripts and emoji, after Unicode's East Asian Width, but by blocks
// and without the rarer lone symbols.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x26a1, 0x26a1},
    {0x2705, 0x2705},   {0x2728, 0x2728},   {0x274c, 0x274e},   {0x2753, 0x2757},
    {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x1b2ff}, {0x1f200, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f7e0, 0x1f7ff}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

std::size_t columns(const CodePoint& point) {
  if (point.value < 0x300 || !point.valid) return 1;
  if (contains(kCombining, point.value)) return 0;
  return contains(kWide, point.value) ? 2 : 1;
}

void append_escape(std::string& out, const CodePoint& point) {
  const auto value = static_cast<std::uint32_t>(point.value);
  if (value == '\t')
    out += "\\t";
  else if (value == '\n')
    out += "\\n";
  else if (value == '\r')
    out += "\\r";
  else if (value < 0x80 || !point.valid)
    out += fmt::format("\\x{:02x}", value);
  else if (value <= 0xffff)
    out += fmt::format("\\u{:04x}", value);
  else
    out += fmt::format("\\U{:08x}", value);
}

}  // namespace

std::string escape_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_code_point(text, [&out](const CodePoint& point, std::string_view bytes) {
    if (!point.valid || is_control(point) || contains(kInvisible, point.value))
      append_escape(out, point);
    else
      out += bytes;
  });
  return out;
}

std::string quote(std::string_view text, std::size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  if (cut) {
    // Not within a character (at most three bytes before its end), which would look damaged then.
    const auto continues = [text](std::size_t i) {
      return (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80U;
    };
    for (int i = 0; i < 3 && max_bytes > 0 && continues(max_bytes); ++i) --max_bytes;
    text = text.substr(0, max_bytes);
  }
  std::string out = "\"";
  for (const char c : escape_terminal(text)) {
    if (c == '"') out += '\\';
    out += c;
  }
  return out += cut ? "...\"" : "\"";
}

std::string csv_text_field(std::string_view text) {
  constexpr std::string_view kFormulaStarts = "=+-@\t\r";
  std::string out = "\"";
  if (!text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos) out += '\'';
  for_each_code_point(text, [&out](const CodePoint& point, std::string_view bytes) {
    // A line break, though CSV allows it, would let a stranger's name begin a line, which a CI
    // system may obey. A tab is content.
    const bool fools =
        (is_control(point) && point.value != '\t') || contains(kInvisible, point.value);
    if (!point.valid || fools)
      append_escape(out, point);
    else
      out += bytes;
    if (point.value == '"') out += '"';
  });
  return out += '"';
}

std::string to_valid_utf8(std::string_view text) {
  if (is_valid_utf8(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for_each_code_point(text, [&out](const CodePoint& point, std::string_view bytes) {
    out += point.valid ? bytes : "\xef\xbf\xbd";
  });
  return out;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!point.valid) return false;
    text.remove_prefix(point.length);
  }
  return true;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for_each_code_point(
      utf8, [&width](const CodePoint& point, std::string_view) { width += columns(point); });
  return width;
}

std::string elide_middle(std::string_view utf8, std::size_t width) {
  constexpr std::string_view kEllipsis = "...";
  const std::size_t total = display_width(utf8);
  if (total <= width) return std::string(utf8);
  if (width <= kEllipsis.size()) return std::string(kEllipsis.substr(0, width));
  const std::size_t head_width = (width - kEllipsis.size() + 1) / 2;
  const std::size_t tail_start = total - (width - kEllipsis.size() - head_width);
  std::string head;
  std::string tail;
  std::size_t column = 0;
  for_each_code_point(utf8, [&](const CodePoint& point, std::string_view bytes) {
    if (column >= tail_start) tail += bytes;
    column += columns(point);
    if (column <= head_width) head += bytes;
  });
  return head.append(kEllipsis).append(tail);
}

std::string short_hash(std::string_view bytes) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193U;
  return fmt::format("{:08x}", hash);
}

std::string group_digits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  const std::string number = group_digits(count);
  if (count == 1) return fmt::format("{} {}", number, one);
  return many.empty() ? fmt::format("{} {}s", number, one) : fmt::format("{} {}", number, many);
}

std::string percent(double share, int decimals) {
  return fmt::format("{:.{}f} %", 100 * share, decimals);
}

std::string share_text(double share) {
  const double value = 100 * share;
  return without_zeros(fmt::format("{:.{}f}", value, std::abs(value) < 1 ? 2 : 1)) + " %";
}

std::string without_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace proofline
