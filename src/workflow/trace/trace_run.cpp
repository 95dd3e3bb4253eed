// SPDX-License-Identifier: Apache-2.0
#include "workflow/trace/trace_run.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/timeline/read_timeline.h"
#include "readers/timeline/recorded_timeline.h"
#include "tools/nsys/nsys.h"
#include "tools/process/run_folder.h"
#include "tools/recorder/recorder.h"
#include "workflow/clock_text.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNsysReport = "trace.nsys-rep";
constexpr std::string_view kNsysExport = "trace.sqlite";

// "" where it ended well, or by us.
std::string bad_end(const ProgramEnd& end) {
  return end.ending == Ending::kSignal || end.exit_code != 0 ? end_text(end) : "";
}

// Under nsys the program's end is nsys' own.
NsysRequest nsys_request(const TracePlan& plan, const std::string& report) {
  NsysRequest request;
  request.report = report;
  request.delay = plan.delay;
  request.duration = plan.duration;
  request.program = plan.program;
  return request;
}

class TraceAttempt {
 public:
  TraceAttempt(const TracePlan& plan, RunFolder& folder, Announcer& announcer)
      : plan_(plan), folder_(folder), progress_(announcer) {}

  Result<void> run(const std::optional<Nsys>& nsys) {
    return nsys ? run_nsys(*nsys) : run_recorder();
  }

  TraceRun result;
  Timeline timeline;

 private:
  Result<void> run_recorder() {
    const std::string place = folder_.path(kRecordingFolder);
    RecorderTask task;
    task.timeline = true;
    task.delay = plan_.delay;
    task.duration = plan_.duration;
    ASSIGN_OR_RETURN(const auto recorder, Recorder::prepare(place, task));
    ASSIGN_OR_RETURN(const auto end, run_step("trace", "", plan_.program, recorder.variables()));
    result.program_end = bad_end(end.end);
    result.hit_time_limit = end.end.ending == Ending::kTimeLimit;
    ASSIGN_OR_RETURN(timeline, recorder.read_timeline());
    result.recorded = kRecordingFolder;
    if (timeline.processes.empty()) {
      return fail(ErrorKind::kInput,
                  fmt::format("{} used no CUDA{}; there is nothing to show",
                              quote(plan_.program.front()), remark(result.program_end)));
    }
    if (timeline.ops.empty() && timeline.partial) {
      for (const Note& note : timeline.notes) {
        if (note.kind == NoteKind::kLoss) {
          return fail(ErrorKind::kTool, fmt::format("{}: {}", note.place, note.what));
        }
      }
    }
    return {};
  }

  Result<void> run_nsys(const Nsys& nsys) {
    const std::string report = folder_.path(kNsysReport);
    // nsys adds the extension itself.
    const auto request = nsys_request(
        plan_, report.substr(0, report.size() - fs::path(report).extension().string().size()));
    ASSIGN_OR_RETURN(const auto end,
                     run_step("nsys", nsys.version(), nsys.record_command(request), {}));
    if (end.end.ending == Ending::kTimeLimit) {
      return fail(ErrorKind::kTimeLimit,
                  fmt::format("the program ran for more than {:.4g} s under nsys and was ended; "
                              "raise {}, or give it less to do",
                              plan_.run.time_limit, option("time-limit")));
    }
    result.program_end = bad_end(end.end);
    std::error_code error;
    if (!fs::exists(report, error)) {
      return fail(ErrorKind::kTool,
                  fmt::format("nsys left no report{}:\n{}", remark(result.program_end),
                              escape_terminal(end.errors_tail)));
    }
    const std::string exported = folder_.path(kNsysExport);
    ASSIGN_OR_RETURN(const auto made, run_step("nsys-export", nsys.version(),
                                               nsys.export_command(report, exported), {}));
    if (made.end.ending != Ending::kExited || made.end.exit_code != 0) {
      return fail(ErrorKind::kTool, fmt::format("nsys could not export its report:\n{}",
                                                escape_terminal(made.errors_tail)));
    }
    ASSIGN_OR_RETURN(timeline, read_timeline(exported));
    result.recorded = kNsysExport;
    return {};
  }

  static std::string remark(const std::string& end) { return end.empty() ? "" : " (" + end + ")"; }

  Result<StepEnd> run_step(const std::string& label, const std::string& version,
                           std::vector<std::string> argv, const Variables& variables) {
    Step step;
    step.label = label;
    step.tool_version = version;
    step.argv = std::move(argv);
    step.variables = variables;
    step.folder = plan_.run.folder;
    step.time_limit = plan_.run.limit();
    step.show_output = plan_.run.show_output;
    const auto start = std::chrono::steady_clock::now();
    if (!step.show_output) {
      step.on_tick = [&] {
        progress_.show(fmt::format("{} {}, {}", label == "nsys-export" ? "exporting" : "recording",
                                   plan_.program.front(), elapsed_text(start)));
        return true;
      };
    }
    auto end = folder_.run(step);
    progress_.clear();
    if (end && end->end.ending == Ending::kInterrupted) {
      return fail(ErrorKind::kInterrupted, "interrupted; everything that ran was ended");
    }
    return end;
  }

  const TracePlan& plan_;
  RunFolder& folder_;
  ProgressLine progress_;
};

std::string_view outcome_of(const Result<void>& done, const TraceRun& run) {
  if (done) return run.hit_time_limit ? "time-limit" : "traced";
  switch (done.error().kind) {
    case ErrorKind::kTimeLimit: return "time-limit";
    case ErrorKind::kInterrupted: return "interrupted";
    default: return "failed";
  }
}

}  // namespace

Result<TraceRun> trace_program(const TracePlan& plan, Announcer& announcer) {
  std::optional<Nsys> nsys;
  if (plan.by_nsys) {
    ASSIGN_OR_RETURN(nsys, Nsys::find());
  }
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan.run.runs, plan.run.name));
  TraceAttempt attempt(plan, folder, announcer);
  const auto done = attempt.run(nsys);
  TraceRun& run = attempt.result;
  std::vector<Note>& notes = attempt.timeline.notes;
  notes.insert(notes.begin(), folder.notes().begin(), folder.notes().end());
  const auto kept = folder.finish(outcome_of(done, run));
  if (!done) {
    return fail(done.error().kind, fmt::format("{}{}", done.error().message,
                                               kept ? "\n  kept in " + quote(*kept) : ""));
  }
  RETURN_IF_ERROR(kept);
  run.folder = *kept;
  run.recorded = (fs::path(*kept) / run.recorded).string();
  attempt.timeline.path = run.recorded;
  if (!run.program_end.empty()) {
    notes.push_back({NoteKind::kInfo, "", "the program " + run.program_end});
  }
  if (run.hit_time_limit) {
    notes.push_back({NoteKind::kLoss, "",
                     fmt::format("the program was ended after {:.4g} s; raise {} to see more of it",
                                 plan.run.time_limit, option("time-limit"))});
  }
  ASSIGN_OR_RETURN(auto report, analyse_timeline(std::move(attempt.timeline)));
  run.diagnosis = diagnose_timeline(std::move(report));
  return std::move(run);
}

Result<std::string> describe_trace(const TracePlan& plan) {
  if (plan.by_nsys) {
    ASSIGN_OR_RETURN(const auto nsys, Nsys::find());
    return fmt::format(
        "{}\n{}\n", shell_command({}, nsys.record_command(nsys_request(plan, "trace"))),
        shell_command({}, nsys.export_command(std::string(kNsysReport), std::string(kNsysExport))));
  }
  Variables variables = {{"CUDA_INJECTION64_PATH", "libproofline_recorder.so"},
                         {"PROOFLINE_RECORDING", std::string(kRecordingFolder)},
                         {"PROOFLINE_TIMELINE", "0 0"},
                         {"NVTX_INJECTION64_PATH", "libproofline_recorder.so"}};
  return "# the recorder is written to the run's folder\n" +
         shell_command(variables, plan.program) + "\n";
}

}  // namespace proofline
