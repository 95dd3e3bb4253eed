// SPDX-License-Identifier: Apache-2.0
//
// The answer of every roof: how high the level stands, and what that leaves to gain.
#include "rules/shared/roof.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>

#include "base/text.h"
#include "rules/shared/gains.h"
#include "vocabulary/levels.h"

namespace proofline {
namespace {

// Of the others only instructions are counted.
bool moves_bytes(std::string_view level) {
  return level == "dram" || level == "l2" || level == "l1" || level == "shared";
}

// From high to info without a step: where the roof comes near, less and less of what is left can be
// had by keeping more in flight.
Severity clean_severity(double share, const Gain& gain) {
  constexpr double kFull = 0.77;
  constexpr double kFar = 0.60;
  const double left = std::clamp((kFull - share) / (kFull - kFar), 0.0, 1.0);
  const Gain faded{0, gain.high * left, gain.kind};
  return faded.high < kLeastGain ? Severity::kInfo : severity_of(faded);
}

std::string amount_of(Trial& trial, std::string_view level, double share) {
  std::string amount = percent(share) + " of its peak";
  if (!moves_bytes(level)) return amount;
  // L2's bytes are those on their way out.
  if (level == "l2" && fills_l2_inwards(trial)) return amount;
  const std::string rate_fact = fmt::format("throughput.{}.bytes_per_second", level);
  trial.show(rate_fact);
  if (const auto bytes = trial.maybe(rate_fact)) amount += " (" + rate(*bytes) + ")";
  return amount;
}

// A roof that more reuse, packing or another type lifts: up to the next fundamental one.
Outcome stand_at_liftable(Trial& trial, const Roof& roof, const std::string& statement) {
  const double useful = *roof.useful;
  const double distance = std::max(0.0, 1 - useful / kReachable);
  const Gain gain{roof.sure * distance, std::max(distance, headroom(trial)), GainKind::kCeiling};
  Outcome outcome = trial.found(fmt::format("{}; the work itself needs only {} of the GPU's peak",
                                            statement, percent(useful)),
                                gain, std::string(roof.next));
  std::get<Finding>(outcome).severity = severity_of(gain);
  return outcome;
}

}  // namespace

bool fills_l2_inwards(const Trial& trial) {
  const auto path = trial.maybe_text("throughput.l2.path");
  return path && path->find("xbar2lts") != std::string::npos;
}

Outcome stand_at_roof(Trial& trial, const Roof& roof) {
  const bool is_nearest = trial.is("roof.level", roof.level);
  if (!is_nearest && !roof.anywhere) return trial.clean();
  if (!trial.at_least(share_fact(roof.level), kNearRoof)) return trial.clean();
  const double share = *trial.maybe(share_fact(roof.level));
  const std::string name = fmt::format("{}{}", find_level(roof.level)->label, roof.aside);
  const std::string amount = amount_of(trial, roof.level, share);
  if (roof.level == "tensor" || roof.level == "fma" || roof.level == "fp64") {
    trial.show("roofline.precision");
    trial.show("roofline.achieved");
  }
  const bool at = share >= kAtRoof;
  std::string statement = fmt::format("{} is at {}", name, amount);
  if (is_nearest) {
    statement = at ? statement + ": the kernel is at this roof"
                   : fmt::format("{} is the nearest roof, at {}", name, amount);
  }
  // Where the work fills the level by itself, that level is what it needs.
  if (roof.useful && *roof.useful < share) return stand_at_liftable(trial, roof, statement);
  const Gain gain{0, headroom(trial), GainKind::kCeiling};
  // Near, not at: what keeps it from the roof is latency, so more has to be in flight.
  Outcome outcome = trial.found(statement, gain,
                                at ? std::string(roof.next)
                                   : "keep more work in flight (independent operations per thread, "
                                     "or more warps) to reach the "
                                     "roof; then " +
                                         std::string(roof.next));
  std::get<Finding>(outcome).severity = clean_severity(share, gain);
  return outcome;
}

}  // namespace proofline
