// SPDX-License-Identifier: Apache-2.0
#include "workflow/sanitize/sanitizer_session.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "base/input.h"
#include "base/interrupt.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/redact.h"
#include "base/text.h"
#include "readers/sanitizer/sanitizer_log.h"
#include "readers/timeline/recorded_timeline.h"
#include "tools/process/run_folder.h"
#include "tools/recorder/recorder.h"
#include "tools/starts/interleaved_runs.h"
#include "workflow/clock_text.h"

namespace proofline {
namespace {

using std::chrono::milliseconds;

// For the program alone, where the user sets no limit: under the tools it would need hours.
constexpr std::chrono::minutes kAloneLimit{5};

// Runs the steps and gathers what they say.
class ToolRuns {
 public:
  ToolRuns(const SanitizePlan& plan, InstalledSanitizer sanitizer, RunFolder folder,
           Announcer& announcer)
      : plan_(plan),
        sanitizer_(std::move(sanitizer)),
        folder_(std::move(folder)),
        announcer_(announcer) {
    run_.command = redact_command(shell_command({}, plan.command));
  }

  Result<SanitizerRun> run() {
    if (!plan_.no_alone) {
      RETURN_IF_ERROR(run_alone());
    }
    for (const std::string_view tool : kSanitizerTools) {
      if (!plan_.wants(tool)) continue;
      run_.tools.emplace_back().tool = tool;
      if (stopped_) continue;
      RETURN_IF_ERROR(run_tool(run_.tools.back()));
    }
    RETURN_IF_ERROR(explain_hang());
    add_filter_note();
    run_.notes.insert(run_.notes.begin(), folder_.notes().begin(), folder_.notes().end());
    return finish();
  }

 private:
  Result<void> run_alone() {
    Step step;
    step.label = "alone";
    step.argv = plan_.command;
    step.time_limit = plan_.run.time_limit > 0 ? plan_.limit({}) : kAloneLimit;
    const auto recorder = recorder_for_filter();
    if (recorder) step.variables = recorder->variables();
    announcer_.say(fmt::format("the program alone, at most {:.4g} s", seconds_of(step.time_limit)));
    ASSIGN_OR_RETURN(const auto end, run_step(step));
    interrupted_ = end.end.ending == Ending::kInterrupted;
    stopped_ = interrupted_;
    if (interrupted_) return {};
    run_.alone = alone_result(end.end);
    return recorder ? check_filter(*recorder) : Result<void>{};
  }

  // The tools do not say that no kernel matched, and call that clean.
  std::optional<Recorder> recorder_for_filter() const {
    if (plan_.options.kernel.empty()) return std::nullopt;
    auto recorder = Recorder::prepare(folder_.path(kRecordingFolder));
    if (!recorder) return std::nullopt;  // then a note says what is not known
    return std::move(*recorder);
  }

  Result<void> check_filter(const Recorder& recorder) {
    const re2::RE2 pattern(plan_.options.kernel, re2::RE2::Quiet);
    const auto recording = recorder.read();
    if (!pattern.ok() || !recording) return {};
    std::string names;
    for (const RecordedProcess& process : recording->processes) {
      for (const std::string& name : process.names) {
        if (re2::RE2::PartialMatch(name, pattern)) {
          filter_matches_ = true;
          return {};
        }
        names.append("\n  ").append(quote(name));
      }
    }
    if (names.empty()) return {};
    return fail(ErrorKind::kInput,
                fmt::format("no kernel's mangled name matches {} {}; these ran:{}",
                            option("kernel"), quote(plan_.options.kernel), names));
  }

  Result<void> run_tool(SanitizerToolResult& result) {
    SanitizerStep one;
    one.tool = result.tool;
    one.log = folder_.path(result.tool + ".log");
    one.error_code = choose_error_code(run_.alone);
    one.time_limit = plan_.limit(run_.alone);
    one.name_barrier = !run_.alone || run_.outcome() == SanitizerOutcome::kHang;
    result.version = sanitizer_.version;
    result.limit_seconds = seconds_of(one.time_limit);
    Step step;
    step.label = result.tool;
    step.argv = sanitizer_command(sanitizer_, plan_.options, one, plan_.command);
    step.tool_version = sanitizer_.version;
    step.time_limit = one.time_limit;
    result.command = redact_command(shell_command({}, step.argv));
    announce(result);
    if (plan_.options.narrows() && sees_all_kernels(result.tool)) {
      run_.notes.push_back({NoteKind::kInfo, result.tool,
                            "looks at all kernels: what one that is left out writes, it would take "
                            "for uninitialised",
                            1});
    }
    const auto end = run_step(step);
    if (auto read = read_log(one.log, result); !read) return read;
    if (!end) return unkillable(end.error(), result);
    judge_run(*end, one.error_code, run_.alone, result);
    interrupted_ = interrupted_ || result.outcome == SanitizerOutcome::kInterrupted;
    // That the program fails is no failure of the tool, and the next one may tell more.
    const bool passed = result.outcome == SanitizerOutcome::kClean ||
                        result.outcome == SanitizerOutcome::kTooSlow ||
                        result.outcome == SanitizerOutcome::kApplicationFailed;
    stopped_ = stopped_ || interrupted_ || !(passed || plan_.keep_going);
    return {};
  }

  // Only racecheck names the barrier that a program waits at.
  Result<void> explain_hang() {
    if (run_.outcome() != SanitizerOutcome::kHang || interrupted_ || unkillable_) return {};
    if (!sanitizer_.finds_deadlocks) return {};
    auto racecheck =
        std::find_if(run_.tools.begin(), run_.tools.end(),
                     [](const SanitizerToolResult& result) { return result.tool == "racecheck"; });
    if (racecheck == run_.tools.end()) {
      run_.tools.emplace_back().tool = "racecheck";
      racecheck = std::prev(run_.tools.end());
    }
    if (racecheck->outcome != SanitizerOutcome::kNotRun) return {};
    run_.notes.push_back(
        {NoteKind::kInfo, "racecheck", "run to find out where the program waits", 1});
    return run_tool(*racecheck);
  }

  Result<StepEnd> run_step(Step& step) {
    ProgressLine progress(announcer_);
    const auto start = std::chrono::steady_clock::now();
    // Timing under a sanitizer would take minutes and mean nothing.
    step.variables.emplace_back(kBenchCheckOnlyVariable, "1");
    step.folder = plan_.run.folder;
    step.show_output = plan_.run.show_output;
    const auto limit = std::chrono::duration_cast<std::chrono::seconds>(step.time_limit);
    step.on_tick = [&] {
      progress.show(
          fmt::format("{}: {} of at most {}", step.label, elapsed_text(start), clock_text(limit)));
      return true;
    };
    if (step.show_output) step.on_tick = nullptr;
    return folder_.run(step);
  }

  void announce(const SanitizerToolResult& result) const {
    std::string text = fmt::format("{}, at most {:.4g} s", result.tool, *result.limit_seconds);
    if (run_.alone && !run_.alone->hang) {
      text += fmt::format("; the program alone took {:.1f} s", run_.alone->seconds);
    }
    announcer_.say(text);
  }

  // A tool that gave up before it began leaves none.
  static Result<void> read_log(const std::string& path, SanitizerToolResult& result) {
    result.log.tool = result.tool;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    ASSIGN_OR_RETURN(auto input, Input::open(path));
    ASSIGN_OR_RETURN(auto log, read_sanitizer_log(input, result.tool));
    result.log = std::move(log);
    return {};
  }

  // Something of it hangs in the driver and cannot be ended.
  Result<void> unkillable(const Error& error, SanitizerToolResult& result) {
    if (error.kind != ErrorKind::kTimeLimit) return tl::make_unexpected(error);
    result.outcome = SanitizerOutcome::kHang;
    result.explanation = error.message;
    unkillable_ = true;
    stopped_ = true;
    return {};
  }

  void add_filter_note() {
    if (plan_.options.kernel.empty() || filter_matches_) return;
    run_.notes.push_back({NoteKind::kInfo, option("kernel"),
                          "only kernels whose mangled name matches were checked; the tools do not "
                          "say whether there were any",
                          1});
  }

  Result<SanitizerRun> finish() {
    const std::string outcome(interrupted_ ? to_string(SanitizerOutcome::kInterrupted)
                                           : to_string(run_.outcome()));
    const std::string temporary = folder_.path("");
    ASSIGN_OR_RETURN(auto folder, folder_.finish(outcome));
    run_.folder = std::move(folder);
    const std::string kept = run_.folder + "/";
    for (SanitizerToolResult& result : run_.tools) {
      for (std::string* text : {&result.command, &result.log.path}) {
        const std::size_t at = text->find(temporary);
        if (at != std::string::npos) text->replace(at, temporary.size(), kept);
      }
    }
    return std::move(run_);
  }

  const SanitizePlan& plan_;
  InstalledSanitizer sanitizer_;
  RunFolder folder_;
  Announcer& announcer_;
  SanitizerRun run_;
  bool stopped_ = false;
  bool interrupted_ = false;
  bool unkillable_ = false;
  bool filter_matches_ = false;  // as far as the program alone told
};

}  // namespace

bool SanitizePlan::wants(std::string_view tool) const {
  return only.empty() || std::find(only.begin(), only.end(), tool) != only.end();
}

milliseconds SanitizePlan::limit(const std::optional<AloneResult>& alone) const {
  if (run.time_limit > 0) return run.limit();
  return default_time_limit(alone);
}

Result<SanitizerRun> sanitize(const SanitizePlan& plan, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto sanitizer, find_sanitizer());
  const std::string name = plan.run.name.empty()
                               ? std::filesystem::path(plan.command.front()).filename().string()
                               : plan.run.name;
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan.run.runs, name));
  return ToolRuns(plan, std::move(sanitizer), std::move(folder), announcer).run();
}

std::string describe_sanitizer_commands(const SanitizePlan& plan, Announcer& announcer) {
  const auto found = find_sanitizer();
  if (!found) announcer.say("note: " + found.error().message);
  const InstalledSanitizer sanitizer = found.value_or(InstalledSanitizer{});
  std::string text;
  const auto add = [&](const std::vector<std::string>& argv) {
    text += shell_command({}, argv) + '\n';
  };
  if (!plan.no_alone) add(plan.command);
  for (const std::string_view tool : kSanitizerTools) {
    if (!plan.wants(tool)) continue;
    const SanitizerStep step{tool, fmt::format("{}.log", tool), choose_error_code({}),
                             plan.limit({})};
    add(sanitizer_command(sanitizer, plan.options, step, plan.command));
  }
  return text;
}

}  // namespace proofline
