// SPDX-License-Identifier: Apache-2.0
//
// Threads of a warp take different paths, so each instruction serves only some of them.
#include <fmt/format.h>

#include <algorithm>

#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_branch_divergence(Trial& trial) {
  if (!trial.at_most(facts::kExecutionActiveThreadsShare, 0.75)) return trial.clean();
  const double active = *trial.maybe(facts::kExecutionActiveThreadsShare);
  trial.show(facts::kExecutionBranchUniformShare);
  // Inactive lanes cost issue slots; a kernel that is bound by DRAM or L2 does not get faster.
  const double memory = far_memory_share(trial);
  const double estimate = std::min(1 - active, 1 - memory / kReachable);
  if (estimate < kLeastGain) return trial.clean();
  const double lanes = trial.maybe(facts::kLaunchLanesShare).value_or(1);
  const bool partial = 1 - lanes > (1 - active) / 2;
  if (partial) trial.show(facts::kLaunchLanesShare);
  return trial.found(
      fmt::format("on average {:.1f} of 32 threads are active in an instruction", 32 * active),
      around(estimate, GainKind::kStallShare),
      partial ? "launch whole warps: a block whose size is no multiple of 32 leaves lanes empty"
              : "group work so that the threads of a warp take the same path and equally many "
                "iterations: sort or bin by case or length, or give a long item to a whole warp");
}

}  // namespace

Rule branch_divergence() {
  return {
      .id = "branch-divergence",
      .group = CauseGroup::kWaste,
      .bound = Bound::kCompute,
      .at = "divergence",
      .what = "On average at most 24 of the 32 threads are active in an instruction.",
      .why =
          "A warp runs the paths of its threads one after another; inactive lanes still take the "
          "slot.",
      .fix =
          "Give the threads of a warp the same path: sort or bin the work by kind or length, split "
          "into kernels by case, let a warp share one long item, move the branch to warp "
          "granularity.",
      .limits =
          "Branch uniformity can read 99 % while one lane does all the work; active threads decide "
          "here.",
      .explains = {"fma-pipe", "issue-slots", "integer-pipe", "fp64-pipe", "special-function-pipe",
                   "dependency-latency", "lsu-pipe", "memory-latency", "l1-bandwidth",
                   "shared-bandwidth", "instruction-cache", "low-occupancy", "load-imbalance",
                   "tail-effect"},
      .evaluate = evaluate_branch_divergence,
  };
}

}  // namespace proofline
