// SPDX-License-Identifier: Apache-2.0
//
// Strings are most of a trace, so they are looked through sixteen bytes at a time where the machine
// has the instructions for it, which every x86-64 has.
#include "readers/timeline/json_scan.h"

#include <array>
#include <bit>
#include <charconv>

#include "base/characters.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace proofline {
namespace {

constexpr std::size_t kBlock = 16;
static_assert(kBlock <= kScanPadding);

// What numbers and words are made of, by character: every byte of a trace's numbers is asked for.
constexpr std::array<bool, 256> kScalarCharacters = [] {
  std::array<bool, 256> is{};
  for (std::size_t i = 0; i < is.size(); ++i) {
    const auto c = static_cast<char>(i);
    is[i] = is_alphanumeric(c) || c == '+' || c == '-' || c == '.' || c == '_';
  }
  return is;
}();

bool is_scalar_character(char c) { return kScalarCharacters[static_cast<unsigned char>(c)]; }

#ifdef __SSE2__
__m128i load(const char* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

unsigned string_stops(const char* bytes) {
  const __m128i block = load(bytes);
  const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
  // Unsigned: at most 0x1f.
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
}

unsigned nest_stops(const char* bytes) {
  const __m128i block = load(bytes);
  const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
  // Braces and brackets differ by one bit.
  const __m128i folded = _mm_or_si128(block, _mm_set1_epi8(0x20));
  const __m128i open = _mm_cmpeq_epi8(folded, _mm_set1_epi8('{'));
  const __m128i close = _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(quote, _mm_or_si128(open, close))));
}
#else
bool stops_string(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

bool stops_nest(char c) { return c == '"' || c == '{' || c == '}' || c == '[' || c == ']'; }

template <class Stops>
unsigned stops_of(const char* bytes, Stops stops) {
  unsigned mask = 0;
  for (std::size_t i = 0; i < kBlock; ++i) mask |= stops(bytes[i]) ? 1U << i : 0U;
  return mask;
}
unsigned string_stops(const char* bytes) { return stops_of(bytes, stops_string); }
unsigned nest_stops(const char* bytes) { return stops_of(bytes, stops_nest); }
#endif

}  // namespace

std::size_t JsonScan::string_stop(std::size_t from) const {
  while (from < text_.size()) {
    const unsigned stops = string_stops(text_.data() + from);
    if (stops != 0) return from + static_cast<std::size_t>(std::countr_zero(stops));
    from += kBlock;
  }
  return text_.size();
}

std::size_t JsonScan::nest_stop(std::size_t from) const {
  while (from < text_.size()) {
    const unsigned stops = nest_stops(text_.data() + from);
    if (stops != 0) return from + static_cast<std::size_t>(std::countr_zero(stops));
    from += kBlock;
  }
  return text_.size();
}

bool JsonScan::take_string(std::string_view& raw) {
  if (!take('"')) return false;
  const std::size_t begin = at_;
  std::size_t stop = string_stop(begin);
  while (stop < text_.size() && text_[stop] == '\\') stop = string_stop(stop + 2);
  // Here an escape may have led beyond the end too.
  ran_out_ = stop >= text_.size();
  if (ran_out_ || text_[stop] != '"') return false;
  raw = text_.substr(begin, stop - begin);
  at_ = stop + 1;
  return true;
}

bool JsonScan::take_scalar(std::string_view& raw) {
  skip_space();
  const std::size_t begin = at_;
  // The padding after the text is zero, which is no such character.
  while (is_scalar_character(next())) step();
  raw = text_.substr(begin, at_ - begin);
  return at_ > begin;
}

bool JsonScan::skip_nested() {
  std::size_t depth = 0;
  while (true) {
    at_ = nest_stop(at_);
    if (at_end()) return false;
    const char c = next();
    if (c == '"') {
      std::string_view ignored;
      if (!take_string(ignored)) return false;
      continue;
    }
    step();
    if (c == '{' || c == '[') {
      ++depth;
    } else if (--depth == 0) {
      return true;
    }
  }
}

bool JsonScan::skip_value() {
  skip_space();
  std::string_view ignored;
  switch (next()) {
    case '"': return take_string(ignored);
    case '{':
    case '[': return skip_nested();
    default: return take_scalar(ignored);
  }
}

bool JsonScan::take_value(std::string_view& raw) {
  skip_space();
  const std::size_t begin = at_;
  if (!skip_value()) return false;
  raw = text_.substr(begin, at_ - begin);
  return true;
}

bool JsonScan::take_key(std::string_view& key) {
  take(',');
  if (take('}')) return false;
  if (take_string(key) && take(':')) return true;
  failed_ = true;
  return false;
}

bool parse_whole(std::string_view text, std::uint64_t& number) {
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

namespace {

constexpr std::int64_t kMostNanoseconds = std::int64_t{1} << 62;

// One with an exponent is a number that a program wrote from a double.
bool parse_from_double(std::string_view text, std::int64_t& ns) {
  double microseconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, microseconds);
  if (error != std::errc() || stop != end) return false;
  const double nanoseconds = microseconds * 1000;
  constexpr auto kMost = static_cast<double>(kMostNanoseconds);
  if (!(nanoseconds > -kMost && nanoseconds < kMost)) return false;
  ns = static_cast<std::int64_t>(nanoseconds + (nanoseconds < 0 ? -0.5 : 0.5));
  return true;
}

}  // namespace

bool parse_microseconds(std::string_view text, std::int64_t& ns) {
  constexpr std::int64_t kMostWhole = kMostNanoseconds / 1000 - 1;
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) ++at;
  const std::size_t first = at;
  std::int64_t whole = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    whole = whole * 10 + (text[at] - '0');
    if (whole > kMostWhole) return parse_from_double(text, ns);
  }
  if (at == first) return false;
  std::int64_t value = whole * 1000;
  if (at < text.size() && text[at] == '.') {
    ++at;
    int scale = 100;
    bool rounded = false;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      if (scale > 0) {
        value += (text[at] - '0') * scale;
        scale /= 10;
      } else if (!rounded) {
        rounded = true;
        if (text[at] >= '5') ++value;
      }
    }
  }
  if (at != text.size()) return parse_from_double(text, ns);
  ns = negative ? -value : value;
  return true;
}

namespace {

bool hex4(std::string_view raw, std::size_t at, std::uint32_t& unit) {
  if (at + 4 > raw.size()) return false;
  const char* begin = raw.data() + at;
  const auto [stop, error] = std::from_chars(begin, begin + 4, unit, 16);
  return error == std::errc() && stop == begin + 4;
}

void append_utf8(std::uint32_t code, std::string& text) {
  const auto byte = [&](std::uint32_t value) { text.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | (code >> 6U));
    byte(0x80 | (code & 0x3fU));
  } else if (code < 0x10000) {
    byte(0xe0 | (code >> 12U));
    byte(0x80 | ((code >> 6U) & 0x3fU));
    byte(0x80 | (code & 0x3fU));
  } else {
    byte(0xf0 | (code >> 18U));
    byte(0x80 | ((code >> 12U) & 0x3fU));
    byte(0x80 | ((code >> 6U) & 0x3fU));
    byte(0x80 | (code & 0x3fU));
  }
}

char escaped_character(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

}  // namespace

bool unescape_json(std::string_view raw, std::string& text) {
  text.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      text.push_back(raw[i]);
      continue;
    }
    if (++i == raw.size()) return false;
    if (raw[i] != 'u') {
      const char c = escaped_character(raw[i]);
      if (c == '\0') return false;
      text.push_back(c);
      continue;
    }
    std::uint32_t code = 0;
    if (!hex4(raw, i + 1, code)) return false;
    i += 4;
    std::uint32_t low = 0;
    if (code >= 0xd800 && code < 0xdc00 && raw.substr(i + 1).starts_with("\\u") &&
        hex4(raw, i + 3, low) && low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
      i += 6;
    }
    append_utf8(code, text);
  }
  return true;
}

}  // namespace proofline
