// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic shared by the rules.
#include "rules/shared/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace proofline {

double highest_share_without(const Trial& trial, std::initializer_list<Level> excluded) {
  double highest = 0;
  for (const LevelInfo& level : levels()) {
    const bool is_excluded =
        std::find(excluded.begin(), excluded.end(), level.level) != excluded.end();
    if (!level.can_be_roof() || level.is_whole() || is_excluded) continue;
    highest = std::max(highest, trial.maybe(facts::kThroughputShare[level.level]).value_or(0));
  }
  return highest;
}

double useful_share(const Trial& trial) {
  // Without counted operations the pipe's own share approximates them.
  constexpr double kSomeOperations = 0.02;
  const auto share = [&](Level level) {
    return trial.maybe(facts::kThroughputShare[level]).value_or(0);
  };
  const auto peak = trial.maybe(facts::kRooflinePeak);
  const double operations = peak ? trial.maybe(facts::kRooflineAchieved).value_or(0) / *peak
                                 : std::max(share(Level::kFma), share(Level::kFp64));
  double useful = std::max(
      {share(Level::kDram), share(Level::kTensor), share(Level::kSpecialFunction), operations});
  // A kernel without floating-point work computes with integers.
  if (operations < kSomeOperations) useful = std::max(useful, share(Level::kInteger));
  return useful;
}

Severity severity_of(const Gain& gain) {
  if (gain.high >= 0.20) return Severity::kHigh;
  return gain.high >= kLeastGain ? Severity::kMedium : Severity::kLow;
}

double far_memory_share(const Trial& trial) {
  return std::max(trial.maybe(facts::kThroughputShare[Level::kDram]).value_or(0),
                  trial.maybe(facts::kThroughputShare[Level::kL2]).value_or(0));
}

double headroom(Trial& trial) { return trial.take(facts::kRoofHeadroom); }

Gain around(double estimate, GainKind kind) {
  constexpr double kBelow = 0.18;
  constexpr double kAbove = 0.10;
  estimate = std::clamp(estimate, 0.0, 1.0);
  // The interval narrows towards 0 and 1, where estimates err less.
  const double below = std::min(kBelow, 0.6 * estimate);
  const double above = std::min({kAbove, 0.6 * estimate, 0.9 * (1 - estimate)});
  return {estimate - below, estimate + above, kind};
}

std::string rate(double bytes_per_second) {
  constexpr std::array<const char*, 5> kUnits = {"byte/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  std::size_t unit = 0;
  while (bytes_per_second >= 1000 && unit + 1 < kUnits.size()) {
    bytes_per_second /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes_per_second, kUnits[unit]);
}

}  // namespace proofline
