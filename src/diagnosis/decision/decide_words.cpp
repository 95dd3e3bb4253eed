// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/decide_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace proofline {
namespace {

constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestPlace = 160;
constexpr std::size_t kMostPlaces = 4;

// So many digits that a ratio near one shows how near, and a narrow interval that it is one.
int digits_of(double ratio, double width) {
  if (ratio >= 10) return 1;
  return std::abs(ratio - 1) < 0.1 || width < 0.02 ? 3 : 2;
}

std::string with_range(double ratio, double low, double high, std::string_view words) {
  const int digits = digits_of(ratio, high - low);
  if (low <= 0 || !std::isfinite(high)) return fmt::format("{:.{}f}{}", ratio, digits, words);
  return fmt::format("{:.{}f}{} ({:.{}f} to {:.{}f})", ratio, digits, words, low, digits, high,
                     digits);
}

std::string change_of(double ratio) {
  return fmt::format("{} {}", percent(std::abs(ratio - 1), 1), ratio < 1 ? "less" : "more");
}

}  // namespace

PlaceNames::PlaceNames(const Benchmark& a, const Benchmark& b) {
  std::set<std::string> benchmarks;
  for (const Benchmark* side : {&a, &b}) {
    std::map<std::string, std::string> known;
    for (const Measurement& one : side->measurements) {
      benchmarks.insert(one.benchmark);
      const auto [first, added] = known.emplace(one.benchmark, one.implementation);
      if (!added && first->second != one.implementation) implementations_ = true;
    }
  }
  benchmarks_ = benchmarks.size() > 1;
}

std::string PlaceNames::operator()(const Measurement& measurement) const {
  return place(measurement.benchmark, measurement.implementation, measurement.axes);
}

std::string PlaceNames::operator()(const DecidedConfiguration& configuration) const {
  return place(configuration.benchmark, configuration.implementation_b, configuration.axes);
}

std::string PlaceNames::place(const std::string& benchmark, const std::string& implementation,
                              const std::vector<Axis>& axes) const {
  std::vector<std::string> words;
  if (benchmarks_ && !benchmark.empty()) words.push_back(inert(benchmark));
  if (implementations_ && !implementation.empty()) words.push_back(inert(implementation));
  const bool named = !words.empty();
  for (const Axis& axis : axes) {
    words.push_back(inert(axis.name.empty() ? axis.value : axis.name + "=" + axis.value));
  }
  if (words.empty()) return "";
  return elide_middle(fmt::format("{} {}", named ? "in" : "at", fmt::join(words, " ")),
                      kLongestPlace);
}

std::string inert(std::string_view text) {
  // Cut before escaping, so that a long name costs no more than a short one.
  constexpr std::size_t kMostBytes = 4096;
  return elide_middle(escape_terminal(text.substr(0, kMostBytes)), kLongestName);
}

std::string few_of(const std::vector<std::string>& places) {
  const std::size_t named = std::min(places.size(), kMostPlaces);
  std::string text = fmt::format("{}", fmt::join(places.begin(), places.begin() + named, ", "));
  if (places.size() > named) text += fmt::format(" and {} more", places.size() - named);
  return text;
}

std::string speed_text(const RatioEstimate& ratio) {
  if (ratio.ratio > 1) {
    return with_range(ratio.ratio, ratio.low, ratio.high, " times as long");
  }
  return with_range(1 / ratio.ratio, 1 / ratio.high, 1 / ratio.low, "x faster");
}

std::string range_text(const RatioEstimate& ratio) {
  if (ratio.low <= 0 || !std::isfinite(ratio.high)) return "an unknown time (too few pairs)";
  return fmt::format("from {} to {} time", change_of(ratio.low), change_of(ratio.high));
}

}  // namespace proofline
