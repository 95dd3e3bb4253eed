// SPDX-License-Identifier: Apache-2.0
#include "workflow/expectation.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/text.h"

namespace proofline {
namespace {

// "1.5" from the front of the text.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_word(std::string_view& text, std::string_view word) {
  text = trim(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  text = trim(text);
  return true;
}

std::optional<double> gain_of(double number, char unit) {
  if (unit == 'x') return number > 0 ? std::optional(1 - 1 / number) : std::nullopt;
  // All of the time is the most that can be saved.
  return number < 100 ? std::optional(number / 100) : std::nullopt;
}

// The unit after a number; of a range's first number it may be left out.
char take_unit(std::string_view& text) {
  if (take_word(text, "%")) return '%';
  return take_word(text, "x") ? 'x' : '\0';
}

std::optional<GainRange> parse_range(std::string_view text) {
  text = trim(text);
  const auto first = take_number(text);
  if (!first) return std::nullopt;
  const char first_unit = take_unit(text);
  auto last = first;
  char last_unit = first_unit;
  if (take_word(text, "-") || take_word(text, "to")) {
    last = take_number(text);
    last_unit = take_unit(text);
  }
  if (!last || !text.empty() || last_unit == '\0') return std::nullopt;
  if (first_unit != '\0' && first_unit != last_unit) return std::nullopt;
  const auto low = gain_of(*first, last_unit);
  const auto high = gain_of(*last, last_unit);
  if (!low || !high || *low > *high) return std::nullopt;
  return GainRange{*low, *high};
}

}  // namespace

Result<GainRange> parse_expectation(std::string_view text) {
  if (const auto range = parse_range(text)) return *range;
  return fail(ErrorKind::kUsage,
              fmt::format("{} is no expected gain; write the share of time saved (15%, 10-20%) or "
                          "the speed-up (1.3x, 1.2x-1.5x)",
                          quote(text)));
}

}  // namespace proofline
