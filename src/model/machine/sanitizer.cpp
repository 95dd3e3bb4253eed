// SPDX-License-Identifier: Apache-2.0
#include "model/machine/sanitizer.h"

#include <algorithm>

namespace proofline {

std::string_view to_string(SanitizerKind kind) {
  switch (kind) {
    case SanitizerKind::kOutOfBounds: return "out-of-bounds";
    case SanitizerKind::kMisaligned: return "misaligned";
    case SanitizerKind::kAccessDenied: return "access-denied";
    case SanitizerKind::kInvalidAccess: return "invalid-access";
    case SanitizerKind::kUseAfterFree: return "use-after-free";
    case SanitizerKind::kUseBeforeAllocation: return "use-before-allocation";
    case SanitizerKind::kInvalidFree: return "invalid-free";
    case SanitizerKind::kSharedRace: return "shared-race";
    case SanitizerKind::kDivergentBarrier: return "divergent-barrier";
    case SanitizerKind::kInvalidBarrier: return "invalid-barrier";
    case SanitizerKind::kWarpgroupSequence: return "warpgroup-sequence";
    case SanitizerKind::kTensorMemory: return "tensor-memory";
    case SanitizerKind::kDeadlock: return "deadlock";
    case SanitizerKind::kUninitialisedRead: return "uninitialised-read";
    case SanitizerKind::kUnusedMemory: return "unused-memory";
    case SanitizerKind::kLeak: return "leak";
    case SanitizerKind::kApiError: return "api-error";
    case SanitizerKind::kDeviceException: return "device-exception";
    case SanitizerKind::kNotChecked: return "not-checked";
    case SanitizerKind::kHang: return "hang";
    case SanitizerKind::kUnknown: return "unknown";
  }
  return "unknown";
}

std::string_view to_string(SanitizerLevel level) {
  switch (level) {
    case SanitizerLevel::kError: return "error";
    case SanitizerLevel::kWarning: return "warning";
    case SanitizerLevel::kInfo: return "info";
  }
  return "error";
}

std::string_view to_string(SanitizerOutcome outcome) {
  switch (outcome) {
    case SanitizerOutcome::kClean: return "clean";
    case SanitizerOutcome::kFindings: return "findings";
    case SanitizerOutcome::kHang: return "hang";
    case SanitizerOutcome::kTooSlow: return "too-slow";
    case SanitizerOutcome::kFailed: return "failed";
    case SanitizerOutcome::kApplicationFailed: return "application-failed";
    case SanitizerOutcome::kInterrupted: return "interrupted";
    case SanitizerOutcome::kNotRun: return "not-run";
  }
  return "not-run";
}

std::uint64_t SanitizerFinding::hazards() const {
  std::uint64_t all = 0;
  for (const RaceSide& side : sides) all += side.hazards;
  return all;
}

bool SanitizerFinding::is_pooled() const {
  // PyTorch's, TensorFlow's and JAX's, and RAPIDS'.
  constexpr std::string_view kPools[] = {"CachingAllocator", "BFCAllocator", "rmm::mr::"};
  if (kind != SanitizerKind::kLeak) return false;
  for (const HostStack& stack : stacks) {
    for (const std::string& frame : stack.frames) {
      for (const std::string_view pool : kPools) {
        if (frame.find(pool) != std::string::npos) return true;
      }
    }
  }
  return false;
}

SanitizerCounts SanitizerLog::counts() const {
  SanitizerCounts counts;
  for (const SanitizerFinding& finding : findings) {
    switch (finding.level) {
      case SanitizerLevel::kError: counts.errors += finding.count; break;
      case SanitizerLevel::kWarning: counts.warnings += finding.count; break;
      case SanitizerLevel::kInfo: counts.infos += finding.count; break;
    }
  }
  return counts;
}

SanitizerOutcome SanitizerRun::outcome() const {
  using enum SanitizerOutcome;
  const auto any = [&](SanitizerOutcome outcome) {
    return std::any_of(tools.begin(), tools.end(), [&](const SanitizerToolResult& result) {
      return result.outcome == outcome;
    });
  };
  for (const SanitizerOutcome outcome : {kInterrupted, kHang, kFindings}) {
    if (any(outcome)) return outcome;
  }
  if (alone && alone->hang) return kHang;
  for (const SanitizerOutcome outcome : {kFailed, kTooSlow, kApplicationFailed, kClean}) {
    if (any(outcome)) return outcome;
  }
  return kNotRun;
}

bool SanitizerRun::has_only_leaks() const {
  if (outcome() != SanitizerOutcome::kFindings) return false;
  return std::all_of(tools.begin(), tools.end(), [](const SanitizerToolResult& result) {
    if (result.outcome == SanitizerOutcome::kClean) return true;
    const SanitizerLog& log = result.log;
    const bool all_listed = log.summary && log.summary->errors <= log.counts().errors;
    return result.outcome == SanitizerOutcome::kFindings && all_listed &&
           std::all_of(log.findings.begin(), log.findings.end(), [](const SanitizerFinding& one) {
             return one.level != SanitizerLevel::kError || one.kind == SanitizerKind::kLeak;
           });
  });
}

void judge_log(SanitizerToolResult& result) {
  const SanitizerLog& log = result.log;
  const auto is_unchecked = [](const SanitizerFinding& finding) {
    return finding.kind == SanitizerKind::kNotChecked && finding.level == SanitizerLevel::kError;
  };
  const auto is_error = [&](const SanitizerFinding& finding) {
    return finding.level == SanitizerLevel::kError && !is_unchecked(finding);
  };
  std::uint64_t listed = log.counts().errors;
  for (const SanitizerFinding& finding : log.findings) {
    if (finding.is_pooled()) listed += finding.count;  // which the tool takes for errors
  }
  if (std::any_of(log.findings.begin(), log.findings.end(), is_error) ||
      (log.summary && log.summary->errors > listed)) {
    result.outcome = SanitizerOutcome::kFindings;
  } else if (!log.failure.empty()) {
    result.outcome = SanitizerOutcome::kFailed;
    result.explanation = log.failure + "; nothing was checked";
  } else if (!log.complete) {
    result.outcome = SanitizerOutcome::kFailed;
    result.explanation = "the log ends without the tool's summary line";
  } else if (std::any_of(log.findings.begin(), log.findings.end(), is_unchecked)) {
    result.outcome = SanitizerOutcome::kFailed;
    result.explanation = "the tool could not check a part of the program";
  } else if (log.application_returned_error || log.application_crashed) {
    result.outcome = SanitizerOutcome::kApplicationFailed;
    result.explanation = log.application_crashed ? "the program itself crashed"
                                                 : "the program itself returned an error";
  } else {
    result.outcome = SanitizerOutcome::kClean;
  }
}

}  // namespace proofline
