// SPDX-License-Identifier: Apache-2.0
//
// Some SMs have much more to do than others.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_load_imbalance(Trial& trial) {
  if (!trial.at_least(facts::kLaunchImbalanceShare, 0.12)) return trial.clean();
  const double waiting = *trial.maybe(facts::kLaunchImbalanceShare);
  const double estimate = std::min(waiting, headroom(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show(facts::kLaunchBalanceShare);
  trial.show(facts::kLaunchWaves);
  return trial.found(
      fmt::format("SMs with work wait {} of the time for the busiest one", percent(waiting)),
      around(estimate, GainKind::kCeiling),
      "split the long blocks, start them first, or hand out work dynamically (an atomic counter "
      "and persistent blocks)");
}

}  // namespace

Rule load_imbalance() {
  return {
      .id = "load-imbalance",
      .group = CauseGroup::kParallelism,
      .bound = Bound::kLaunch,
      .at = "balance",
      .what =
          "SMs that got a block wait 12 % of the time or more for the busiest one, beyond what the "
          "last wave explains.",
      .why = "The launch ends with the last block; SMs that finished early wait.",
      .fix =
          "Split long items, order blocks from long to short, pair large with small, hand out work "
          "dynamically (atomic counter, persistent blocks).",
      .limits =
          "Looks only at SMs that got a block, else it is small-grid; a partly filled last wave is "
          "tail-effect.",
      .explains = {"memory-latency", "dependency-latency", "low-occupancy"},
      .evaluate = evaluate_load_imbalance,
  };
}

}  // namespace proofline
