// SPDX-License-Identifier: Apache-2.0
//
// The GPU waits for the host to give it work.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "vocabulary/idle_classes.h"

namespace proofline {
namespace {

constexpr double kLeastGapShare = 0.10;

Outcome evaluate_launch_gaps(Trial& trial) {
  const double unexplained = trial.maybe("timeline.idle.unexplained.share").value_or(0);
  if (!trial.at_least("timeline.launch_gaps.share", kLeastGapShare)) {
    const auto gaps = trial.maybe("timeline.launch_gaps.share");
    if (!gaps || *gaps + unexplained < kLeastGapShare) return trial.clean();
    return NotEvaluated{
        "",
        {"timeline.launch_gaps.share"},
        fmt::format("{} of the time lies between launches and their start, in gaps that no launch "
                    "takes: an event, another process or lost records are behind them",
                    percent(unexplained)),
        ""};
  }
  const double gaps = *trial.maybe("timeline.launch_gaps.share");
  const double shorter = trial.maybe("timeline.launch_gaps.short.share").value_or(0);
  const double loader = trial.maybe("timeline.idle.loader.share").value_or(0);
  for (const std::string_view fact :
       {"timeline.idle.host.share", "timeline.idle.loader.share", "timeline.idle.launch.share",
        "timeline.gap.count", "timeline.gap.median", "timeline.kernels.median",
        "timeline.launch_gaps.short.share", "timeline.operator[0].name"}) {
    trial.show(fact);
  }
  if (unexplained > 0) trial.show("timeline.idle.unexplained.share");
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
