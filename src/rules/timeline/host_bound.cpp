// SPDX-License-Identifier: Apache-2.0
//
// The GPU is idle, and the host is why. A symptom: the rules on launch gaps, synchronisation and
// allocation find its causes.
#include "analysis/timeline/timeline_facts.h"
#include "rules/rule.h"
#include "rules/shared/largest_idle.h"

namespace proofline {
namespace {

constexpr double kLeastHostIdleShare = 0.10;

Outcome evaluate_host_bound(Trial& trial) {
  if (!trial.at_least(facts::kTimelineGpuIdleShare, kLeastHostIdleShare)) return trial.clean();
  const LargestIdle largest = largest_idle(trial);
  if (largest.info.cause == IdleCause::kUnknown) return trial.clean();
  const double idle = *trial.maybe(facts::kTimelineGpuIdleShare);
  trial.show(facts::kTimelineIdleShare[largest.info.idle]);
  return trial.found(idle_statement(idle, largest), {0, idle, GainKind::kCeiling},
                     std::string(largest.info.remedy));
}

}  // namespace

Rule host_bound() {
  return {
      .id = "host-bound",
      .group = CauseGroup::kLatency,
      .bound = Bound::kLaunch,
      .at = "host",
      .what =
          "The GPU is idle 10 % of its span or more, and the timeline tells what the host did "
          "meanwhile.",
      .why = "A GPU that has nothing to do waits for the host, however good its kernels are.",
      .fix = "Depends on what the host did in most of the idle time: the finding names it.",
      .limits =
          "The gain is all of the idle time. Where one cause accounts for half of it or more, that "
          "cause is shown instead.",
      .evaluate = evaluate_host_bound,
  };
}

}  // namespace proofline
