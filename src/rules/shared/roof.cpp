// SPDX-License-Identifier: Apache-2.0
//
// The answer of every roof: how busy the level is, and what that leaves to gain.
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

// Of the other levels only instructions are counted.
bool moves_bytes(Level level) {
  return level == Level::kDram || level == Level::kL2 || level == Level::kL1 ||
         level == Level::kShared;
}

// Fades from high to info as the roof comes near, without a step: the nearer the roof, the less
// more work in flight can gain.
Severity clean_severity(double share, const Gain& gain) {
  constexpr double kFull = 0.77;
  constexpr double kFar = 0.60;
  const double left = std::clamp((kFull - share) / (kFull - kFar), 0.0, 1.0);
  const Gain faded{0, gain.high * left, gain.kind};
  return faded.high < kLeastGain ? Severity::kInfo : severity_of(faded);
}

std::string amount_of(Trial& trial, Level level, double share) {
  std::string amount = percent(share) + " of its peak";
  if (!moves_bytes(level)) return amount;
  // L2's byte counter counts the way out only.
  if (level == Level::kL2 && fills_l2_inwards(trial)) return amount;
  const FactRef bytes_per_second = facts::kThroughputBytesPerSecond[level];
  trial.show(bytes_per_second);
  if (const auto bytes = trial.maybe(bytes_per_second)) amount += " (" + rate(*bytes) + ")";
  return amount;
}

// A roof that more reuse, packing or another type lifts, up to the next fundamental one.
Outcome judge_liftable_roof(Trial& trial, const Roof& roof, const std::string& statement) {
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
  const auto path = trial.maybe_text(facts::kThroughputPath[Level::kL2]);
  return path && path->find("xbar2lts") != std::string::npos;
}

std::optional<Level> roof_level(const Trial& trial) {
  const LevelInfo* level = find_level(trial.maybe_text(facts::kRoofLevel).value_or(""));
  return level != nullptr ? std::optional(level->level) : std::nullopt;
}

Outcome judge_roof(Trial& trial, const Roof& roof) {
  const bool is_nearest = trial.is(facts::kRoofLevel, to_string(roof.level));
  if (!is_nearest && !roof.anywhere) return trial.clean();
  const FactRef share_of_peak = facts::kThroughputShare[roof.level];
  if (!trial.at_least(share_of_peak, kNearRoof)) return trial.clean();
  const double share = *trial.maybe(share_of_peak);
  const std::string name = fmt::format("{}{}", level_info(roof.level).label, roof.aside);
  const std::string amount = amount_of(trial, roof.level, share);
  if (roof.level == Level::kTensor || roof.level == Level::kFma || roof.level == Level::kFp64) {
    trial.show(facts::kRooflinePrecision);
    trial.show(facts::kRooflineAchieved);
  }
  const bool at = share >= kAtRoof;
  std::string statement = fmt::format("{} is at {}", name, amount);
  if (is_nearest) {
    statement = at ? statement + ": the kernel is at this roof"
                   : fmt::format("{} is the nearest roof, at {}", name, amount);
  }
  // Where the work itself fills the level, the level is fundamental for this kernel.
  if (roof.useful && *roof.useful < share) return judge_liftable_roof(trial, roof, statement);
  const Gain gain{0, headroom(trial), GainKind::kCeiling};
  // Below the roof latency binds, so that more work has to be in flight.
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
