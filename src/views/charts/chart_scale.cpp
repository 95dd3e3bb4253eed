// SPDX-License-Identifier: Apache-2.0
#include "views/charts/chart_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/text.h"

namespace proofline {
namespace {

// Sums and differences of what is within stay finite, and quotients above zero.
constexpr double kLargest = 1e150;
constexpr double kSmallest = 1e-150;
constexpr int kDigits = 4;

bool is_power_of_two(double value) {
  int exponent = 0;
  return value >= 1 && std::frexp(value, &exponent) == 0.5;
}

std::string without_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos || digits.find('e') != std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

// With so many significant digits, and no exponent for what is short without one.
std::string plain_number(double value, int digits) {
  const double size = std::abs(value);
  if (size < 1 || size >= 1e6) return without_zeros(fmt::format("{:.{}g}", value, digits));
  const int whole_digits = static_cast<int>(std::log10(size)) + 1;
  return without_zeros(fmt::format("{:.{}f}", value, std::max(0, digits - whole_digits)));
}

struct Prefix {
  int exponent;
  std::string_view text;
};

// Fractions of a second have names that people use, thousands of them have not; with all else it is
// the other way round.
constexpr Prefix kOfTime[] = {{-12, "p"}, {-9, "n"}, {-6, "\u00b5"}, {-3, "m"}, {0, ""}};
constexpr Prefix kOfRest[] = {{0, ""},   {3, "k"},  {6, "M"}, {9, "G"},
                              {12, "T"}, {15, "P"}, {18, "E"}};

Prefix prefix_for(double value, std::span<const Prefix> prefixes) {
  // Rounded to four digits, 999.96 is a thousand.
  const double size = std::abs(value) * (1 + 5e-5);
  Prefix chosen = prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (size >= std::pow(10.0, prefix.exponent)) chosen = prefix;
  }
  return chosen;
}

std::string prefixed(double value, std::string_view unit, std::span<const Prefix> prefixes,
                     int digits) {
  if (value == 0) return "0";
  const Prefix prefix = prefix_for(value, prefixes);
  return fmt::format("{}{}{}{}", plain_number(value / std::pow(10.0, prefix.exponent), digits),
                     unit.empty() ? "" : " ", prefix.text, unit);
}

std::string text_in_unit(double value, std::string_view unit, int digits) {
  if (unit == "x") return plain_number(value, digits) + "\u00d7";
  if (unit == "ns") return prefixed(value * 1e-9, "s", kOfTime, digits);
  // Sizes are known by all their digits: 8192, not 8.192k.
  if (unit.empty() && std::abs(value) < 1e5) return plain_number(value, digits);
  return prefixed(value, unit, kOfRest, digits);
}

// "16 Ki": sizes in computing are powers of two, and look odd as 16.38k.
std::string binary_text(double value) {
  constexpr std::array<std::string_view, 7> kBinary = {"",    " Ki", " Mi", " Gi",
                                                       " Ti", " Pi", " Ei"};
  std::size_t step = 0;
  while (value >= 1024 && step + 1 < kBinary.size()) {
    value /= 1024;
    ++step;
  }
  return plain_number(value, kDigits) + std::string(kBinary[step]);
}

// --- ticks

// A round step for at most so many ticks over the span.
double round_step(double span, std::size_t most_ticks) {
  const double least = span / static_cast<double>(most_ticks - 1);
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least * (1 - 1e-9)) return factor * decade;
  }
  return 10 * decade;
}

std::vector<double> linear_ticks(double low, double high, std::size_t most_ticks) {
  double step = round_step(high - low, most_ticks);
  double first = 0;
  double last = 0;
  // The ends are moved out to whole steps, which can make one tick too many.
  for (;;) {
    first = std::floor(low / step + 1e-9);
    last = std::ceil(high / step - 1e-9);
    if (last - first < static_cast<double>(most_ticks)) break;
    step = round_step(step * static_cast<double>(most_ticks) * 1.01, most_ticks);
  }
  std::vector<double> values;
  for (double i = first; i <= last; ++i) values.push_back(i * step);
  return values;
}

// Whole powers, every so many of them that there are not too many.
std::vector<double> power_ticks(double base, double low, double high, std::size_t most_ticks) {
  const double scale = std::log(base);
  const double first = std::floor(std::log(low) / scale + 1e-9);
  const double last = std::max(first + 1, std::ceil(std::log(high) / scale - 1e-9));
  const double stride = std::ceil((last - first) / static_cast<double>(most_ticks - 1));
  std::vector<double> values;
  for (double exponent = first; exponent < last + stride; exponent += stride) {
    values.push_back(std::pow(base, exponent));
  }
  return values;
}

// 1, 2, 5, 10, 20, ... from the last that is not above `low` to the first not below `high`.
std::vector<double> fine_decade_ticks(double low, double high) {
  std::vector<double> values;
  for (double exponent = std::floor(std::log10(low));; ++exponent) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, exponent);
      if (value <= low * (1 + 1e-9)) values.clear();
      values.push_back(value);
      if (value >= high * (1 - 1e-9) && values.size() > 1) return values;
    }
  }
}

std::vector<double> log_ticks(double low, double high, std::size_t most_ticks) {
  // So little that round numbers in a row mark it better, as far as they stay positive.
  if (high / low < 3) {
    std::vector<double> values = linear_ticks(low, high, most_ticks);
    if (values.front() > 0) return values;
  }
  if (high / low < 1e6) {
    std::vector<double> values = fine_decade_ticks(low, high);
    if (values.size() <= most_ticks) return values;
  }
  return power_ticks(10, low, high, most_ticks);
}

std::vector<double> tick_values(const ChartExtent& extent, bool binary, std::size_t most_ticks) {
  double low = extent.low();
  double high = extent.high();
  const double size = std::max(std::abs(low), std::abs(high));
  if (size < kSmallest) return {0, 1};  // nothing but zeros
  // One value, or as good as one, is in the middle.
  if (high - low < 1e-6 * size) {
    low -= 0.05 * size;
    high += 0.05 * size;
  }
  if (extent.scale() == Scale::kLinear) return linear_ticks(low, high, most_ticks);
  return binary && low >= 1 ? power_ticks(2, low, high, most_ticks)
                            : log_ticks(low, high, most_ticks);
}

// With as many digits as tell neighbours apart.
template <class Text>
std::vector<ChartTick> labelled(const std::vector<double>& values, Text text) {
  constexpr int kMostDigits = 12;
  std::vector<ChartTick> ticks;
  for (int digits = kDigits; digits <= kMostDigits; ++digits) {
    ticks.clear();
    for (const double value : values) ticks.push_back({value, text(value, digits)});
    const auto same = [](const ChartTick& a, const ChartTick& b) { return a.label == b.label; };
    if (std::adjacent_find(ticks.begin(), ticks.end(), same) == ticks.end()) break;
  }
  return ticks;
}

}  // namespace

bool ChartExtent::can_show(double value, Scale scale) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return scale == Scale::kLinear || value >= kSmallest;
}

void ChartExtent::add(double value) {
  if (!can_show(value, scale_)) return;
  stretch(value);
  ++values_;
  if (is_power_of_two(value)) ++powers_of_two_;
}

void ChartExtent::stretch(double value) {
  if (!can_show(value, scale_)) return;
  low_ = empty_ ? value : std::min(low_, value);
  high_ = empty_ ? value : std::max(high_, value);
  empty_ = false;
}

void ChartExtent::reach_zero(double below_share) {
  if (scale_ == Scale::kLinear && low_ > 0 && low_ < below_share * high_) low_ = 0;
}

ChartScale::ChartScale(const ChartExtent& extent, std::string_view unit, std::size_t most_ticks)
    : log_(extent.scale() == Scale::kLog) {
  if (extent.is_empty()) return;
  constexpr std::size_t kUnitColumns = 12;
  const std::string shown_unit = elide_middle(to_valid_utf8(unit), kUnitColumns);
  const bool binary = log_ && unit.empty() && extent.is_powers_of_two();
  const std::vector<double> values = tick_values(extent, binary, most_ticks);
  // Small sizes in all their digits, unless some are so large that this would be hard to read.
  const bool short_labels = binary && values.back() > 16384;
  ticks_ = labelled(values, [&](double value, int digits) {
    return short_labels ? binary_text(value) : text_in_unit(value, shown_unit, digits);
  });
  low_ = place(values.front());
  high_ = place(values.back());
}

double ChartScale::place(double value) const { return log_ ? std::log(value) : value; }

double ChartScale::position(double value) const {
  if (log_ && value <= 0) return 0;
  return std::clamp((place(value) - low_) / (high_ - low_), 0.0, 1.0);
}

std::string chart_value_text(double value, std::string_view unit) {
  return text_in_unit(value, unit, kDigits);
}

}  // namespace proofline
