// SPDX-License-Identifier: Apache-2.0
//
// The answer for memory that is not this GPU's own.
#include "rules/shared/remote_memory.h"

#include <fmt/format.h>

#include <string>

#include "rules/shared/gains.h"

namespace proofline {
namespace {

// Flags, parameters and other housekeeping stay below these.
constexpr double kLeastRate = 1e9;
constexpr double kLeastRemoteShare = 0.01;

}  // namespace

Outcome evaluate_remote_memory(Trial& trial, std::string_view origin, std::string_view owner,
                               std::string_view next) {
  const std::string rate_fact = fmt::format("memory.{}.bytes_per_second", origin);
  const std::string share_fact = fmt::format("memory.{}.share", origin);
  if (!trial.at_least(rate_fact, kLeastRate)) return trial.clean();
  if (!trial.at_least(share_fact, kLeastRemoteShare)) return trial.clean();
  trial.show("stall.long_scoreboard.share");
  trial.show("stall.lg_throttle.share");
  // In this GPU's memory the kernel would run into the next roof.
  const double estimate = 1 - highest_share_without(trial, {}) / kReachable;
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the sectors come from or go to {}, at {}",
                  percent(*trial.maybe(share_fact)), owner, rate(*trial.maybe(rate_fact))),
      around(0.97 * estimate, GainKind::kCeiling), std::string(next));
}

}  // namespace proofline
