// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory accesses of a warp fall into the same banks and are served one after another.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_shared_bank_conflicts(Trial& trial) {
  if (!trial.at_least(facts::kMemorySharedExcessShare, 0.25)) return trial.clean();
  const double excess = *trial.maybe(facts::kMemorySharedExcessShare);
  const double busy = trial.maybe(facts::kThroughputShare[Level::kShared]).value_or(0);
  const double waiting = trial.maybe(facts::kStallShare[Stall::kShortScoreboard]).value_or(0) +
                         trial.maybe(facts::kStallShare[Stall::kMioThrottle]).value_or(0);
  const double weight = std::max(std::min(1.0, busy / kAtRoof), waiting);
  if (weight < 0.2) return trial.clean();
  trial.show(facts::kThroughputShare[Level::kShared]);
  trial.show(facts::kMemorySharedWavefrontsOverIdeal);
  trial.show(facts::kMemorySharedWidth[Access::kStore]);
  trial.show(facts::kStallShare[Stall::kShortScoreboard]);
  trial.show(facts::kStallShare[Stall::kMioThrottle]);
  const double rest = highest_share_without(trial, {Level::kShared, Level::kL1, Level::kLsu});
  const double estimate = std::min(excess * weight, 1 - rest / kReachable);
  return trial.found(
      fmt::format("bank conflicts make {} of the shared-memory wavefronts", percent(excess)),
      around(estimate, GainKind::kCeiling),
      "pad the row of the shared array (one element, or 16 bytes for vector accesses) or swizzle "
      "the column with the row, so that the lanes of a warp meet 32 different banks");
}

}  // namespace

Rule shared_bank_conflicts() {
  return {
      .id = "shared-bank-conflicts",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "shared",
      .what = "At least 25 % of the shared-memory wavefronts are beyond what the accesses need.",
      .why =
          "Shared memory has 32 banks of 4 bytes. Lanes that hit different words of one bank take "
          "turns.",
      .fix =
          "Pad rows by one element (or one 16-byte vector for wide accesses), swizzle the column "
          "by XOR with the row, or let lanes walk along the row.",
      .limits =
          "LDSM and 16-byte accesses need several wavefronts by nature; those are part of the "
          "ideal number.",
      .explains = {"shared-bandwidth", "l1-bandwidth", "lsu-pipe", "dependency-latency",
                   "memory-latency", "barrier-stalls", "low-occupancy", "issue-slots"},
      .evaluate = evaluate_shared_bank_conflicts,
  };
}

}  // namespace proofline
