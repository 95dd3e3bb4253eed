// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/profile_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/file_piece.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "diagnosis/diagnose.h"
#include "readers/read_profile.h"
#include "readers/timeline/recorded_timeline.h"
#include "tools/ncu/ncu_outcome.h"
#include "tools/ncu/ncu_presets.h"
#include "tools/process/run_folder.h"
#include "tools/recorder/recorder.h"
#include "workflow/clock_text.h"
#include "workflow/profile/ncu_watch.h"
#include "workflow/profile/patterns.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A light pass of ncu still costs milliseconds a launch.
constexpr std::uint64_t kMostListedByNcu = 2000;
constexpr std::string_view kOurSection = "Proofline";
// A log of ncu has a few kilobytes; whatever has more is not one.
constexpr std::size_t kMostLogBytes = 4U << 20U;

// The kernels that ran, for a user whose pattern matched none of them.
std::string kernels_text(const KernelTotals& totals, const std::string& wanted) {
  std::vector<std::string_view> names;
  names.reserve(totals.kernels.size());
  for (const KernelTotal& kernel : totals.kernels) names.push_back(kernel.name);
  std::vector<std::string_view> shown = nearest(wanted, names, 3);
  for (const std::string_view name : names) {
    if (std::find(shown.begin(), shown.end(), name) == shown.end()) shown.push_back(name);
  }
  std::string text;
  constexpr std::size_t kMost = 10;
  for (std::size_t i = 0; i < std::min(shown.size(), kMost); ++i) {
    text.append("\n  ").append(quote(shown[i]));
  }
  if (shown.size() > kMost) text += fmt::format("\n  and {} more", shown.size() - kMost);
  return text;
}

class ProfileAttempt {
 public:
  ProfileAttempt(const Ncu& ncu, const ProfilePlan& plan, RunFolder& folder, Announcer& announcer)
      : ncu_(ncu), plan_(plan), folder_(folder), progress_(announcer) {}

  Result<void> run() {
    NcuLaunches launches = given_launches();
    if (plan_.listing) {
      if (auto listed = list_kernels(); !listed) return listed;
      if (auto chosen = choose(); !chosen) return chosen;
      launches = chosen_launches();
      if (launches.skip < plan_.launch_skip.value_or(0)) {
        result.notes.push_back({NoteKind::kInfo, "",
                                fmt::format("fewer launches than the {} to pass over: the last "
                                            "ones were profiled",
                                            *plan_.launch_skip)});
      }
    }
    auto profiled = run_ncu(std::move(launches));
    if (profiled || profiled.error().kind != ErrorKind::kPermission || chosen_.empty()) {
      return profiled;
    }
    result.summary.permission = profiled.error().message;
    result.profile = recorded_profile(recording_, totals_, chosen_);
    return {};
  }

  ProfileRun result;

 private:
  Result<void> list_kernels() {
    auto listed = record();
    if (!listed && listed.error().kind == ErrorKind::kTool) {
      result.notes.push_back(
          {NoteKind::kInfo, "", "kernels were listed by ncu, since " + listed.error().message});
      listed = list_by_ncu();
    }
    if (!listed) return listed;
    totals_ = total_kernels(recording_);
    result.totals = totals_;
    result.summary.launches = totals_.launches;
    result.summary.kernel_ns = totals_.total_ns;
    for (const KernelTotal& kernel : totals_.kernels) result.summary.listing.push_back({kernel});
    for (Note note : recording_.notes) {
      note.kind = NoteKind::kInfo;  // of the listing; the profile has all that was asked for
      result.notes.push_back(std::move(note));
    }
    return {};
  }

  // Once under our recorder.
  Result<void> record() {
    RecorderTask task;
    task.timeline = true;
    auto recorder = Recorder::prepare(folder_.path(kRecordingFolder), task);
    RETURN_IF_ERROR(recorder);
    const auto start = Clock::now();
    const auto end = run_step("listing", plan_.program, recorder->variables(), [&] {
      progress_.show(
          fmt::format("listing the kernels of {}, {}", plan_.program.front(), elapsed_text(start)));
      return true;
    });
    RETURN_IF_ERROR(end);
    alone_ = end->end;
    if (alone_.exit_code != 0) result.summary.program_code = alone_.exit_code;
    if (alone_.signal != 0) result.summary.program_code = alone_.signal;
    ASSIGN_OR_RETURN(auto read, recorder->read());
    recording_ = std::move(read);
    ASSIGN_OR_RETURN(const auto timeline, recorder->read_timeline());
    result.summary.time = program_time(timeline);
    // ncu may still see what passes our recorder by.
    if (recording_.processes.empty()) {
      return fail(ErrorKind::kTool, "our recorder saw no process that uses CUDA");
    }
    std::size_t launches = 0;
    for (const RecordedProcess& process : recording_.processes) {
      if (!process.trouble.empty()) return fail(ErrorKind::kTool, process.trouble);
      launches += process.launches.size();
    }
    if (launches == 0 && alone_.signal != 0) {
      return fail(ErrorKind::kTool, "the program died before its launches were written down");
    }
    return {};
  }

  Result<void> list_by_ncu() {
    NcuRequest request;
    request.metrics = {"gpu__time_duration.sum"};
    request.clock_control = plan_.request.clock_control;
    request.launches.count = kMostListedByNcu;
    if (auto done = run_ncu_step("listing-ncu", std::move(request), 0); !done) return done;
    recording_ = recording_of(result.profile);
    return {};
  }

  Result<void> choose() {
    if (totals_.kernels.empty()) {
      return fail(ErrorKind::kInput, fmt::format("{} launched no kernel ({}); nothing to profile",
                                                 quote(plan_.program.front()), end_text(alone_)));
    }
    if (plan_.kernel.empty()) {
      chosen_ = choose_kernels(recording_, totals_, plan_.most_kernels);
    } else {
      ASSIGN_OR_RETURN(const auto pattern, KernelPattern::compile(plan_.kernel, option("kernel")));
      std::size_t matches = 0;
      for (std::size_t i = 0; i < totals_.kernels.size(); ++i) {
        const KernelTotal& kernel = totals_.kernels[i];
        Launch launch;
        launch.name = kernel.name;
        launch.function = kernel.function;
        launch.mangled = kernel.mangled;
        if (!pattern.matches(launch) || ++matches > plan_.most_kernels) continue;
        chosen_.push_back(choose_launch(recording_, totals_, i));
      }
      if (matches == 0) {
        return fail(
            ErrorKind::kInput,
            fmt::format("no kernel matches {} {}; these ran, nearest first:{}", option("kernel"),
                        quote(plan_.kernel), kernels_text(totals_, plan_.kernel)));
      }
      if (matches > plan_.most_kernels) {
        result.notes.push_back(
            {NoteKind::kInfo, "",
             fmt::format("{} matches {} kernels; the {} that take most time were profiled",
                         option("kernel"), matches, plan_.most_kernels)});
      }
    }
    for (const ChosenKernel& one : chosen_) result.summary.listing[one.kernel].profiled = true;
    return {};
  }

  // By flags alone.
  NcuLaunches given_launches() const {
    NcuLaunches launches;
    launches.pattern = plan_.kernel;
    launches.nvtx_include = plan_.nvtx_include;
    launches.skip = plan_.launch_skip.value_or(0);
    launches.count = plan_.launch_count.value_or(1);
    return launches;
  }

  NcuLaunches chosen_launches() const {
    NcuLaunches launches;
    std::set<std::uint64_t> invocations;
    std::uint64_t fewest = UINT64_MAX;
    std::uint64_t all = 0;
    for (const ChosenKernel& one : chosen_) {
      const KernelTotal& kernel = totals_.kernels[one.kernel];
      launches.mangled.push_back(kernel.mangled);
      invocations.insert(one.invocation);
      fewest = std::min(fewest, kernel.count);
      all += kernel.count;
    }
    // Launches that the user counts, or that ncu counts within a range, are not ours to choose.
    if (plan_.launch_skip || plan_.launch_count || !plan_.nvtx_include.empty()) {
      launches.nvtx_include = plan_.nvtx_include;
      launches.count = plan_.launch_count.value_or(chosen_.size());
      launches.skip = std::min(plan_.launch_skip.value_or(0), all - std::min(all, *launches.count));
      return launches;
    }
    // ncu takes every number for every name; one that all of them have saves passes.
    if (*invocations.rbegin() <= fewest) invocations = {*invocations.rbegin()};
    launches.invocations.assign(invocations.begin(), invocations.end());
    return launches;
  }

  Result<void> run_ncu(NcuLaunches launches) {
    NcuRequest request = plan_.request;
    request.launches = std::move(launches);
    if (!plan_.our_metrics.empty()) {
      const std::vector<std::string_view> metrics(plan_.our_metrics.begin(),
                                                  plan_.our_metrics.end());
      const std::string file = folder_.path(fmt::format("{}.section", kOurSection));
      RETURN_IF_ERROR(write_whole_file(file, ncu_section_file(kOurSection, metrics)));
      request.section_folder = folder_.path("");
      request.sections.emplace_back(kOurSection);
    }
    const std::size_t expected =
        chosen_.empty()
            ? request.launches.count.value_or(0)
            : chosen_.size() * std::max<std::size_t>(request.launches.invocations.size(), 1);
    return run_ncu_step("ncu", std::move(request), expected);
  }

  // Leaves the profile in the result.
  Result<void> run_ncu_step(const std::string& label, NcuRequest request, std::size_t expected) {
    const std::string stem = label == "ncu" ? "report" : label;
    request.report = folder_.path(stem);
    request.log = folder_.path(label + ".log");
    request.program = plan_.program;
    NcuWatch watch(request.log, expected, progress_);
    ASSIGN_OR_RETURN(const auto end,
                     run_step(label, ncu_command(ncu_, request), {}, [&] { return watch.look(); }));
    const std::string report = request.report + ".ncu-rep";
    NcuRun run;
    const std::string log = read_piece(request.log, 0, kMostLogBytes);
    run.log = log;
    run.output = end.output_tail;
    run.errors = end.errors_tail;
    run.end = end.end;
    // We ended it because it made no progress.
    if (run.end.ending == Ending::kEnough) run.end.ending = Ending::kTimeLimit;
    std::error_code error;
    const auto size = fs::file_size(report, error);
    if (!error) run.report_bytes = size;
    ASSIGN_OR_RETURN(const auto outcome, judge_ncu_run(run));
    result.notes.insert(result.notes.end(), outcome.notes.begin(), outcome.notes.end());
    if (outcome.program_code) result.summary.program_code = outcome.program_code;
    auto profile = read_profile(report, diagnosis_read_options());
    if (!profile) {
      return fail(ErrorKind::kTool, fmt::format("ncu left a report that cannot be read: {}",
                                                profile.error().message));
    }
    result.profile = std::move(*profile);
    return {};
  }

  Result<StepEnd> run_step(const std::string& label, std::vector<std::string> argv,
                           const Variables& variables, std::function<bool()> on_tick) {
    Step step;
    step.label = label;
    if (label != "listing") step.tool_version = ncu_.version().text;
    step.argv = std::move(argv);
    step.variables = variables;
    step.folder = plan_.run.folder;
    step.time_limit = plan_.run.limit();
    step.show_output = plan_.run.show_output;
    if (!plan_.run.show_output) step.on_tick = std::move(on_tick);
    auto end = folder_.run(step);
    progress_.clear();
    if (!end) return end;
    if (end->end.ending == Ending::kInterrupted) {
      return fail(ErrorKind::kInterrupted, "interrupted; everything that ran was ended");
    }
    if (label == "listing" && end->end.ending == Ending::kTimeLimit) {
      return fail(ErrorKind::kTimeLimit,
                  fmt::format("the program ran for more than {:.4g} s, before any profiling, and "
                              "was ended; raise {}, or give it less to do",
                              plan_.run.time_limit, option("time-limit")));
    }
    return end;
  }

  const Ncu& ncu_;
  const ProfilePlan& plan_;
  RunFolder& folder_;
  ProgressLine progress_;
  Recording recording_;
  KernelTotals totals_;
  std::vector<ChosenKernel> chosen_;
  ProgramEnd alone_;
};

std::string_view outcome_word(const Result<void>& done, const ProfileSummary& summary) {
  if (done) return summary.permission.empty() ? "profiled" : "no-permission";
  switch (done.error().kind) {
    case ErrorKind::kTimeLimit: return "time-limit";
    case ErrorKind::kInterrupted: return "interrupted";
    case ErrorKind::kPermission: return "no-permission";
    default: return "failed";
  }
}

}  // namespace

Result<ProfileRun> profile_program(const Ncu& ncu, const ProfilePlan& plan, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan.run.runs, plan.run.name));
  ProfileAttempt attempt(ncu, plan, folder, announcer);
  const auto done = attempt.run();
  std::vector<Note>& notes = attempt.result.notes;
  notes.insert(notes.begin(), folder.notes().begin(), folder.notes().end());
  const auto kept = folder.finish(outcome_word(done, attempt.result.summary));
  if (!done) {
    return fail(done.error().kind, fmt::format("{}{}", done.error().message,
                                               kept ? "\n  kept in " + quote(*kept) : ""));
  }
  RETURN_IF_ERROR(kept);
  attempt.result.summary.folder = *kept;
  attempt.result.summary.timeline = *kept + "/recording";
  if (attempt.result.summary.permission.empty())
    attempt.result.profile.path = *kept + "/report.ncu-rep";
  return std::move(attempt.result);
}

std::string describe_plan(const Ncu& ncu, const ProfilePlan& plan) {
  std::string text;
  NcuRequest request = plan.request;
  request.report = "report";
  request.log = "ncu.log";
  request.program = plan.program;
  request.launches.pattern = plan.kernel;
  request.launches.nvtx_include = plan.nvtx_include;
  request.launches.skip = plan.launch_skip.value_or(0);
  request.launches.count = plan.launch_count;
  if (plan.listing) {
    text += fmt::format("# lists the kernels; the recorder is written to the run's folder\n{}\n",
                        shell_command({{"CUDA_INJECTION64_PATH", "libproofline_recorder.so"},
                                       {"PROOFLINE_RECORDING", std::string(kRecordingFolder)}},
                                      plan.program));
    text += "# then over the kernels that were chosen, by their exact names\n";
  } else if (!request.launches.count) {
    request.launches.count = 1;
  }
  if (!plan.our_metrics.empty()) {
    text += fmt::format("# with the metrics of {}.section, which is in the run's folder\n",
                        kOurSection);
    request.section_folder = ".";
    request.sections.emplace_back(kOurSection);
  }
  return text + shell_command({}, ncu_command(ncu, request)) + "\n";
}

}  // namespace proofline
