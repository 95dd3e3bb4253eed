// SPDX-License-Identifier: Apache-2.0
//
// The answer for memory that is not this GPU's own.
#include "rules/shared/remote_memory.h"

#include <fmt/format.h>

#include <string>

#include "base/text.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

// Flags, parameters and other housekeeping stay below these.
constexpr double kLeastRate = 1e9;
constexpr double kLeastRemoteShare = 0.01;

}  // namespace

Outcome evaluate_remote_memory(Trial& trial, const RemoteMemory& memory) {
  if (!trial.at_least(memory.bytes_per_second, kLeastRate)) return trial.clean();
  if (!trial.at_least(memory.share, kLeastRemoteShare)) return trial.clean();
  trial.show(facts::kStallShare[Stall::kLongScoreboard]);
  trial.show(facts::kStallShare[Stall::kLgThrottle]);
  // With the data in this GPU's memory the next roof binds.
  const double estimate = 1 - highest_share_without(trial, {}) / kReachable;
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(fmt::format("{} of the sectors come from or go to {}, at {}",
                                 percent(*trial.maybe(memory.share)), memory.owner,
                                 rate(*trial.maybe(memory.bytes_per_second))),
                     around(0.97 * estimate, GainKind::kCeiling), std::string(memory.next));
}

}  // namespace proofline
