// SPDX-License-Identifier: Apache-2.0
//
// Constant-memory loads are serialised or miss their small cache.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_constant_cache(Trial& trial) {
  const double missing = trial.maybe(facts::kStallShare[Stall::kImcMiss]).value_or(0);
  const double busy = trial.maybe(facts::kThroughputShare[Level::kConstant]).value_or(0);
  if (!trial.maybe(facts::kStallShare[Stall::kImcMiss]))
    trial.need(facts::kThroughputShare[Level::kConstant]);
  // The first access to each parameter misses; in a short launch there are no others.
  const bool warm = trial.maybe(facts::kDuration).value_or(0) >= kWarmNanoseconds;
  const bool waits =
      warm && missing >= 0.2 && trial.at_least(facts::kStallShare[Stall::kImcMiss], 0.2);
  const bool saturated =
      busy >= 0.5 && trial.at_least(facts::kThroughputShare[Level::kConstant], 0.5);
  if (!waits && !saturated) return trial.clean();
  trial.show(facts::kMemoryConstantHitShare);
  // Constant loads queue in front of their cache and wait there like other short-latency ones.
  const double queued =
      saturated ? trial.maybe(facts::kStallShare[Stall::kMioThrottle]).value_or(0) +
                      trial.maybe(facts::kStallShare[Stall::kShortScoreboard]).value_or(0)
                : 0;
  const double waiting = missing + std::max(queued, saturated ? busy : 0);
  const double estimate =
      std::min({waiting, 1.0, 1 - highest_share_without(trial, {}) / kReachable});
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      saturated
          ? fmt::format("indexed constant loads keep the constant cache busy {} of the time: "
                        "lanes with different indices take turns",
                        percent(busy))
          : fmt::format("warps spend {} of their time waiting for constants", percent(missing)),
      around(estimate, GainKind::kStallShare),
      "move the table to shared memory or read it through L1 (__ldg); keep in constant memory only "
      "what all lanes of a warp read at the same index");
}

}  // namespace

Rule constant_cache() {
  return {
      .id = "constant-cache",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "constant",
      .what =
          "Indexed constant loads keep the constant cache busy, or warps wait for constants to "
          "arrive.",
      .why =
          "A constant load serves one address per cycle: lanes with different indices take turns. "
          "The cache closest to the pipe is a few kilobytes.",
      .fix =
          "Index constants by values that are equal over the warp; put tables that lanes index "
          "differently into shared memory or read them with __ldg; shrink the table.",
      .limits =
          "Kernel parameters are constants too, and their first touch misses in every short "
          "kernel.",
      .explains = {"memory-latency", "dependency-latency", "issue-slots", "integer-pipe",
                   "fma-pipe", "low-occupancy", "lsu-pipe"},
      .evaluate = evaluate_constant_cache,
  };
}

}  // namespace proofline
