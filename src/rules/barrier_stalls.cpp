// SPDX-License-Identifier: Apache-2.0
//
// Warps wait at barriers for the slowest warp of their block.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

constexpr double kLeastBarrierShare = 0.2;

// Only Hopper (cc 9.x) has warpgroup matrix instructions (wgmma).
bool may_multiply_by_warpgroups(const Trial& trial) {
  constexpr double kLeastTensor = 0.05;
  const double capability = trial.maybe(facts::kDeviceComputeCapability).value_or(0);
  return capability >= 9 && capability < 10 &&
         trial.maybe(facts::kThroughputShare[Level::kTensor]).value_or(0) >= kLeastTensor;
}

Outcome evaluate_barrier_stalls(Trial& trial) {
  if (!trial.at_least(facts::kStallShare[Stall::kBarrier], kLeastBarrierShare))
    return trial.clean();
  // Waits for warpgroup matrix instructions count as barrier stalls too; those are async-wait's.
  constexpr const FactInfo& kWarpgroup = facts::kInstructionsWarpgroupOfBarriersShare;
  const std::optional<double> warpgroup = trial.maybe(kWarpgroup);
  if (!warpgroup && may_multiply_by_warpgroups(trial)) {
    trial.need(kWarpgroup);
    return trial.clean();
  }
  const double waiting =
      *trial.maybe(facts::kStallShare[Stall::kBarrier]) * (1 - warpgroup.value_or(0));
  if (waiting < kLeastBarrierShare) return trial.clean();
  const double estimate = std::min(waiting, headroom(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show(facts::kInstructionsShare[InstructionClass::kBarrier]);
  trial.show(facts::kWarpsEligible);
  return trial.found(
      fmt::format("warps wait {} of their time at block barriers", percent(waiting)),
      around(estimate, GainKind::kStallShare),
      "balance the work between the warps of a block and synchronise less often (larger steps, "
      "double buffering), or replace block barriers by warp-level or named ones");
}

}  // namespace

Rule barrier_stalls() {
  return {
      .id = "barrier-stalls",
      .group = CauseGroup::kLatency,
      .bound = Bound::kSync,
      .at = "barrier",
      .what =
          "Warps spend 20 % of their cycles or more waiting at __syncthreads or another block "
          "barrier.",
      .why =
          "A barrier takes as long as the slowest warp; while the others wait, their slots are "
          "empty.",
      .fix =
          "Balance the work between warps, synchronise less often (larger steps, double "
          "buffering), use warp-level primitives or named barriers for the warps concerned, "
          "mbarriers for producer and consumer, and smaller blocks so that others can run.",
      .limits =
          "Counts block barriers only; mbarriers show as async-wait, grid-wide ones as memory "
          "latency.",
      .explains = {"memory-latency", "dependency-latency", "low-occupancy", "instruction-cache",
                   "issue-slots"},
      .evaluate = evaluate_barrier_stalls,
  };
}

}  // namespace proofline
