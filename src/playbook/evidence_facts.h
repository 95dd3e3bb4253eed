// SPDX-License-Identifier: Apache-2.0
//
// The facts of other evidence than a launch's metrics: benchmarks, logs, ceilings, the hardware,
// the journal, and what the user declares. workflow/check publishes them.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/diagnosis/fact_info.h"
#include "playbook/fact_catalogue.h"

namespace proofline {

// The two ends of an interval.
enum class End : std::uint8_t { kLow, kHigh };
constexpr std::string_view to_string(End end) {
  switch (end) {
    case End::kLow: return "low";
    case End::kHigh: return "high";
  }
  return "";
}

namespace facts {

inline constexpr std::string_view kBenchCommand = "proofline bench -- CMD";
inline constexpr std::string_view kPairCommand = "proofline bench --a CMD --b CMD";
inline constexpr std::string_view kSanitizeCommand = "proofline sanitize -- CMD";
inline constexpr std::string_view kTraceCommand = "proofline trace -- CMD";
inline constexpr std::string_view kDoctorCommand = "proofline doctor --format json";
inline constexpr std::string_view kCalibrateCommand = "proofline calibrate";
inline constexpr std::string_view kGivenCc = "proofline check --cc 9.0";

inline constexpr FactInfo kKernelName = {
    .name = "kernel.name",
    .meaning = "The kernel's name, as people write it.",
    .text = true,
};
inline constexpr FactInfo kKernelUniqueBytes = {
    .name = "kernel.unique_bytes",
    .unit = "byte",
    .meaning = "Distinct bytes that the kernel touches, as its lock says.",
    .command = "unique_bytes in the playbook's [[kernel]]",
};
inline constexpr FactInfo kKernelFlops = {
    .name = "kernel.flops",
    .meaning = "Operations that the kernel has to do, as its lock says.",
    .command = "flops in the playbook's [[kernel]]",
};
inline constexpr FactInfo kDeviceName = {
    .name = "device.name",
    .meaning = "The GPU's name.",
    .text = true,
    .words = "GPU: @",
};
inline constexpr FactInfo kDeviceCc = {
    .name = "device.cc",
    .meaning = "Compute capability as a text: \"9.0\".",
    .text = true,
};
inline constexpr FactInfo kLaunchGrid = {
    .name = "launch.grid",
    .meaning = "Blocks of the grid by dimension: \"64x64\".",
    .text = true,
    .words = "grid @",
};
inline constexpr FactInfo kLaunchBlock = {
    .name = "launch.block",
    .meaning = "Threads of a block by dimension: \"32x8\".",
    .text = true,
    .words = "block @",
};
inline constexpr FactInfo kVerdictBound = {
    .name = "verdict.bound",
    .meaning = "What bounds the kernel: memory, compute, latency, sync, occupancy, launch or none.",
    .text = true,
    .words = "@-bound",
};
inline constexpr FactInfo kVerdictAt = {
    .name = "verdict.at",
    .meaning = "Where it binds: dram, l2, shared, tensor, barrier, ...",
    .text = true,
    .words = "bound by @",
};
inline constexpr FactInfo kFindingCount = {
    .name = "finding.count",
    .meaning = "Causes that were found.",
    .words = "@ causes found",
};
inline constexpr FactGrid<std::string_view, End> kFindingGain = {{
    .name = "finding[<rule>].gain.<low|high>",
    .unit = kShare,
    .meaning =
        "What removing this cause could save of the kernel's time; 0 where it was not found.",
}};
inline constexpr FactInfo kChangeVerdict = {
    .name = "change.verdict",
    .meaning =
        "What decide says of the change: KEEP, REVERT, NO DIFFERENCE, INCONCLUSIVE or INVALID.",
    .text = true,
    .words = "decided: @",
    .command = kPairCommand,
};
inline constexpr FactInfo kChangeGain = {
    .name = "change.gain",
    .unit = kShare,
    .meaning = "Time that the change saved, of the time before: by benchmark.",
    .words = "@ of the time saved",
    .command = kPairCommand,
};
inline constexpr FactFamily<End> kChangeGainBound = {{
    .name = "change.gain.<low|high>",
    .unit = kShare,
    .meaning = "The interval of that, 95 %.",
    .command = kPairCommand,
}};
inline constexpr FactInfo kChangeArguments = {
    .name = "change.arguments",
    .meaning = "same or different: whether the programs before and after had the same arguments.",
    .text = true,
    .words = "arguments of both sides: @",
    .command = kPairCommand,
};
inline constexpr FactInfo kChangeCode = {
    .name = "change.code",
    .meaning = "What became of the machine code: identical, renamed or changed.",
    .text = true,
    .words = "machine code: @",
    .command = "a report with code, or the program, on both sides",
};
inline constexpr FactInfo kBenchMedian = {
    .name = "bench.median",
    .unit = "ns",
    .meaning = "Median time of one execution.",
    .words = "median time @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchLow = {
    .name = "bench.low",
    .unit = "ns",
    .meaning = "Lower end of the median's 95 % interval.",
    .words = "lower end of the median's interval @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchHigh = {
    .name = "bench.high",
    .unit = "ns",
    .meaning = "Upper end of the median's 95 % interval.",
    .words = "upper end of the median's interval @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchSpread = {
    .name = "bench.spread",
    .unit = kShare,
    .meaning = "Robust standard deviation, of the median.",
    .words = "samples spread by @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchThrottled = {
    .name = "bench.throttled",
    .unit = kShare,
    .meaning = "Samples that were taken while the GPU was held back.",
    .words = "@ of samples throttled",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchRoofShare = {
    .name = "bench.roof.share",
    .unit = kShare,
    .meaning = "Declared work over the nearest measured ceiling.",
    .words = "benchmark at @ of its measured ceiling",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchSamples = {
    .name = "bench.samples",
    .meaning = "Samples that were taken.",
    .words = "@ samples",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchBytesPerSecond = {
    .name = "bench.bytes_per_second",
    .unit = "byte/s",
    .meaning = "Declared bytes over the median time.",
    .words = "benchmark moves @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kBenchFlops = {
    .name = "bench.flops",
    .unit = "FLOP/s",
    .meaning = "Declared operations over the median time.",
    .words = "benchmark computes @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kCorrectPassed = {
    .name = "correct.passed",
    .meaning = "yes or no: whether the result agreed with the reference.",
    .text = true,
    .words = "results correct: @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kCorrectReference = {
    .name = "correct.reference",
    .meaning = "What it was compared with: \"fp64\".",
    .text = true,
    .words = "compared with @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kCorrectNans = {
    .name = "correct.nans",
    .meaning = "Results that are no numbers.",
    .words = "@ results are NaN",
    .command = kBenchCommand,
};
inline constexpr FactInfo kCorrectInfinities = {
    .name = "correct.infinities",
    .meaning = "Results that are infinite.",
    .words = "@ results are infinite",
    .command = kBenchCommand,
};
inline constexpr FactInfo kCorrectMaxAbsError = {
    .name = "correct.max_abs_error",
    .meaning = "Largest difference from the reference.",
    .words = "largest absolute error @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kCorrectMaxRelError = {
    .name = "correct.max_rel_error",
    .meaning = "Largest difference from the reference, of its value.",
    .words = "largest relative error @",
    .command = kBenchCommand,
};
inline constexpr FactInfo kCorrectStable = {
    .name = "correct.stable",
    .meaning = "yes or no: whether every measurement of the benchmark was right.",
    .text = true,
    .command = kBenchCommand,
};
inline constexpr FactFamily<std::string_view> kSanitizerOutcome = {{
    .name = "sanitizer[<tool>].outcome",
    .meaning = "clean, findings, or why the tool could not tell; synccheck, racecheck, memcheck, "
               "initcheck.",
    .text = true,
    .words = "$ @",
    .command = kSanitizeCommand,
}};
inline constexpr FactFamily<std::string_view> kSanitizerErrors = {{
    .name = "sanitizer[<tool>].errors",
    .meaning = "Errors that the tool found.",
    .command = kSanitizeCommand,
}};
inline constexpr FactFamily<std::string_view> kSanitizerWarnings = {{
    .name = "sanitizer[<tool>].warnings",
    .meaning = "Warnings of the tool.",
    .command = kSanitizeCommand,
}};
inline constexpr FactFamily<std::string_view> kPreflight = {{
    .name = "preflight[<id>]",
    .meaning =
        "What doctor says of this part of the machine: ok, note, unknown, problem or missing.",
    .text = true,
    .command = kDoctorCommand,
}};
inline constexpr FactFamily<std::string_view> kCeilingBandwidth = {{
    .name = "ceiling[<dram|l2|l1|shared>]",
    .unit = "byte/s",
    .meaning = "Bandwidth that was measured of this GPU.",
    .command = kCalibrateCommand,
}};
inline constexpr FactFamily<std::string_view> kCeilingArithmetic = {{
    .name = "ceiling[<name>]",
    .unit = "FLOP/s",
    .meaning = "Arithmetic that was measured of this GPU: fp32, tensor-f16, ...",
    .command = kCalibrateCommand,
}};
inline constexpr FactInfo kArchSharedPerBlock = {
    .name = "arch.shared_per_block",
    .unit = "byte",
    .meaning = "The most shared memory of a block.",
    .command = kGivenCc,
};
inline constexpr FactInfo kArchRegisters = {
    .name = "arch.registers",
    .meaning = "Registers of an SM.",
    .command = kGivenCc,
};
inline constexpr FactInfo kArchMaxWarps = {
    .name = "arch.max_warps",
    .meaning = "Warps that an SM can hold.",
    .command = kGivenCc,
};
inline constexpr FactInfo kArchClusterMax = {
    .name = "arch.cluster_max",
    .meaning = "Blocks of the largest cluster.",
    .command = kGivenCc,
};
inline constexpr FactInfo kArchTmemColumns = {
    .name = "arch.tmem_columns",
    .meaning = "Columns of tensor memory of an SM; 0 where there is none.",
    .command = kGivenCc,
};
inline constexpr FactFamily<std::string_view> kWorkload = {{
    .name = "workload.<key>",
    .meaning = "What the playbook's [workload] says, or what the call adds to it.",
    .command = "proofline check --workload KEY=VALUE",
}};
inline constexpr FactInfo kJournalAttempts = {
    .name = "journal.attempts",
    .meaning = "Attempts at this kernel that the journal has.",
    .words = "@ attempts in the journal",
    .command = "proofline journal",
};
inline constexpr FactInfo kJournalMinutes = {
    .name = "journal.minutes",
    .meaning = "Minutes that these attempts took.",
    .words = "@ minutes of attempts",
    .command = "proofline journal",
};
inline constexpr FactInfo kTimelineKernelShare = {
    .name = "timeline.kernel.share",
    .unit = kShare,
    .meaning = "Time of the lock's kernel, of the time of all kernels.",
    .words = "@ of kernel time in this kernel",
    .command = kTraceCommand,
};
inline constexpr FactInfo kTimelineKernelMedian = {
    .name = "timeline.kernel.median",
    .unit = "ns",
    .meaning = "Median time of the lock's kernel.",
    .command = kTraceCommand,
};
inline constexpr FactInfo kTimelineKernelLaunches = {
    .name = "timeline.kernel.launches",
    .meaning = "Launches of the lock's kernel.",
    .command = kTraceCommand,
};

}  // namespace facts

inline constexpr CatalogueFact kEvidenceFacts[] = {
    {facts::kKernelName, "launch"},
    {facts::kKernelUniqueBytes, "told"},
    {facts::kKernelFlops, "told"},
    {facts::kDeviceName, "launch"},
    {facts::kDeviceCc, "launch"},
    {facts::kLaunchGrid, "launch"},
    {facts::kLaunchBlock, "launch"},
    {facts::kVerdictBound, "diagnosis"},
    {facts::kVerdictAt, "diagnosis"},
    {facts::kFindingCount, "diagnosis"},
    {facts::kFindingGain.info, "diagnosis"},
    {facts::kChangeVerdict, "pair", false},
    {facts::kChangeGain, "pair", false},
    {facts::kChangeGainBound.info, "pair", false},
    {facts::kChangeArguments, "pair"},
    {facts::kChangeCode, "pair"},
    {facts::kBenchMedian, "benchmark", false},
    {facts::kBenchLow, "benchmark", false},
    {facts::kBenchHigh, "benchmark", false},
    {facts::kBenchSpread, "benchmark", false},
    {facts::kBenchThrottled, "benchmark", false},
    {facts::kBenchRoofShare, "benchmark", false},
    {facts::kBenchSamples, "benchmark", false},
    {facts::kBenchBytesPerSecond, "benchmark", false},
    {facts::kBenchFlops, "benchmark", false},
    {facts::kCorrectPassed, "benchmark", false},
    {facts::kCorrectReference, "benchmark", false},
    {facts::kCorrectNans, "benchmark", false},
    {facts::kCorrectInfinities, "benchmark", false},
    {facts::kCorrectMaxAbsError, "benchmark", false},
    {facts::kCorrectMaxRelError, "benchmark", false},
    {facts::kCorrectStable, "benchmark", false},
    {facts::kSanitizerOutcome.info, "sanitizer", false},
    {facts::kSanitizerErrors.info, "sanitizer", false},
    {facts::kSanitizerWarnings.info, "sanitizer", false},
    {facts::kPreflight.info, "machine", false},
    {facts::kCeilingBandwidth.info, "ceilings", false},
    {facts::kCeilingArithmetic.info, "ceilings", false},
    {facts::kArchSharedPerBlock, "hardware", false},
    {facts::kArchRegisters, "hardware", false},
    {facts::kArchMaxWarps, "hardware", false},
    {facts::kArchClusterMax, "hardware", false},
    {facts::kArchTmemColumns, "hardware", false},
    {facts::kWorkload.info, "told", false},
    {facts::kJournalAttempts, "journal", false},
    {facts::kJournalMinutes, "journal", false},
    {facts::kTimelineKernelShare, "timeline"},
    {facts::kTimelineKernelMedian, "timeline"},
    {facts::kTimelineKernelLaunches, "timeline"},
};

}  // namespace proofline
