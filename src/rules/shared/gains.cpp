// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic shared by the rules.
#include "rules/shared/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/characters.h"
#include "vocabulary/levels.h"

namespace proofline {

double highest_share_without(const Trial& trial, std::initializer_list<std::string_view> excluded) {
  double highest = 0;
  for (const Level& level : levels()) {
    if (!level.can_be_roof() || level.is_whole() || is_one_of(level.name, excluded)) continue;
    highest = std::max(highest, trial.maybe(share_fact(level.name)).value_or(0));
  }
  return highest;
}

double useful_share(const Trial& trial) {
  // Without a count of operations the pipe's own share stands for them.
  constexpr double kSomeOperations = 0.02;
  const auto share = [&](std::string_view level) {
    return trial.maybe(share_fact(level)).value_or(0);
  };
  const auto peak = trial.maybe("roofline.peak");
  const double operations = peak ? trial.maybe("roofline.achieved").value_or(0) / *peak
                                 : std::max(share("fma"), share("fp64"));
  double useful = std::max({share("dram"), share("tensor"), share("special-function"), operations});
  // Where nothing is computed in floating point, integers are what is computed.
  if (operations < kSomeOperations) useful = std::max(useful, share("integer"));
  return useful;
}

Severity severity_of(const Gain& gain) {
  if (gain.high >= 0.20) return Severity::kHigh;
  return gain.high >= kLeastGain ? Severity::kMedium : Severity::kLow;
}

double far_memory_share(const Trial& trial) {
  return std::max(trial.maybe("throughput.dram.share").value_or(0),
                  trial.maybe("throughput.l2.share").value_or(0));
}

double headroom(Trial& trial) { return trial.take("roof.headroom"); }

Gain around(double estimate, GainKind kind) {
  constexpr double kBelow = 0.18;
  constexpr double kAbove = 0.10;
  estimate = std::clamp(estimate, 0.0, 1.0);
  // Near both ends there is less to be wrong about.
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
