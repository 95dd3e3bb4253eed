// SPDX-License-Identifier: Apache-2.0
//
// The GPU waits for the host to give it work.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"
#include "rules/rule.h"
#include "vocabulary/idle_classes.h"

namespace proofline {
namespace {

constexpr double kLeastGapShare = 0.10;

Outcome evaluate_launch_gaps(Trial& trial) {
  const double unexplained = trial.maybe(facts::kTimelineIdleUnexplainedShare).value_or(0);
  if (!trial.at_least(facts::kTimelineLaunchGapsShare, kLeastGapShare)) {
    const auto gaps = trial.maybe(facts::kTimelineLaunchGapsShare);
    if (!gaps || *gaps + unexplained < kLeastGapShare) return trial.clean();
    return NotEvaluated{
        "",
        {std::string(facts::kTimelineLaunchGapsShare.name)},
        fmt::format("{} of the time lies between launches and their start, in gaps that no launch "
                    "takes: an event, another process or lost records are behind them",
                    percent(unexplained)),
        ""};
  }
  const double gaps = *trial.maybe(facts::kTimelineLaunchGapsShare);
  const double shorter = trial.maybe(facts::kTimelineLaunchGapsShortShare).value_or(0);
  const double loader = trial.maybe(facts::kTimelineIdleShare[IdleClass::kLoader]).value_or(0);
  trial.show_all({facts::kTimelineIdleShare[IdleClass::kHost],
                  facts::kTimelineIdleShare[IdleClass::kLoader],
                  facts::kTimelineIdleShare[IdleClass::kLaunch], facts::kTimelineGapCount,
                  facts::kTimelineGapMedian, facts::kTimelineKernelsMedian,
                  facts::kTimelineLaunchGapsShortShare, facts::kTimelineOperatorName[0]});
  if (unexplained > 0) trial.show(facts::kTimelineIdleUnexplainedShare);
  const bool waits_for_data = 2 * loader >= gaps;
  return trial.found(
      fmt::format("the GPU waits for the host {} of the time, {}", percent(gaps),
                  waits_for_data ? "most of it for data" : "as launches come too slowly"),
      {std::min(shorter, gaps), gaps, GainKind::kCeiling},
      std::string(idle_class_info(waits_for_data ? IdleClass::kLoader : IdleClass::kHost).remedy));
}

}  // namespace

Rule launch_gaps() {
  return {
      .id = "launch-gaps",
      .group = CauseGroup::kLatency,
      .bound = Bound::kLaunch,
      .at = "host",
      .what =
          "The GPU is idle 10 % of its span or more because nothing was queued: the host was at "
          "something else, waited for data, or launches were on their way.",
      .why =
          "A launch costs the host some microseconds; where kernels are shorter than what lies "
          "between two launches, the GPU runs dry, however good its kernels are.",
      .fix =
          "CUDA graphs, larger batches, fused kernels, less Python in the loop; more workers and "
          "prefetching where the host waits for data.",
      .limits =
          "The low gain is what gaps below 50 us take, which a graph removes; longer ones need the "
          "host to become faster. Gaps above 100 us between a call and its start do not count: "
          "they wait for something else. Not evaluated where launches are missing, or below 100 "
          "operations or a millisecond.",
      .explains = {"host-bound"},
      .evaluate = evaluate_launch_gaps,
  };
}

}  // namespace proofline
