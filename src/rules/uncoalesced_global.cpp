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
// A share of the time, from which on the waste is worth naming.
constexpr double kLeastWaste = 0.1;
// Sectors of a request: twice what packed 4-byte accesses need.
constexpr double kScattered = 8;
// L1 absorbs waste for nothing while another level is this much busier.
constexpr double kBesideL1 = 0.85;

// Of the sector counts or, without them, of the used share of sectors, whichever is worse.
double excess_share(Trial& trial) {
  if (trial.maybe("memory.global.excess.share")) {
    return trial.at_least("memory.global.excess.share", kLeastExcess)
               ? *trial.maybe("memory.global.excess.share")
               : 0;
  }
  double worst = 0;
  bool known = false;
  for (const char* op : {"load", "store"}) {
    const std::string use_fact = fmt::format("memory.global.{}.sector_use.share", op);
    const std::string sectors_fact = fmt::format("memory.global.{}.sectors_per_request", op);
    const auto use = trial.maybe(use_fact);
    known = known || use.has_value();
    // Lanes that all read one address use little of a sector too, but touch only one.
    if (use && trial.maybe(sectors_fact).value_or(0) >= kScattered &&
        trial.at_most(use_fact, 1 - kLeastExcess)) {
      worst = std::max(worst, 1 - *use);
    }
  }
  if (!known) trial.need("memory.global.excess.share");
  return worst;
}

Outcome evaluate_uncoalesced_global(Trial& trial) {
  const double excess = excess_share(trial);
  if (excess < kLeastExcess) return trial.clean();
  // The waste costs time where it lands: beyond L1 where a level there is busy with it, and in L1
  // itself where its tags and queues are what warps wait for. Scattered sectors keep DRAM from its
  // roof, so that near it is full, and so it is when an SM full of warps only waits for it.
  const double beyond = trial.take("memory.global.overfetch.share");
  const double waiting = trial.maybe("stall.long_scoreboard.share").value_or(0) *
                         trial.maybe("occupancy.achieved").value_or(0);
  const double busy = std::max(far_memory_share(trial) / kNearRoof, waiting);
  const double l1 = trial.maybe("throughput.l1.share").value_or(0);
  const double lead = l1 / std::max(highest_share_without(trial, {"l1"}), kLeastGain);
  const double binding = std::clamp((lead - kBesideL1) / (1 - kBesideL1), 0.0, 1.0);
  const double queue = std::max(l1 * binding, trial.maybe("stall.lg_throttle.share").value_or(0));
  const double cost =
      std::max(beyond * std::min(1.0, busy), excess * std::min(1.0, queue / kAtRoof));
  // What a cache absorbs stays as it is: packed accesses move as many bytes there.
  const double l2 = trial.maybe("throughput.l2.share").value_or(0) * (1 - beyond);
  const double others = highest_share_without(trial, {"dram", "l2", "l1", "lsu"});
  const auto gain_with = [&](double dram_waste) {
    const double dram = trial.maybe("throughput.dram.share").value_or(0) * (1 - dram_waste);
    return std::min(cost, 1 - std::max({dram, l2, others}) / kReachable);
  };
  const auto dram_waste = trial.maybe("memory.dram.overfetch.share");
  const double estimate = gain_with(dram_waste.value_or(0));
  if (!dram_waste && estimate < kLeastWaste && gain_with(beyond) >= kLeastWaste) {
    trial.take("memory.dram.overfetch.share");  // it decides
  }
  if (estimate < kLeastWaste) return trial.clean();
  trial.show("memory.global.load.sectors_per_request");
  trial.show("memory.global.store.sectors_per_request");
  trial.show("memory.global.overfetch.share");
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
