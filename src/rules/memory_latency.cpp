// SPDX-License-Identifier: Apache-2.0
//
// Warps wait for memory although no level is busy: too little is in flight.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/features.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_memory_latency(Trial& trial) {
  if (!trial.at_least(facts::kStallShare[Stall::kLongScoreboard], 0.3)) return trial.clean();
  if (!trial.at_most(facts::kRoofShare, kNearRoof)) return trial.clean();
  const double waiting = *trial.maybe(facts::kStallShare[Stall::kLongScoreboard]);
  trial.show(facts::kLaunchWaves);
  trial.show(facts::kMemoryL2HitShare);
  trial.show(facts::kWarpsEligible);
  std::string statement =
      fmt::format("warps wait {} of their time for loads while no level is above {} of its peak",
                  percent(waiting), percent(*trial.maybe(facts::kRoofShare)));
  std::string next = fmt::format(
      "put more loads in flight: issue several independent loads before using the first (unroll, "
      "prefetch the next iteration{}) and shorten chains of dependent loads",
      has(trial, kTma)           ? ", cp.async or TMA stages"
      : has(trial, kAsyncCopies) ? ", cp.async stages"
                                 : " into registers");
  const double excess = trial.maybe(facts::kMemoryGlobalExcessShare).value_or(0);
  if (excess >= 0.3) {
    trial.show(facts::kMemoryGlobalExcessShare);
    statement += fmt::format("; {} of the sectors are not needed, as in a gather", percent(excess));
    next =
        "sort or bin the indices so that the lanes of a warp read neighbouring addresses, read 16 "
        "bytes per thread, load indices early, and shorten chains of dependent loads";
  }
  if (trial.maybe(facts::kMemoryL2HitShare).value_or(0) >= 0.8) {
    statement += "; the data is in L2, so latency and not bandwidth holds it";
  }
  if (const double waves = trial.maybe(facts::kLaunchWaves).value_or(1); waves <= 0.5) {
    next += fmt::format(
        "; the grid fills only {} of the block slots, so more and smaller blocks would help too",
        percent(waves));
  }
  return trial.found(std::move(statement),
                     around(0.85 * std::min(waiting, headroom(trial)), GainKind::kStallShare),
                     std::move(next));
}

}  // namespace

Rule memory_latency() {
  return {
      .id = "memory-latency",
      .group = CauseGroup::kLatency,
      .bound = Bound::kLatency,
      .at = "memory",
      .what =
          "Warps wait 30 % of their cycles or more for loads from L1, L2 or DRAM while no level is "
          "above 60 % of its peak.",
      .why =
          "A load from DRAM takes several hundred cycles. Throughput is bytes in flight over "
          "latency; dependent loads leave one in flight.",
      .fix =
          "Issue independent loads before the first use (unroll, software pipelining, prefetch "
          "into registers or with cp.async/TMA), more warps, fewer dependent indirections, 16 "
          "bytes per thread.",
      .limits =
          "A symptom where spills, uncoalesced accesses, low occupancy, host memory or atomics "
          "explain it; then only the cause is named.",
      .explains = {"dependency-latency"},
      .evaluate = evaluate_memory_latency,
  };
}

}  // namespace proofline
