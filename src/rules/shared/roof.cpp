// SPDX-License-Identifier: Apache-2.0
//
// The answer of every roof: how high the level stands, and what that leaves to gain.
#include "rules/shared/roof.h"

#include <fmt/format.h>

#include <string>

#include "rules/shared/gains.h"

namespace proofline {
namespace {

// Of the others only instructions are counted.
bool moves_bytes(std::string_view level) {
  return level == "dram" || level == "l2" || level == "l1" || level == "shared";
}

}  // namespace

Outcome stand_at_roof(Trial& trial, std::string_view level, std::string_view name,
                      std::string_view next) {
  if (!trial.is("roof.level", level)) return trial.clean();
  const std::string share_fact = fmt::format("throughput.{}.share", level);
  if (!trial.at_least(share_fact, kNearRoof)) return trial.clean();
  const double share = *trial.maybe(share_fact);
  std::string amount = percent(share) + " of its peak";
  if (moves_bytes(level)) {
    const std::string rate_fact = fmt::format("throughput.{}.bytes_per_second", level);
    trial.show(rate_fact);
    if (const auto bytes = trial.maybe(rate_fact)) amount += " (" + rate(*bytes) + ")";
  }
  if (level == "tensor" || level == "fma" || level == "fp64") {
    trial.show("roofline.precision");
    trial.show("roofline.achieved");
  }
  if (share >= kAtRoof) {
    return trial.found(fmt::format("{} is at {}: the kernel is at this roof", name, amount),
                       {0, headroom(trial), GainKind::kCeiling}, std::string(next));
  }
  // Near, not at: what keeps it from the roof is latency, so more has to be in flight.
  return trial.found(
      fmt::format("{} is the nearest roof, at {}", name, amount),
      {0, headroom(trial), GainKind::kCeiling},
      "keep more work in flight (independent operations a thread, or more warps) to reach the "
      "roof; then " +
          std::string(next));
}

}  // namespace proofline
