// SPDX-License-Identifier: Apache-2.0
//
// Threads are active but switched off by predicates in many instructions.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_lane_predication(Trial& trial) {
  if (!trial.at_least(facts::kExecutionPredicatedOffShare, 0.25)) return trial.clean();
  const double off = *trial.maybe(facts::kExecutionPredicatedOffShare);
  trial.show(facts::kExecutionActiveThreadsShare);
  trial.show(facts::kExecutionUsefulThreadsShare);
  // Predicated-off lanes cost issue slots, which matter only where issue or a pipe binds.
  constexpr double kIdle = 0.45;
  const double busy = highest_share_without(
      trial, {Level::kDram, Level::kL2, Level::kL1, Level::kShared, Level::kLsu});
  const double binding = std::clamp((busy - kIdle) / (kAtRoof - kIdle), 0.0, 1.0);
  const double memory = far_memory_share(trial);
  const double estimate = std::min(off * binding, 1 - memory / kReachable);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(fmt::format("predicates switch off {} of the active threads", percent(off)),
                     around(estimate, GainKind::kStallShare),
                     "compact the work so that all lanes take part, or guard whole warps with a "
                     "uniform branch instead of lanes with predicates");
}

}  // namespace

Rule lane_predication() {
  return {
      .id = "lane-predication",
      .group = CauseGroup::kWaste,
      .bound = Bound::kCompute,
      .at = "predication",
      .what = "Of the active threads, 25 % or more do nothing because a predicate is false.",
      .why =
          "Short conditional bodies become predicated instructions: they take the slot whether or "
          "not a lane does anything.",
      .fix =
          "Compact the work so that all lanes have some, hoist conditions out of the loop, guard "
          "whole warps by a uniform branch instead of lanes by predicates.",
      .limits = "Divergence (inactive threads) is counted apart.",
      .explains = {"fma-pipe", "issue-slots", "integer-pipe", "fp64-pipe", "special-function-pipe",
                   "dependency-latency", "lsu-pipe", "memory-latency", "l1-bandwidth",
                   "shared-bandwidth", "instruction-cache", "low-occupancy", "load-imbalance",
                   "tail-effect"},
      .evaluate = evaluate_lane_predication,
  };
}

}  // namespace proofline
