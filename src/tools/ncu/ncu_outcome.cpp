// SPDX-License-Identifier: Apache-2.0
//
// Known failures by words that ncu has used for them since 2020, each with what the user can do.
#include "tools/ncu/ncu_outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/option.h"
#include "base/text.h"
#include "tools/ncu/ncu_log.h"

namespace proofline {
namespace {

struct KnownFailure {
  std::string_view words;
  ErrorKind kind;
  std::string_view what;  // cause and next step
};

constexpr std::string_view kOtherDriver =
    "this ncu does not fit the installed driver: use the Nsight Compute of a CUDA version that the "
    "driver supports, or a newer driver; proofline doctor shows both versions";
constexpr std::string_view kNoMemory =
    "ncu could not save the memory that the kernel may change, to restore it between passes: use "
    "proofline profile --replay-mode application, which runs the program once for each pass, or a "
    "smaller problem";
constexpr std::string_view kLocked =
    "another user's ncu has left its lock file: set TMPDIR to a folder of your own";
constexpr std::string_view kUnknownName = "ncu does not collect what was asked for on this GPU";
constexpr std::string_view kNoFile = "the report could not be written";

// In the order in which they count: what comes later may only follow from what comes before.
constexpr KnownFailure kFailures[] = {
    {"ERR_NVGPUCTRPERM", ErrorKind::kPermission,
     "this user may not read the GPU's performance counters: root can allow it once for the "
     "machine, and proofline doctor says how; in a container, the host decides"},
    {"a driver resource was unavailable", ErrorKind::kTool,
     "another tool has the GPU's performance counters, often DCGM: pause it (dcgmi profile "
     "--pause) or end the other profiler, then run again"},
    {"Failed to open/create lock file", ErrorKind::kTool, kLocked},
    {"InterprocessLockFailed", ErrorKind::kTool, kLocked},
    {"not compatible with Nsight Compute", ErrorKind::kTool, kOtherDriver},
    {"Failed to load Nsight Compute CUDA modules", ErrorKind::kTool, kOtherDriver},
    {"Failed to initialize the profiler", ErrorKind::kTool, kOtherDriver},
    {"Profiling is not supported on", ErrorKind::kTool,
     "ncu cannot profile on this GPU: it is older or newer than this ncu, or a virtual one without "
     "profiling; ncu --list-chips has those that it knows"},
    {"Cannot lock GPU clock", ErrorKind::kTool,
     "the clocks of this GPU cannot be locked, as on a MIG instance: use proofline profile "
     "--clock-control none"},
    {"Failed to save memory for replay", ErrorKind::kTool, kNoMemory},
    {"ContextSaveFailed", ErrorKind::kTool, kNoMemory},
    {"bad allocation", ErrorKind::kTool, kNoMemory},
    {"did not match any section", ErrorKind::kUsage, kUnknownName},
    {"Failed to find metric", ErrorKind::kUsage, kUnknownName},
    {"Failed to access the following", ErrorKind::kUsage, kUnknownName},
    {"already exists. Use '-f'", ErrorKind::kStorage, kNoFile},
    {"Unable to write to file", ErrorKind::kStorage, kNoFile},
    {"does not exist or is not an executable", ErrorKind::kInput,
     "ncu could not start the program"},
    {"LaunchFailed", ErrorKind::kInput,
     "a kernel failed while it was profiled: look for its fault with proofline sanitize"},
};

// Lines that only say that something went wrong, or which other line does.
bool says_nothing(std::string_view error) {
  return error.starts_with("An error was reported by") || error.starts_with("An error occurred") ||
         error.starts_with("For more information") || error.starts_with("Failed to profile \"");
}

using Messages = std::vector<std::string>;

// ncu's own message, for those who want to look it up.
std::string with_words(std::string_view what, std::string_view error) {
  return fmt::format("{} (ncu says {})", what, quote(error, 300));
}

std::optional<Error> known_failure(const Messages& errors) {
  for (const KnownFailure& failure : kFailures) {
    for (const std::string& error : errors) {
      if (error.find(failure.words) == error.npos) continue;
      return Error{failure.kind, with_words(failure.what, error)};
    }
  }
  return std::nullopt;
}

// What ncu was at when its time was over.
std::string stuck_at(const NcuProgress& progress) {
  const std::string kernel = quote(progress.kernel);
  if (!progress.connected) return "the program had not used CUDA yet";
  if (progress.kernel.empty()) return "no kernel that was asked for had been launched yet";
  if (progress.slow) {
    return fmt::format(
        "kernel {} does not end under ncu, which runs one kernel at a time: it may hang by itself, "
        "or wait for another kernel or process, as NCCL's do; choose other kernels with {}, or use "
        "{} application or range",
        kernel, option("kernel"), option("replay-mode"));
  }
  if (progress.fraction == 0) {
    return fmt::format(
        "ncu was still at the first pass of kernel {}; before it, all memory that the kernel may "
        "change is saved: {} application needs no saving",
        kernel, option("replay-mode"));
  }
  return fmt::format(
      "ncu was at {} of kernel {}, after {} others: raise {}, or ask for fewer kernels or metrics",
      percent(progress.fraction), kernel, progress.finished, option("time-limit"));
}

Error nothing_profiled(const NcuLog& log) {
  const auto& kernels = log.available_kernels();
  if (!kernels.empty()) {
    constexpr std::size_t kMost = 10;
    const auto last =
        kernels.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, kernels.size()));
    return {ErrorKind::kInput,
            fmt::format(
                "no kernel matched; the program ran {}{}",
                escape_terminal(fmt::format("{}", fmt::join(kernels.begin(), last, ", "))),
                kernels.size() > kMost ? fmt::format(" and {} more", kernels.size() - kMost) : "")};
  }
  if (log.program_code()) {
    return {ErrorKind::kInput,
            fmt::format("the program failed (exit code {}) before a kernel was profiled: see what "
                        "it printed, and whether it runs without ncu",
                        *log.program_code())};
  }
  if (!log.progress().connected) {
    return {ErrorKind::kInput, "the program ended without using CUDA: there is nothing to profile"};
  }
  return {ErrorKind::kInput, "the program used CUDA but launched no kernel that was asked for"};
}

Error failed(const NcuRun& run, const Messages& errors) {
  std::string how = run.end.ending == Ending::kSignal
                        ? fmt::format("ncu crashed (signal {})", run.end.signal)
                        : fmt::format("ncu failed (exit code {})", run.end.exit_code);
  const auto telling = std::find_if_not(errors.begin(), errors.end(), says_nothing);
  if (telling != errors.end()) return {ErrorKind::kTool, with_words(how, *telling)};
  if (!errors.empty()) return {ErrorKind::kTool, with_words(how, errors.front())};
  return {ErrorKind::kTool, std::move(how) + " and does not say why"};
}

// Worth a word: what the report lacks, and what took time.
std::vector<Note> notes_of(const NcuLog& log) {
  std::vector<Note> notes;
  for (const std::string& warning : log.warnings()) {
    const bool expected = warning.starts_with("Note: Running with unmodified GPU clocks") ||
                          warning.starts_with("Launching the workload");
    if (!expected) notes.push_back({NoteKind::kInfo, "ncu", escape_terminal(warning)});
  }
  for (const std::string& error : log.errors()) {
    notes.push_back({NoteKind::kLoss, "ncu", escape_terminal(error)});
  }
  if (const auto code = log.program_code()) {
    const char* how = log.disconnected() ? "returned exit code" : "died, with code";
    notes.push_back({NoteKind::kInfo, "ncu", fmt::format("the program {} {}", how, *code)});
  }
  return notes;
}

}  // namespace

Result<NcuOutcome> judge_ncu_run(const NcuRun& run) {
  if (run.end.ending == Ending::kInterrupted) {
    return fail(ErrorKind::kInterrupted, "interrupted before ncu had written its report");
  }
  NcuLog log;
  log.take(run.log);
  log.finish();
  // What is wrong with the command itself is printed before there is a log; later, what looks like
  // ncu's may be the program's.
  NcuLog printed;
  printed.take(run.output);
  printed.finish();
  printed.take(run.errors);
  printed.finish();
  const Messages& errors = run.log.empty() ? printed.errors() : log.errors();

  if (auto failure = known_failure(errors)) return tl::make_unexpected(std::move(*failure));
  const NcuProgress& progress = log.progress();
  if (run.end.ending == Ending::kTimeLimit || run.end.ending == Ending::kEnough) {
    return fail(ErrorKind::kTimeLimit, "ended at the time limit: " + stuck_at(progress));
  }
  const bool has_report = run.report_bytes.value_or(0) > 0;
  if (run.end.ending == Ending::kSignal || (!log.errors().empty() && !has_report) ||
      (run.log.empty() && run.end.exit_code != 0)) {
    return tl::make_unexpected(failed(run, errors));
  }
  if (!has_report) {
    // What is not ncu's log says nothing of the program.
    if (!progress.connected && !log.program_code() && run.end.exit_code != 0) {
      return tl::make_unexpected(failed(run, errors));
    }
    if (progress.finished == 0) return tl::make_unexpected(nothing_profiled(log));
    return fail(ErrorKind::kTool, fmt::format("ncu profiled {} launches but left no report; is the "
                                              "disk full?",
                                              progress.finished));
  }
  NcuOutcome outcome{progress.finished, std::nullopt, notes_of(log)};
  if (!log.ended_program()) outcome.program_code = log.program_code();
  return outcome;
}

}  // namespace proofline
