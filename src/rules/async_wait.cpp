// SPDX-License-Identifier: Apache-2.0
//
// Warps wait for asynchronous work: a bulk copy, an mbarrier or a warpgroup matrix instruction.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

constexpr double kLeastWaitShare = 0.2;
// Shared memory of a block above which another pipeline stage rarely fits on an SM.
constexpr double kFullSharedMemory = 160 * 1024;

// Waiting for a busy pipe costs nothing, so that near the tensor roof stall shares overstate the
// gain. Steps of kernels/block_scaled and kernels/patch_embed above that point saved 3 to 10 %.
Gain gain_near_roof(double estimate, double tensor) {
  const Gain gain = around(estimate, GainKind::kStallShare);
  if (tensor < kNearRoof) return gain;
  return {0, std::clamp(1 - tensor / kReachable, 0.0, gain.high), GainKind::kCeiling};
}

Outcome evaluate_matrix(Trial& trial, double waiting) {
  const double estimate = std::min(waiting, headroom(trial));
  const double tensor = trial.maybe(facts::kThroughputShare[Level::kTensor]).value_or(0);
  const Gain gain = gain_near_roof(estimate, tensor);
  if (std::min(estimate, gain.high) < kLeastGain) return trial.clean();
  trial.show(facts::kThroughputShare[Level::kTensor]);
  return trial.found(
      fmt::format("warps wait {} of their time for warpgroup matrix instructions while the tensor "
                  "pipe is {} busy",
                  percent(waiting), percent(tensor)),
      gain,
      "keep several wgmma groups in flight (commit more before waiting, wait_group with a larger "
      "number) or let a second warpgroup fill the gaps");
}

Outcome evaluate_async_wait(Trial& trial) {
  // Waiting for a wgmma group is sampled as barrier, waiting to start one as gmma.
  const double gmma = trial.need(facts::kStallShare[Stall::kGmma]) +
                      trial.need(facts::kStallShare[Stall::kBarrier]) *
                          trial.maybe(facts::kInstructionsWarpgroupOfBarriersShare).value_or(0);
  if (gmma >= kLeastWaitShare) return evaluate_matrix(trial, gmma);
  // Where most bytes arrive by asynchronous copies, long-scoreboard waits are waits for these.
  if (!trial.at_least(facts::kMemoryAsyncCopyShare, 0.5)) return trial.clean();
  const double waiting = trial.need(facts::kStallShare[Stall::kLongScoreboard]) +
                         trial.need(facts::kStallShare[Stall::kSleeping]) +
                         trial.maybe(facts::kStallShare[Stall::kBranchResolving]).value_or(0);
  if (waiting < kLeastWaitShare) return trial.clean();
  if (!trial.at_most(facts::kRoofShare, kAtRoof)) return trial.clean();
  trial.show(facts::kMemoryTmaLoadShare);
  trial.show(facts::kMemoryTmaMulticastShare);
  return trial.found(
      fmt::format("{} of the bytes come by asynchronous copies and warps wait {} of their time for "
                  "them",
                  percent(*trial.maybe(facts::kMemoryAsyncCopyShare)), percent(waiting)),
      around(0.9 * std::min(waiting, headroom(trial)), GainKind::kStallShare),
      trial.maybe(facts::kOccupancySharedMemoryPerBlock).value_or(0) < kFullSharedMemory
          ? "add stages: issue the copy of a later tile before waiting for the current one, and "
            "separate producer from consumer warps"
          : "shared memory is full of stages already: let each copied tile feed more arithmetic "
            "(larger tiles, a narrower type), and separate producer from consumer warps");
}

}  // namespace

Rule async_wait() {
  return {
      .id = "async-wait",
      .group = CauseGroup::kLatency,
      .bound = Bound::kSync,
      .at = "async",
      .what =
          "Warps wait 20 % of their time or more for wgmma results, or for data that asynchronous "
          "copies (TMA, cp.async) bring in, with no level at its roof.",
      .why =
          "Asynchronous copies and matrix instructions hide latency only when the next one is "
          "already under way.",
      .fix =
          "More stages in the ring of tiles, issue the next copy before waiting for the current "
          "one, keep several wgmma groups in flight (wait_group N instead of 0), separate producer "
          "and consumer warps.",
      .limits =
          "gmma stalls are seen directly. mbarrier waits show as long scoreboard or sleeping at a "
          "try-wait; they are taken for this where bulk copies bring in most of the data.",
      .explains = {"memory-latency", "dependency-latency", "low-occupancy", "barrier-stalls",
                   "instruction-cache", "issue-slots", "lsu-pipe", "shared-bandwidth",
                   "l1-bandwidth", "l2-bandwidth", "fma-pipe"},
      .evaluate = evaluate_async_wait,
  };
}

}  // namespace proofline
