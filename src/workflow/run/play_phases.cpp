// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/interrupt.h"
#include "base/json_file.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/split_command.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "playbook/captures.h"
#include "proofline/version.h"
#include "store/file_hash.h"
#include "tools/machine/nvml.h"
#include "tools/ncu/ncu.h"
#include "tools/ncu/ncu_names.h"
#include "tools/process/run_folder.h"
#include "tools/sanitizer/sanitizer.h"
#include "views/code/code_document.h"
#include "views/view.h"
#include "workflow/bench/plot_files.h"
#include "workflow/code/analysed_code.h"
#include "workflow/code/flow_picture.h"
#include "workflow/machine/doctor.h"
#include "workflow/profile/diagnosed_file.h"
#include "workflow/profile/profile_run.h"
#include "workflow/profile/profiled_config.h"
#include "workflow/run/user_program.h"
#include "workflow/sanitize/sanitizer_session.h"
#include "workflow/trace/trace_run.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// A file that is hashed as a part of the command; larger ones are data.
constexpr std::uintmax_t kMostHashedBytes = 256U << 20U;

// One step of the play, which knows the workflow of each kind.
class Phase {
 public:
  Phase(const StepTask& task, Announcer& announcer)
      : task_(task), step_(*task.step), announcer_(announcer) {}

  Result<StepEndState> run() {
    const std::string& does = step_.does;
    if (does == "preflight") return preflight();
    if (does == "build") return build();
    if (does == "warm") return warm();
    if (does == "correctness") return correctness();
    if (does == "sanitize") return sanitize_program();
    if (does == "bench") return bench();
    if (does == "plot") return plot();
    if (does == "timeline") return timeline();
    if (does == "profile") return profile();
    if (does == "sass") return sass();
    if (does == "diagnose") return diagnose_reports();
    return skipped("there is nothing to do");
  }

  std::string describe() {
    const auto command = argv();
    if (!command) return fmt::format("# {}\n", command.error().message);
    const std::string& does = step_.does;
    if (does == "preflight") return "# what doctor does\n";
    if (does == "build") return described(task_.options->request.build, option("build"));
    if (does == "correctness") return described(task_.options->request.check, option("check"));
    if (does == "warm") return shell_command({}, *command) + '\n';
    if (does == "sanitize") {
      return describe_sanitizer_commands(sanitize_plan(*command), announcer_);
    }
    if (does == "bench") return describe_schedule(bench_plan(), {{"a", *command}});
    if (does == "timeline") return describe_trace(trace_plan(*command)).value_or("# no recorder\n");
    if (does == "profile") {
      const auto ncu = Ncu::find();
      if (!ncu) return fmt::format("# {}\n", ncu.error().message);
      auto plan = profile_plan(*ncu, *command);
      return plan ? describe_plan(*ncu, *plan) : fmt::format("# {}\n", plan.error().message);
    }
    return "# runs nothing\n";
  }

  // What tells one request from another.
  std::string inputs() const {
    const std::string& does = step_.does;
    if (does == "build" || does == "plot" || does == "sass" || does == "diagnose") return "";
    Hash hash;
    hash.add(kVersion);
    hash.add(does);
    hash.add(task_.revision);
    for (const auto& [key, values] : step_.phase->settings) {
      hash.add(key);
      for (const std::string& value : values) hash.add(value);
    }
    if (step_.kernel != nullptr) hash.add(step_.kernel->name);
    hash.add(task_.options->request.kernel);
    add_command(hash);
    add_gpu(hash);
    if (does == "profile") {
      for (const std::string& metric : metrics_for(*task_.playbook)) hash.add(metric);
      if (const auto ncu = Ncu::find()) hash.add(ncu->version().text);
    }
    if (does == "sanitize") {
      if (const auto sanitizer = find_sanitizer()) hash.add(sanitizer->version);
    }
    if (does == "correctness") hash.add(task_.options->request.check);
    if (does == "bench") {
      hash.add(task_.options->bench.starts);
      hash.add(task_.options->bench.time_by);
    }
    return fmt::format("{:016x}", hash.value());
  }

 private:
  static StepEndState skipped(std::string reason) {
    StepEndState end;
    end.state = StepState::kSkipped;
    end.reason = std::move(reason);
    return end;
  }
  static StepEndState done(std::vector<std::string> evidence, std::string reason = "") {
    StepEndState end;
    end.evidence = std::move(evidence);
    end.reason = std::move(reason);
    return end;
  }
  static StepEndState wrong(std::vector<std::string> evidence, std::string reason) {
    StepEndState end = done(std::move(evidence), std::move(reason));
    end.state = StepState::kFailed;
    end.wrong = true;
    return end;
  }

  static std::string described(const std::string& command, std::string_view flag) {
    return command.empty() ? fmt::format("# left out: no {}\n", flag) : command + '\n';
  }

  // The words as they were typed, and the files among them by what is in them.
  void add_command(Hash& hash) const {
    const std::vector<std::string>& words = step_.command;
    const auto command = argv();
    for (std::size_t i = 0; i < words.size(); ++i) {
      hash.add(words[i]);
      fs::path file = command ? fs::path((*command)[i]) : fs::path(words[i]);
      if (file.is_relative() && !task_.work_folder.empty()) file = task_.work_folder / file;
      std::error_code error;
      if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMostHashedBytes) {
        continue;
      }
      if (const auto digest = file_sha256(file.string())) hash.add(*digest);
    }
  }

  static void add_gpu(Hash& hash) {
    static const NvmlAnswer kAnswer = ask_nvml();
    hash.add(kAnswer.driver);
    for (const GpuState& gpu : kAnswer.gpus) hash.add(gpu.name);
  }

  Result<std::vector<std::string>> argv() const {
    return user_command(step_.command, task_.work_folder);
  }

  RunOptions run_options() const {
    RunOptions run = task_.options->bench.run;
    run.runs = task_.folder;
    run.name = step_.does;
    run.folder = task_.work_folder;
    run.time_limit = task_.time_limit;
    return run;
  }

  Result<UserProgramEnd> run_user_program(std::vector<std::string> command) const {
    const std::string progress = fmt::format("running {}", command.front());
    ASSIGN_OR_RETURN(auto ran, run_once({step_.does, std::move(command), "", task_.work_folder,
                                         task_.folder, progress},
                                        run_options(), announcer_));
    if (ran.trouble) return tl::make_unexpected(*ran.trouble);
    return ran;
  }

  // What has to succeed, or nothing that follows has a meaning.
  Result<StepEndState> run_needed(std::string_view what, std::vector<std::string> command) const {
    ASSIGN_OR_RETURN(const auto ran, run_user_program(std::move(command)));
    if (ran.passed()) return done({});
    return fail(
        ran.end.ending == Ending::kTimeLimit ? ErrorKind::kTimeLimit : ErrorKind::kTool,
        fmt::format("the {} {}; what it printed is in {}", what, ran.text(), quote(ran.folder)));
  }

  Result<std::vector<std::string>> split(const std::string& command) const {
    ASSIGN_OR_RETURN(auto words, split_command(command));
    return user_command(std::move(words), task_.work_folder);
  }

  // --- kinds

  Result<StepEndState> preflight() const {
    DoctorPlan plan;
    plan.run = run_options();
    ASSIGN_OR_RETURN(const auto examined, examine(plan, announcer_));
    ASSIGN_OR_RETURN(auto folder, RunFolder::create(task_.folder, step_.does));
    const auto write = [&](JsonWriter& json) { write_record(examined, json); };
    RETURN_IF_ERROR(write_json_file(folder.path("doctor.json"), write));
    ASSIGN_OR_RETURN(const auto kept, folder.finish(to_string(examined.readiness)));
    return done({kept + "/doctor.json"}, examined.headline);
  }

  Result<StepEndState> build() const {
    const std::string& command = task_.options->request.build;
    if (command.empty()) return skipped(fmt::format("no {}", option("build")));
    ASSIGN_OR_RETURN(auto words, split(command));
    return run_needed("build", std::move(words));
  }

  Result<StepEndState> warm() const {
    ASSIGN_OR_RETURN(auto command, argv());
    return run_needed("program", std::move(command));
  }

  Result<StepEndState> correctness() const {
    const std::string& command = task_.options->request.check;
    if (command.empty()) return skipped(fmt::format("no {}", option("check")));
    ASSIGN_OR_RETURN(auto words, split(command));
    words.insert(words.end(), step_.arguments.begin(), step_.arguments.end());
    ASSIGN_OR_RETURN(const auto ran, run_user_program(std::move(words)));
    if (ran.passed()) return done({});
    return wrong({}, fmt::format("{} {}; see {}", command, ran.text(), ran.folder));
  }

  SanitizePlan sanitize_plan(std::vector<std::string> command) const {
    SanitizePlan plan;
    plan.command = std::move(command);
    plan.only = step_.setting("tools");
    plan.run = run_options();
    plan.run.time_limit = 0;
    plan.keep_going = !task_.options->bench.decide.gate_leaks;
    return plan;
  }

  Result<StepEndState> sanitize_program() const {
    ASSIGN_OR_RETURN(auto command, argv());
    ASSIGN_OR_RETURN(const auto run, sanitize(sanitize_plan(std::move(command)), announcer_));
    std::vector<std::string> logs;
    for (const SanitizerToolResult& tool : run.tools) {
      std::error_code ignored;
      if (fs::exists(tool.log.path, ignored)) logs.push_back(tool.log.path);
    }
    const SanitizerOutcome outcome = run.outcome();
    const bool forgiven = !task_.options->bench.decide.gate_leaks && run.has_only_leaks();
    switch (outcome) {
      case SanitizerOutcome::kInterrupted:
        return fail(ErrorKind::kInterrupted, "interrupted while the sanitizer ran");
      case SanitizerOutcome::kFailed:
        return fail(ErrorKind::kTool,
                    fmt::format("compute-sanitizer failed; see {}", quote(run.folder)));
      case SanitizerOutcome::kFindings:
      case SanitizerOutcome::kHang:
        if (forgiven) break;
        return wrong(std::move(logs),
                     fmt::format("compute-sanitizer: {}; see {}", to_string(outcome), run.folder));
      default: break;
    }
    return done(std::move(logs), std::string(to_string(outcome)));
  }

  BenchPlan bench_plan() const {
    BenchPlan plan = task_.options->bench;
    plan.run = run_options();
    plan.starts =
        static_cast<std::size_t>(step_.number_setting("starts", static_cast<double>(plan.starts)));
    plan.warm_up = static_cast<std::size_t>(
        step_.number_setting("warm_up", static_cast<double>(plan.warm_up)));
    plan.time_by = step_.text_setting("time_by", plan.time_by);
    return plan;
  }

  Result<StepEndState> bench() const {
    ASSIGN_OR_RETURN(auto command, argv());
    const RunSide side{"a", std::move(command), task_.work_folder};
    ASSIGN_OR_RETURN(const auto run, measure_sides(bench_plan(), {side}, announcer_));
    return done({run.folder + "/benchmark.json"});
  }

  Result<StepEndState> plot() const {
    if (task_.benchmarks.empty()) return skipped("nothing was measured yet");
    PlotPlan plan;
    plan.files = task_.benchmarks;
    std::error_code error;
    fs::create_directories(task_.folder, error);
    plan.out = task_.folder;
    std::size_t written = 0;
    RETURN_IF_ERROR(plot_files(plan, {}, announcer_, [&](const std::string&) { ++written; }));
    return done({}, plural(written, "chart"));
  }

  TracePlan trace_plan(std::vector<std::string> command) const {
    TracePlan plan;
    plan.program = std::move(command);
    plan.delay = step_.number_setting("delay", 0);
    plan.duration = step_.number_setting("duration", 0);
    plan.run = run_options();
    return plan;
  }

  Result<StepEndState> timeline() const {
    ASSIGN_OR_RETURN(auto command, argv());
    const InterruptWatch watch;
    ASSIGN_OR_RETURN(const auto run, trace_program(trace_plan(std::move(command)), announcer_));
    return done({run.recorded}, run.diagnosis.verdict.headline);
  }

  Result<ProfilePlan> profile_plan(const Ncu& ncu, std::vector<std::string> command) const {
    ProfilePlan plan;
    plan.program = std::move(command);
    plan.run = run_options();
    const std::string& narrower = task_.options->request.kernel;
    plan.kernel = step_.kernel != nullptr && narrower.empty() ? step_.kernel->name : narrower;
    plan.most_kernels = step_.kernel != nullptr ? 1 : kMostChosenKernels;
    if (!step_.setting("skip").empty()) {
      plan.launch_skip = static_cast<std::uint64_t>(step_.number_setting("skip", 0));
    }
    if (!step_.setting("count").empty()) {
      plan.launch_count = static_cast<std::uint64_t>(step_.number_setting("count", 1));
    }
    NcuRequest& request = plan.request;
    request.clock_control = step_.text_setting("clock", request.clock_control);
    request.cache_control = step_.text_setting("cache", request.cache_control);
    request.replay_mode = step_.text_setting("replay", request.replay_mode);
    ProfileChoice choice;
    choice.sections = step_.setting("sections");
    choice.metrics = step_.setting("metrics");
    choice.preset = step_.text_setting("preset", "quick");
    ASSIGN_OR_RETURN(const auto notes, plan_collection(choice, ncu, plan));
    for (const Note& note : notes) announcer_.say(note.what);
    RETURN_IF_ERROR(add_needed_metrics(ncu, choice, plan));
    return plan;
  }

  // Nobody lists metrics: what expressions read is asked for. A section file of ours leaves out
  // what a GPU does not have; of ncu's own flags that has to be seen to.
  Result<void> add_needed_metrics(const Ncu& ncu, const ProfileChoice& choice,
                                  ProfilePlan& plan) const {
    const std::vector<std::string> needed = metrics_for(*task_.playbook);
    if (!plan.our_metrics.empty()) {
      std::set<std::string> all(plan.our_metrics.begin(), plan.our_metrics.end());
      all.insert(needed.begin(), needed.end());
      plan.our_metrics.assign(all.begin(), all.end());
      return {};
    }
    if (choice.preset == "full" || needed.empty()) return {};
    ASSIGN_OR_RETURN(const auto known, ncu.metrics());
    for (const std::string& metric : needed) {
      const auto checked = check_ncu_metrics({metric}, known);
      if (!checked) continue;  // this GPU has none
      auto& metrics = plan.request.metrics;
      metrics.insert(metrics.end(), checked->names.begin(), checked->names.end());
    }
    return {};
  }

  Result<StepEndState> profile() const {
    ASSIGN_OR_RETURN(auto command, argv());
    ASSIGN_OR_RETURN(const auto ncu, Ncu::find());
    ASSIGN_OR_RETURN(const auto plan, profile_plan(ncu, std::move(command)));
    const InterruptWatch watch;
    const auto run = profile_program(ncu, plan, announcer_);
    // One of several kernels may not be there; the others are.
    const bool may_be_absent = step_.kernel != nullptr && task_.playbook->kernels.size() > 1;
    if (!run && run.error().kind == ErrorKind::kInput && may_be_absent) {
      return skipped(run.error().message);
    }
    RETURN_IF_ERROR(run);
    if (!run->summary.permission.empty()) {
      return fail(ErrorKind::kPermission, run->summary.permission);
    }
    return done({run->profile.path});
  }

  Result<StepEndState> sass() const {
    if (task_.reports.empty()) return skipped("there is no profile to take the code from");
    CodeOptions options;
    options.disassembler = "native";
    CodeDemand demand;
    demand.listing = step_.text_setting("listing", "false") == "true";
    demand.functions = step_.text_setting("cfg", "false") == "true";
    ASSIGN_OR_RETURN(auto folder, RunFolder::create(task_.folder, step_.does));
    std::size_t written = 0;
    std::string trouble;
    for (const std::string& report : task_.reports) {
      const auto side = analyse_code(report, options, demand, {});
      if (!side) {
        trouble = side.error().message;
        continue;
      }
      const std::string stem = fmt::format("code-{}", ++written);
      RETURN_IF_ERROR(write_whole_file(folder.path(stem + ".md"),
                                       markdown_text(compose_code(side->report, {true}))));
      if (demand.functions && side->functions.size() == 1) {
        RETURN_IF_ERROR(draw_flow(side->report, side->functions, folder.path(stem + ".dot")));
      }
    }
    if (written == 0) return skipped(trouble);
    RETURN_IF_ERROR(folder.finish("written"));
    return done({});
  }

  Result<StepEndState> diagnose_reports() const {
    if (task_.reports.empty()) return skipped("there is no profile to diagnose");
    ASSIGN_OR_RETURN(auto folder, RunFolder::create(task_.folder, step_.does));
    std::size_t number = 0;
    std::size_t findings = 0;
    for (const std::string& report : task_.reports) {
      ASSIGN_OR_RETURN(const auto file, read_diagnosed(report, "", {}, {}));
      for (const KernelDiagnosis& kernel : file.diagnosis.kernels) {
        findings += kernel.findings.size();
      }
      const auto write = [&](JsonWriter& json) { write_record(file.diagnosis, json); };
      const std::string name = fmt::format("diagnosis-{}.json", ++number);
      RETURN_IF_ERROR(write_json_file(folder.path(name), write));
    }
    RETURN_IF_ERROR(folder.finish("diagnosed"));
    return done({}, plural(findings, "finding"));
  }

  const StepTask& task_;
  const PlayStep& step_;
  Announcer& announcer_;
};

}  // namespace

std::string step_inputs(const StepTask& task) {
  SilentAnnouncer silent;
  return Phase(task, silent).inputs();
}

Result<StepEndState> do_step(const StepTask& task, Announcer& announcer) {
  return Phase(task, announcer).run();
}

std::string describe_step(const StepTask& task, Announcer& announcer) {
  return Phase(task, announcer).describe();
}

}  // namespace proofline
