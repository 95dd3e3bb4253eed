// SPDX-License-Identifier: Apache-2.0
//
// The capture cannot answer: what every diagnosis needs is missing or contradicts itself.
#include <fmt/format.h>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

constexpr double kDifferentClocks = 0.25;
// PC samples are taken every few thousand cycles, so that a launch of this length has some.
constexpr double kSampledNanoseconds = 20e3;

Gain no_gain() { return {0, 0, GainKind::kMeasured}; }

Outcome evaluate_capture_invalid(Trial& trial) {
  const auto cycles = trial.maybe(facts::kCaptureCycles);
  const auto duration = trial.maybe(facts::kDuration);
  if ((cycles && *cycles <= 0) || (duration && *duration <= 0)) {
    trial.show(facts::kCaptureCycles);
    trial.show(facts::kDuration);
    return trial.found("the launch took no time at all: the kernel did not run under the profiler",
                       no_gain(), "record again and check that the kernel of interest is launched");
  }
  if (trial.maybe(facts::kExecutionInstructions).value_or(1) <= 0) {
    trial.show(facts::kExecutionInstructions);
    return trial.found(
        "the launch executed no instruction: this is not the kernel that was meant", no_gain(),
        "record again with ncu --kernel-name and --launch-skip for the kernel of interest");
  }
  if (trial.maybe_text(facts::kCaptureOnlySetup) == "yes") {
    trial.show(facts::kCaptureOnlySetup);
    return trial.found(
        "the report holds only kernels by which PyTorch fills memory or draws random numbers, not "
        "the one that was meant",
        no_gain(),
        "record again with ncu --kernel-name regex:NAME, or --launch-skip past the set-up");
  }
  if (trial.maybe_text(facts::kCaptureCounters) == "none") {
    trial.need(facts::kRoofShare);
    return trial.clean();  // which is: not evaluated, since there is no roof
  }
  if (!trial.maybe_text(facts::kRoofLevel)) {
    trial.show(facts::kCaptureMetrics);
    return trial.found(
        "the capture has no throughput of any level: what binds the kernel cannot be said",
        no_gain(),
        "record with ncu --set full, or at least --section SpeedOfLight --section WarpStateStats "
        "--section MemoryWorkloadAnalysis --section Occupancy --section LaunchStats");
  }
  if (trial.maybe(facts::kCaptureSamples).value_or(1) <= 0 &&
      duration.value_or(0) >= kSampledNanoseconds) {
    trial.show(facts::kCaptureSamples);
    trial.show(facts::kDuration);
    return trial.found("PC sampling ran but took no sample of the launch", no_gain(),
                       "record again with ncu, a shorter --sampling-interval or a larger "
                       "--sampling-buffer-size, and nothing else on the GPU");
  }
  // Boost steps and the jitter of a loaded link explain smaller differences between passes.
  if (trial.maybe(facts::kCaptureClockSpreadShare).value_or(0) >= kDifferentClocks &&
      duration.value_or(0) >= kSampledNanoseconds &&
      trial.at_least(facts::kCaptureClockSpreadShare, kDifferentClocks)) {
    return trial.found(
        fmt::format(
            "the SM clock differed by {} between passes, so their counters do not belong together",
            percent(*trial.maybe(facts::kCaptureClockSpreadShare))),
        no_gain(), "record again with ncu --clock-control base, and nothing else on the GPU");
  }
  return Clean{};
}

}  // namespace

Rule capture_invalid() {
  return {
      .id = "capture-invalid",
      .group = CauseGroup::kCapture,
      .bound = Bound::kNone,
      .at = "capture",
      .what =
          "No time or instructions (not the kernel that was meant), no throughput section, "
          "sampling without a sample, or clocks 25 % apart between passes.",
      .why =
          "Each replay pass measures other counters; they describe one run only if all passes ran "
          "alike.",
      .fix =
          "Record again: the right kernel (ncu --kernel-name, --launch-skip), the needed sections "
          "(--set full), steady clocks, and no other work on the GPU.",
      .limits = "Unlocked clocks or a single launch are notes, not faults.",
      .evaluate = evaluate_capture_invalid,
  };
}

}  // namespace proofline
