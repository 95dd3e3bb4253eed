// SPDX-License-Identifier: Apache-2.0
//
// Warps wait for memory fences to complete.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_memory_fence(Trial& trial) {
  if (!trial.at_least(facts::kStallShare[Stall::kMembar], 0.1)) return trial.clean();
  const double waiting = *trial.maybe(facts::kStallShare[Stall::kMembar]);
  // Stores drain at the fence, so that removing it does not move the wait elsewhere.
  const double estimate = std::min(waiting, headroom(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show(facts::kInstructionsShare[InstructionClass::kFence]);
  return trial.found(
      fmt::format("warps wait {} of their time for memory fences", percent(waiting)),
      around(estimate, GainKind::kStallShare),
      "fence once for many writes, at the narrowest scope that is right (release/acquire instead "
      "of __threadfence, block before device before system)");
}

}  // namespace

Rule memory_fence() {
  return {
      .id = "memory-fence",
      .group = CauseGroup::kLatency,
      .bound = Bound::kSync,
      .at = "fence",
      .what =
          "Warps spend 10 % of their cycles or more in __threadfence or a fence of similar kind.",
      .why =
          "A fence waits until all earlier writes of the thread are visible, at L2 for the GPU, at "
          "the host for the system.",
      .fix =
          "Fence once for many writes, use release/acquire atomics of the narrowest scope (cta "
          "before gpu before sys), let one thread per block publish after a barrier.",
      .limits = "membar is memory fences; mbarrier waits are another stall.",
      .explains = {"memory-latency", "dependency-latency", "barrier-stalls", "low-occupancy",
                   "l2-bandwidth", "lsu-pipe", "narrow-access", "tail-effect"},
      .evaluate = evaluate_memory_fence,
  };
}

}  // namespace proofline
