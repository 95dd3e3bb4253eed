// SPDX-License-Identifier: Apache-2.0
//
// Facts about the capture itself: how much was sampled, and whether clocks held still between
// passes.
#pragma once

#include "model/diagnosis/fact_info.h"

namespace proofline {

namespace facts {

inline constexpr FactInfo kCaptureMetrics = {
    .name = "capture.metrics",
    .meaning = "Metrics that the launch has.",
    .words = "@ metrics in the capture",
};
inline constexpr FactInfo kDeviceComputeCapability = {
    .name = "device.compute_capability",
    .meaning = "As a number: 9.0 for an H200, 12.0 for an RTX 5090.",
};
inline constexpr FactInfo kCaptureOnlySetup = {
    .name = "capture.only_setup",
    .meaning =
        "yes where all kernels of the report are PyTorch's that fill memory or draw "
        "numbers; else absent.",
    .text = true,
    .words = "only PyTorch's set-up kernels: @",
};
inline constexpr FactInfo kCaptureSamples = {
    .name = "capture.samples",
    .meaning = "PC samples taken of the launch.",
    .words = "@ PC samples",
    .needs = "smsp__pcsamp_sample_count",
};
inline constexpr FactInfo kCaptureCycles = {
    .name = "capture.cycles",
    .unit = "cycle",
    .meaning = "Elapsed SM cycles of the launch.",
    .words = "@ SM cycles",
    .needs = "sm__cycles_elapsed.max",
    .formerly = "gpc__cycles_elapsed.max sm__cycles_elapsed.avg sm__elapsed_cycles_max",
    .quick = true,
};
inline constexpr FactInfo kCaptureClock = {
    .name = "capture.clock",
    .unit = "hz",
    .meaning = "SM clock, from elapsed cycles and time.",
    .needs = "gpc__cycles_elapsed.avg.per_second",
    .formerly =
        "smsp__cycles_elapsed.avg.per_second sm__cycles_elapsed.avg.per_second "
        "gpc__frequency sm__frequency",
    .quick = true,
};
inline constexpr FactInfo kCaptureClockSpreadShare = {
    .name = "capture.clock_spread.share",
    .unit = kShare,
    .meaning = "How far the SM clocks seen in different passes are apart, of the highest.",
    .words = "SM clocks @ apart between passes",
    .needs =
        "gpc__cycles_elapsed.avg.per_second sm__cycles_elapsed.avg.per_second "
        "smsp__cycles_elapsed.avg.per_second",
    .quick = true,
};
inline constexpr FactInfo kCaptureClocksLocked = {
    .name = "capture.clocks_locked",
    .meaning = "yes or no, where the report says.",
    .text = true,
};
inline constexpr FactInfo kCaptureCounters = {
    .name = "capture.counters",
    .meaning = "none where the launch was recorded without hardware counters.",
    .text = true,
};

}  // namespace facts

inline constexpr FactInfo kCaptureFacts[] = {
    facts::kCaptureMetrics,          facts::kDeviceComputeCapability, facts::kCaptureOnlySetup,
    facts::kCaptureSamples,          facts::kCaptureCycles,           facts::kCaptureClock,
    facts::kCaptureClockSpreadShare, facts::kCaptureClocksLocked,     facts::kCaptureCounters,
};

}  // namespace proofline
