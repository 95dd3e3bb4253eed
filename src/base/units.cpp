// SPDX-License-Identifier: Apache-2.0
//
// The prefixes and factors were checked against reports that ncu printed both scaled and in base
// units. Numbers are read with std::from_chars only, which no locale can change.
#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>

#include "base/characters.h"

namespace proofline {
namespace {

struct TimeUnit {
  std::string_view text;
  int exponent;  // in ns
};
constexpr TimeUnit kTimes[] = {{"ns", 0},      {"us", 3},      {"ms", 6},      {"s", 9},
                               {"nsecond", 0}, {"usecond", 3}, {"msecond", 6}, {"second", 9}};
constexpr int kSecond = 9;

// What ncu counts. Sorted.
constexpr std::string_view kWords[] = {
    "block",  "branches", "byte", "cluster", "cycle",  "hz",       "inst",    "op",
    "ops",    "packet",   "pass", "pixel",   "quad",   "register", "request", "sample",
    "sector", "sectors",  "tag",  "texel",   "thread", "vertex",   "warp",    "wavefront"};

constexpr std::string_view kPrefixes = "KMGTPE";

std::optional<int> time_exponent(std::string_view text) {
  for (const TimeUnit& unit : kTimes) {
    if (unit.text == text) return unit.exponent;
  }
  return std::nullopt;
}

bool is_word(std::string_view text) {
  return std::binary_search(std::begin(kWords), std::end(kWords), text);
}

// One side of the slash: cuts off the SI prefix and returns its power of ten.
int take_prefix(std::string_view& text) {
  if (text.empty()) return 0;
  const std::size_t prefix = kPrefixes.find(text.front());
  if (prefix == std::string_view::npos || !is_word(text.substr(1))) return 0;
  text.remove_prefix(1);
  return 3 * (static_cast<int>(prefix) + 1);
}

std::size_t digits_at(std::string_view text, std::size_t start) {
  std::size_t end = start;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - start;
}

// The places of the marks in a text of digits and marks only.
struct Shape {
  std::size_t points = 0;
  std::size_t commas = 0;
  char last_mark = 0;
  std::size_t after_last = 0;  // digits after the last mark
};

std::optional<Shape> shape_of(std::string_view text) {
  Shape shape;
  for (const char c : text) {
    if (is_digit(c)) {
      ++shape.after_last;
      continue;
    }
    if (c != '.' && c != ',') return std::nullopt;
    ++(c == '.' ? shape.points : shape.commas);
    shape.last_mark = c;
    shape.after_last = 0;
  }
  return shape;
}

// The digits of a number without its separators, ready for std::from_chars. Numbers are short; a
// longer row of digits is text that only looks like one.
class Digits {
 public:
  bool append(std::string_view text) {
    if (text.size() > buffer_.size() - size_) return false;
    size_ = static_cast<std::size_t>(std::copy(text.begin(), text.end(), buffer_.begin() + size_) -
                                     buffer_.begin());
    return true;
  }
  bool append(int exponent) {
    std::array<char, 16> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), exponent);
    return append("e") && append({text.data(), static_cast<std::size_t>(end.ptr - text.data())});
  }
  const char* begin() const { return buffer_.data(); }
  const char* end() const { return buffer_.data() + size_; }

 private:
  std::array<char, 400> buffer_{};
  std::size_t size_ = 0;
};

// Takes "1234" or "1,234,567" off the front; false if separators are not where they belong.
bool take_whole(std::string_view& text, char separator, Digits& digits) {
  std::size_t count = digits_at(text, 0);
  if (count == 0 || !digits.append(text.substr(0, count))) return false;
  const bool may_group = count <= 3;
  text.remove_prefix(count);
  while (!text.empty() && text.front() == separator) {
    count = digits_at(text, 1);
    if (!may_group || count != 3 || !digits.append(text.substr(1, count))) return false;
    text.remove_prefix(1 + count);
  }
  return true;
}

// The exponent of "1.5e+09", taken off the front.
std::optional<int> take_exponent(std::string_view& text) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) return 0;
  text.remove_prefix(1);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  int exponent = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), exponent);
  // Beyond what any double has, from_chars below says so anyway.
  constexpr int kMost = 10000;
  if (end.ec != std::errc{} || exponent > kMost || exponent < -kMost) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return exponent;
}

Number special_number(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text == "inf" || text == "Inf" || text == "INF" || text == "infinity") {
    return std::numeric_limits<double>::infinity();
  }
  if (text == "nan" || text == "NaN" || text == "NAN" || text == "nan(ind)") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::monostate{};
}

Number to_number(const Digits& digits, bool whole) {
  if (whole) {
    std::uint64_t number = 0;
    const auto end = std::from_chars(digits.begin(), digits.end(), number);
    if (end.ec == std::errc{} && end.ptr == digits.end()) return number;
  }
  double number = 0;
  const auto end = std::from_chars(digits.begin(), digits.end(), number);
  if (end.ec == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  if (end.ec != std::errc{} || end.ptr != digits.end()) return std::monostate{};
  return number;
}

}  // namespace

ScaledUnit parse_unit(std::string_view text) {
  const std::size_t stroke = text.find('/');
  std::string_view above = text.substr(0, stroke);
  if (stroke == std::string_view::npos) {
    if (const auto time = time_exponent(above)) return {*time, "ns"};
    const int exponent = take_prefix(above);
    return {exponent, std::string(above)};
  }
  std::string_view below = text.substr(stroke + 1);
  int exponent = 0;
  if (const auto time = time_exponent(above)) {
    exponent = *time;
    above = "ns";
  } else {
    exponent = take_prefix(above);
  }
  if (const auto time = time_exponent(below)) {
    exponent += kSecond - *time;
    below = "s";
  } else {
    exponent += take_prefix(below);
  }
  if (above == "cycle" && below == "s") return {exponent, "hz"};
  return {exponent, std::string(above) + '/' + std::string(below)};
}

bool is_unit(std::string_view text) {
  const std::string whole = parse_unit(text).base;
  std::string_view below = whole;
  const std::string_view above = take_until('/', below);
  if (!is_one_of(above, {"%", "ns", "SM"}) && !is_word(above)) return false;
  return above.size() == whole.size() || below == "s" || is_word(below);
}

Number parse_number(std::string_view text, int exponent, DecimalMark mark) {
  const char decimal = mark == DecimalMark::kPoint ? '.' : ',';
  const char separator = mark == DecimalMark::kPoint ? ',' : '.';
  std::string_view rest = text;
  Digits digits;
  bool whole = exponent == 0;
  if (!rest.empty() && rest.front() == '-') {
    digits.append("-");
    rest.remove_prefix(1);
    whole = false;
  }
  if (rest.empty() || !is_digit(rest.front())) return special_number(text);
  if (!take_whole(rest, separator, digits)) return std::monostate{};
  if (!rest.empty() && rest.front() == decimal) {
    const std::size_t count = digits_at(rest, 1);
    if (!digits.append(".") || !digits.append(rest.substr(1, count))) return std::monostate{};
    rest.remove_prefix(1 + count);
    whole = false;
  }
  if (!rest.empty()) {
    const auto own = take_exponent(rest);
    if (!own || !rest.empty()) return std::monostate{};
    exponent += *own;
    whole = false;
  }
  if (!whole && !digits.append(exponent)) return std::monostate{};
  return to_number(digits, whole);
}

void DecimalMarkVote::see(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const auto shape = shape_of(text);
  if (!shape || shape->last_mark == 0) return;
  const bool fraction = shape->after_last != 3;
  if (shape->points > 0 && shape->commas > 0) {
    ++(shape->last_mark == '.' ? point_ : comma_);
  } else if (shape->points + shape->commas > 1) {
    ++(shape->points > 0 ? comma_ : point_);
  } else if (fraction) {
    ++(shape->points > 0 ? point_ : comma_);
  }
}

}  // namespace proofline
