// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic shared by the rules.
#include "rules/shared/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace proofline {
namespace {

constexpr std::array<std::string_view, 12> kLevels = {
    "dram", "l2",        "l1",      "shared",           "tensor", "fma",
    "fp64", "fma-heavy", "integer", "special-function", "lsu",    "issue"};

}  // namespace

double highest_share_without(const Trial& trial, std::initializer_list<std::string_view> levels) {
  double highest = 0;
  for (const std::string_view level : kLevels) {
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) continue;
    const auto share = trial.maybe(fmt::format("throughput.{}.share", level));
    highest = std::max(highest, share.value_or(0));
  }
  return highest;
}

double far_memory_share(const Trial& trial) {
  return std::max(trial.maybe("throughput.dram.share").value_or(0),
                  trial.maybe("throughput.l2.share").value_or(0));
}

double headroom(const Trial& trial) { return trial.maybe("roof.headroom").value_or(1); }

Gain around(double estimate, GainKind kind) {
  constexpr double kBelow = 0.18;
  constexpr double kAbove = 0.10;
  estimate = std::clamp(estimate, 0.0, 1.0);
  // Near both ends there is less to be wrong about.
  const double below = std::min(kBelow, 0.6 * estimate);
  const double above = std::min(kAbove, 0.9 * (1 - estimate));
  return {estimate - below, estimate + above, kind};
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

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
