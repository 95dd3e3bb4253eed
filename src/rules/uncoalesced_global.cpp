// SPDX-License-Identifier: Apache-2.0
//
// Warps touch more sectors of global memory than their bytes need.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

constexpr double kLeastExcess = 0.3;
// The least gain, as a share of the duration, for which this is a finding.
constexpr double kLeastWaste = 0.1;
// Sectors per request: twice what coalesced 4-byte accesses need.
constexpr double kScattered = 8;
// Below this ratio of L1's share to the busiest other level, excess sectors in L1 are free.
constexpr double kBesideL1 = 0.85;

// From sector counts or, without them, from the used bytes per sector of loads and stores.
double excess_share(Trial& trial) {
  if (trial.maybe(facts::kMemoryGlobalExcessShare)) {
    return trial.at_least(facts::kMemoryGlobalExcessShare, kLeastExcess)
               ? *trial.maybe(facts::kMemoryGlobalExcessShare)
               : 0;
  }
  double worst = 0;
  bool known = false;
  for (const Access access : {Access::kLoad, Access::kStore}) {
    const FactRef use_fact = facts::kMemoryGlobalSectorUseShare[access];
    const FactRef sectors_fact = facts::kMemoryGlobalSectorsPerRequest[access];
    const auto use = trial.maybe(use_fact);
    known = known || use.has_value();
    // A broadcast uses few bytes of its sector too, but touches only one.
    if (use && trial.maybe(sectors_fact).value_or(0) >= kScattered &&
        trial.at_most(use_fact, 1 - kLeastExcess)) {
      worst = std::max(worst, 1 - *use);
    }
  }
  if (!known) trial.need(facts::kMemoryGlobalExcessShare);
  return worst;
}

Outcome evaluate_uncoalesced_global(Trial& trial) {
  const double excess = excess_share(trial);
  if (excess < kLeastExcess) return trial.clean();
  // Excess sectors cost time in L2 and DRAM where these are busy, and in L1 where its tags and
  // queues bind. Scattered sectors keep DRAM below its peak, so that kNearRoof counts as full, and
  // so do long-scoreboard waits at full occupancy.
  const double beyond = trial.take(facts::kMemoryGlobalOverfetchShare);
  const double waiting = trial.maybe(facts::kStallShare[Stall::kLongScoreboard]).value_or(0) *
                         trial.maybe(facts::kOccupancyAchieved).value_or(0);
  const double busy = std::max(far_memory_share(trial) / kNearRoof, waiting);
  const double l1 = trial.maybe(facts::kThroughputShare[Level::kL1]).value_or(0);
  const double lead = l1 / std::max(highest_share_without(trial, {Level::kL1}), kLeastGain);
  const double binding = std::clamp((lead - kBesideL1) / (1 - kBesideL1), 0.0, 1.0);
  const double queue =
      std::max(l1 * binding, trial.maybe(facts::kStallShare[Stall::kLgThrottle]).value_or(0));
  const double cost =
      std::max(beyond * std::min(1.0, busy), excess * std::min(1.0, queue / kAtRoof));
  // Sectors that a cache absorbs do not count: coalesced accesses move the same bytes beyond it.
  const double l2 = trial.maybe(facts::kThroughputShare[Level::kL2]).value_or(0) * (1 - beyond);
  const double others =
      highest_share_without(trial, {Level::kDram, Level::kL2, Level::kL1, Level::kLsu});
  const auto gain_with = [&](double dram_waste) {
    const double dram =
        trial.maybe(facts::kThroughputShare[Level::kDram]).value_or(0) * (1 - dram_waste);
    return std::min(cost, 1 - std::max({dram, l2, others}) / kReachable);
  };
  const auto dram_waste = trial.maybe(facts::kMemoryDramOverfetchShare);
  const double estimate = gain_with(dram_waste.value_or(0));
  if (!dram_waste && estimate < kLeastWaste && gain_with(beyond) >= kLeastWaste) {
    trial.take(facts::kMemoryDramOverfetchShare);  // it decides
  }
  if (estimate < kLeastWaste) return trial.clean();
  trial.show(facts::kMemoryGlobalSectorsPerRequest[Access::kLoad]);
  trial.show(facts::kMemoryGlobalSectorsPerRequest[Access::kStore]);
  trial.show(facts::kMemoryGlobalOverfetchShare);
  return trial.found(
      fmt::format("{} of global-memory sectors are not needed: the threads of a warp "
                  "access scattered addresses",
                  percent(excess)),
      around(estimate, GainKind::kCeiling),
      "make consecutive threads access consecutive addresses: swap loop or index order, use a "
      "structure of arrays, or transpose through padded shared memory; the hot lines show where");
}

}  // namespace

Rule uncoalesced_global() {
  return {
      .id = "uncoalesced-global",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "global-access",
      .what =
          "The threads of a warp access scattered addresses, so only a part of each sector moved "
          "is "
          "used.",
      .why =
          "Memory moves in 32-byte sectors. A warp that reads 4 bytes from each of 32 sectors "
          "moves eight times what it uses, at L1, L2 and DRAM.",
      .fix =
          "Let consecutive threads take consecutive addresses: lanes along the fastest dimension, "
          "structure of arrays, a transposition through padded shared memory, sorted indices for "
          "gathers.",
      .limits =
          "Needs the per-instruction sector counts (SourceCounters); without them the used share "
          "of each sector decides, which also counts lanes that share an address.",
      .explains = {"dram-bandwidth", "l2-bandwidth", "l1-bandwidth", "lsu-pipe", "memory-latency",
                   "narrow-access", "low-occupancy", "tail-effect", "issue-slots"},
      .evaluate = evaluate_uncoalesced_global,
  };
}

}  // namespace proofline
