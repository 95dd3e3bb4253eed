// SPDX-License-Identifier: Apache-2.0
//
// The capture cannot answer: what every diagnosis needs is missing or contradicts itself.
#include <fmt/format.h>

#include <algorithm>

#include "rules/gains.h"
#include "rules/rule.h"

namespace proofline {
namespace {

constexpr double kDifferentClocks = 0.25;

Gain no_gain() { return {0, 0, GainKind::kMeasured}; }

Outcome evaluate(Trial& trial) {
  const auto cycles = trial.maybe("capture.cycles");
  const auto duration = trial.maybe("duration");
  if ((cycles && *cycles <= 0) || (duration && *duration <= 0)) {
    trial.show("capture.cycles");
    trial.show("duration");
    return trial.found("the launch took no time at all: the kernel did not run under the profiler",
                       no_gain(), "record again and check that the kernel of interest is launched");
  }
  const bool throughput = trial.maybe_text("roof.level").has_value();
  const bool stalls = trial.maybe_text("stall.source").has_value();
  if (!throughput && !stalls) {
    trial.show("capture.metrics");
    return trial.found(
        "the capture has neither throughput nor stalls: nothing can be said about the cause",
        no_gain(),
        "record with --set full, or at least --section SpeedOfLight --section WarpStateStats "
        "--section MemoryWorkloadAnalysis --section Occupancy --section LaunchStats");
  }
  // Further apart than boost steps and the jitter of a loaded link take passes.
  if (trial.maybe("capture.clock_spread.share").value_or(0) >= kDifferentClocks &&
      duration.value_or(0) >= 20e3 &&
      trial.at_least("capture.clock_spread.share", kDifferentClocks)) {
    return trial.found(
        fmt::format("the SM clock differed by {} between passes, so their counters do not belong "
                    "together",
                    percent(*trial.maybe("capture.clock_spread.share"))),
        no_gain(), "record again with --clock-control base, and nothing else on the GPU");
  }
  return Clean{};
}

}  // namespace

Rule capture_invalid() {
  return {"capture-invalid",
          CauseGroup::kCapture,
          Bound::kNone,
          "capture",
          "No elapsed cycles, no throughput and no stalls, or clocks that changed between passes.",
          "Each replay pass measures other counters; they describe one run only if all passes ran "
          "alike.",
          "Record again: the right kernel (--kernel-name, --launch-skip), the needed sections "
          "(--set full), steady clocks, and no other work on the GPU.",
          "Unlocked clocks or a single launch are notes, not faults.",
          {},
          evaluate};
}

}  // namespace proofline
