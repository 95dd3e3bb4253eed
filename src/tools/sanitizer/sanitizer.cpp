// SPDX-License-Identifier: Apache-2.0
#include "tools/sanitizer/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "tools/process/ask_tool.h"
#include "tools/process/find_tool.h"

namespace proofline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The tools slow a kernel down by 10 to 100 times, and take some seconds to begin.
constexpr seconds kLeastLimit{60};
constexpr seconds kStartTime{30};
constexpr int kSlowdown = 100;
// Enough to see every place at which something is wrong, little enough for a log to be kept.
constexpr int kPrintLimit = 10000;
// Far from what programs return: small numbers, and 128 and more for signals.
constexpr int kErrorCode = 86;

// It takes %p and the like for its own in the name of the log.
std::string without_sequences(std::string_view path) {
  std::string name;
  for (const char c : path) name.append(c == '%' ? 2 : 1, c);
  return name;
}

// The last words of a program that gave up.
std::string last_line(std::string_view text) {
  text = trim(text);
  return std::string(trim(text.substr(text.rfind('\n') + 1)));
}

void fail_with(std::string explanation, SanitizerToolResult& result) {
  result.outcome = SanitizerOutcome::kFailed;
  result.explanation = std::move(explanation);
}

void note(NoteKind kind, std::string what, SanitizerToolResult& result) {
  result.log.notes.push_back({kind, "", std::move(what), 1});
}

// Whether it hangs or is only slow cannot be seen from outside. What does not end alone hangs;
// under a tool alone it may be either: racecheck takes minutes for milliseconds of kernels whose
// warps poll barriers, and may take those that wait that long for deadlocked.
void judge_time_limit(const std::optional<AloneResult>& alone, SanitizerToolResult& result) {
  result.explanation = fmt::format("did not end within {:.4g} s and was ended",
                                   result.limit_seconds.value_or(*result.seconds));
  if (alone && !alone->hang) {
    for (SanitizerFinding& finding : result.log.findings) {
      if (finding.kind == SanitizerKind::kDeadlock) finding.level = SanitizerLevel::kWarning;
    }
    result.outcome =
        result.log.counts().errors > 0 ? SanitizerOutcome::kFindings : SanitizerOutcome::kTooSlow;
    result.explanation += fmt::format(
        "; the program alone takes {:.1f} s: it hangs under the tool, or the tool is that slow; {} "
        "gives it longer, {} leaves out what is not the question",
        alone->seconds, option("time-limit"), option("kernel"));
    return;
  }
  result.outcome = SanitizerOutcome::kHang;
  SanitizerFinding hang;
  hang.tool = result.tool;
  hang.kind = SanitizerKind::kHang;
  hang.words = fmt::format("{} {}", result.tool, result.explanation);
  result.log.findings.insert(result.log.findings.begin(), std::move(hang));
}

// How the program failed, and whether the tool has to do with it.
std::string application_failure(const SanitizerToolResult& result,
                                const std::optional<AloneResult>& alone) {
  const int code = result.exit_code.value_or(0);
  std::string text = "one of the program's processes failed";
  if (code != 0) {
    // It returns the number of a signal like an exit code.
    text =
        fmt::format("the program itself {} {}",
                    result.log.application_crashed ? "died of signal" : "returned exit code", code);
  }
  if (!alone || alone->hang) return text;
  const bool same = alone->signal.value_or(alone->exit_code.value_or(0)) == code;
  return text + (same ? ", as it does without the tool" : ", which it does not without the tool");
}

void judge_exit(int error_code, const std::optional<AloneResult>& alone,
                SanitizerToolResult& result) {
  const int code = *result.exit_code;
  if (result.outcome == SanitizerOutcome::kFindings) {
    if (code == error_code) return;
    note(NoteKind::kInfo,
         fmt::format("the tool returned exit code {}, not {}, although it reports errors", code,
                     error_code),
         result);
  } else if (result.outcome == SanitizerOutcome::kClean && code == error_code) {
    if (result.log.counts().warnings > 0) return;
    fail_with(
        fmt::format("the tool returned {}, which stands for errors, but its log has none", code),
        result);
  } else if (result.outcome == SanitizerOutcome::kApplicationFailed ||
             (result.outcome == SanitizerOutcome::kClean && code != 0)) {
    result.outcome = SanitizerOutcome::kApplicationFailed;
    result.explanation = application_failure(result, alone);
  }
}

}  // namespace

std::string parse_sanitizer_version(std::string_view printed) {
  if (printed.find("Compute Sanitizer") == std::string_view::npos) return "";
  return tool_version_in(printed);
}

Result<InstalledSanitizer> find_sanitizer() {
  ASSIGN_OR_RETURN(auto path, find_tool("compute-sanitizer"));
  InstalledSanitizer sanitizer;
  sanitizer.path = std::move(path);
  const auto version = ask_tool(sanitizer.path, "--version");
  RETURN_IF_ERROR(version);
  sanitizer.version = parse_sanitizer_version(version->output);
  if (sanitizer.version.empty()) {
    return fail(ErrorKind::kTool,
                fmt::format("{} does not say its version as compute-sanitizer does: {}",
                            quote(sanitizer.path), quote(trim(version->output))));
  }
  const auto help = ask_tool(sanitizer.path, "--help");
  sanitizer.finds_deadlocks =
      help && help->output.find("--racecheck-deadlock-timeout") != std::string::npos;
  return sanitizer;
}

bool sees_all_kernels(std::string_view tool) { return tool == "initcheck"; }

std::vector<std::string> sanitizer_command(const InstalledSanitizer& sanitizer,
                                           const SanitizerOptions& options,
                                           const SanitizerStep& step,
                                           const std::vector<std::string>& program) {
  std::vector<std::string> argv{sanitizer.path, "--tool", std::string(step.tool)};
  const auto add = [&](std::string flag, std::string value) {
    argv.push_back(std::move(flag));
    argv.push_back(std::move(value));
  };
  if (step.tool == "memcheck") add("--leak-check", "full");
  if (step.name_barrier && step.tool == "racecheck" && sanitizer.finds_deadlocks) {
    add("--racecheck-deadlock-timeout", std::to_string(step.time_limit.count() / 3));
  }
  add("--target-processes", "all");
  add("--error-exitcode", std::to_string(step.error_code));
  add("--print-limit", std::to_string(kPrintLimit));
  if (!options.suppressions.empty()) add("--suppressions", options.suppressions);
  if (!sees_all_kernels(step.tool)) {
    if (!options.kernel.empty()) add("--kernel-name", "regex=" + options.kernel);
    if (options.launch_skip > 0) add("--launch-skip", std::to_string(options.launch_skip));
    if (options.launch_count > 0) add("--launch-count", std::to_string(options.launch_count));
  }
  add("--log-file", without_sequences(step.log));
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

int choose_error_code(const std::optional<AloneResult>& alone) {
  return alone && alone->exit_code == kErrorCode ? kErrorCode + 1 : kErrorCode;
}

milliseconds default_time_limit(const std::optional<AloneResult>& alone) {
  if (!alone || alone->hang) return kLeastLimit;
  const milliseconds time(static_cast<std::int64_t>(alone->seconds * 1000));
  return std::max<milliseconds>(kLeastLimit, kStartTime + kSlowdown * time);
}

AloneResult alone_result(const ProgramEnd& end) {
  AloneResult result;
  result.seconds = seconds_of(end.duration);
  result.hang = end.ending == Ending::kTimeLimit;
  if (end.ending == Ending::kExited) result.exit_code = end.exit_code;
  if (end.ending == Ending::kSignal) result.signal = end.signal;
  return result;
}

void judge_run(const StepEnd& step, int error_code, const std::optional<AloneResult>& alone,
               SanitizerToolResult& result) {
  result.seconds = seconds_of(step.end.duration);
  if (step.end.ending == Ending::kInterrupted) {
    result.outcome = SanitizerOutcome::kInterrupted;
    result.explanation = "the user asked to stop";
    return;
  }
  if (step.end.ending == Ending::kTimeLimit) return judge_time_limit(alone, result);
  judge_log(result);
  if (step.end.ending == Ending::kSignal) {
    result.signal = step.end.signal;
    if (result.outcome == SanitizerOutcome::kFindings) return;
    return fail_with(fmt::format("compute-sanitizer itself died of signal {}", step.end.signal),
                     result);
  }
  result.exit_code = step.end.exit_code;
  if (result.log.producer.empty() && result.outcome == SanitizerOutcome::kFailed) {
    const std::string words = last_line(step.errors_tail);
    return fail_with(fmt::format("compute-sanitizer returned {} and wrote no log{}",
                                 step.end.exit_code, words.empty() ? "" : ": " + quote(words)),
                     result);
  }
  judge_exit(error_code, alone, result);
}

}  // namespace proofline
