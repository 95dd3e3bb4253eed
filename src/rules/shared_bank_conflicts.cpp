// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory accesses of a warp fall into the same banks and are served one after another.
#include <fmt/format.h>

#include <algorithm>

#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_shared_bank_conflicts(Trial& trial) {
  if (!trial.at_least("memory.shared.excess.share", 0.25)) return trial.clean();
  const double excess = *trial.maybe("memory.shared.excess.share");
  const double busy = trial.maybe("throughput.shared.share").value_or(0);
  const double waiting = trial.maybe("stall.short_scoreboard.share").value_or(0) +
                         trial.maybe("stall.mio_throttle.share").value_or(0);
  const double weight = std::max(std::min(1.0, busy / kAtRoof), waiting);
  if (weight < 0.2) return trial.clean();
  trial.show("throughput.shared.share");
  trial.show("memory.shared.wavefronts_over_ideal");
  trial.show("memory.shared.store.width");
  trial.show("stall.short_scoreboard.share");
  trial.show("stall.mio_throttle.share");
  const double rest = highest_share_without(trial, {"shared", "l1", "lsu"});
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
