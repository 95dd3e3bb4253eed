// SPDX-License-Identifier: Apache-2.0
//
// The GPU is idle, and the timeline does not tell why.
#include "analysis/timeline/timeline_facts.h"
#include "rules/rule.h"
#include "rules/shared/largest_idle.h"

namespace proofline {
namespace {

constexpr double kLeastUnexplainedIdleShare = 0.10;

Outcome evaluate_unexplained_idle(Trial& trial) {
  if (!trial.at_least(facts::kTimelineGpuIdleShare, kLeastUnexplainedIdleShare))
    return trial.clean();
  const LargestIdle largest = largest_idle(trial);
  if (largest.info.cause != IdleCause::kUnknown) return trial.clean();
  const double idle = *trial.maybe(facts::kTimelineGpuIdleShare);
  trial.show(facts::kTimelineIdleShare[IdleClass::kUnattributed]);
  trial.show(facts::kTimelineIdleUnexplainedShare);
  return trial.found(idle_statement(idle, largest), {0, idle, GainKind::kCeiling},
                     std::string(largest.info.remedy));
}

}  // namespace

Rule unexplained_idle() {
  return {
      .id = "unexplained-idle",
      .group = CauseGroup::kCapture,
      .bound = Bound::kNone,
      .at = "unknown",
      .what =
          "The GPU is idle 10 % of its span or more, and most of that is in gaps whose launch is "
          "not in the timeline, or lies too far back to be the reason.",
      .why =
          "Without the launch nobody can tell whether the host, an event, another process or a "
          "lost record is behind a gap. A launch takes microseconds: where the GPU stays idle for "
          "more than 100 us after the call, it waits for something else.",
      .fix = "Record the whole program with its CUDA calls.",
      .limits = "It blames nobody, and its gain is all of the idle time.",
      .evaluate = evaluate_unexplained_idle,
  };
}

}  // namespace proofline
