// SPDX-License-Identifier: Apache-2.0
#include "workflow/try/try_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "base/interrupt.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/redact.h"
#include "base/split_command.h"
#include "base/text.h"
#include "diagnosis/decision/decide_explain.h"
#include "playbook/check.h"
#include "store/entries/attempts.h"
#include "store/entries/result_entries.h"
#include "tools/machine/git_state.h"
#include "tools/ncu/ncu_presets.h"
#include "tools/process/find_tool.h"
#include "views/playbook/check_document.h"
#include "workflow/bench/bench_cases.h"
#include "workflow/check/evidence.h"
#include "workflow/code/report_code.h"
#include "workflow/decide/decide_inputs.h"
#include "workflow/journal/attempt_record.h"
#include "workflow/journal/baseline_side.h"
#include "workflow/journal/journal_place.h"
#include "workflow/profile/patterns.h"
#include "workflow/profile/profile_run.h"
#include "workflow/sanitize/sanitizer_session.h"

namespace proofline {
namespace {

GateState gate_after(const SanitizerRun& run, bool gate_leaks) {
  const SanitizerOutcome outcome = run.outcome();
  if (!gate_leaks && run.has_only_leaks()) return GateState::kPassed;
  const bool found = outcome == SanitizerOutcome::kFindings || outcome == SanitizerOutcome::kHang;
  if (found) return GateState::kFailed;
  return outcome == SanitizerOutcome::kClean ? GateState::kPassed : GateState::kNotRun;
}

// As 'runs show' knows it: a journal that is exported should not tell where its machine kept
// things.
std::string run_name(const std::string& folder) {
  return std::filesystem::path(folder).filename().string();
}

constexpr std::string_view kNotProfiled = "a baseline is no program";

// The measurements that a name means.
Result<Benchmark> read_named_baseline(const std::string& journal, const std::string& name) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(journal));
  return find_baseline(*store, name).and_then(read_baseline);
}

class TrySession {
 public:
  TrySession(const TryPlan& plan, Announcer& announcer)
      : plan_(plan), announcer_(announcer), record_(plan.journal, announcer) {}

  // What can be wrong with the request is found out before anything is written.
  Result<void> prepare() {
    ASSIGN_OR_RETURN(cases_, cases_of(plan_.bench));
    if (!plan_.profiled.empty()) {
      RETURN_IF_ERROR(KernelPattern::compile(plan_.profiled, option("profile-kernel")));
    }
    if (plan_.makes.empty()) RETURN_IF_ERROR(find_changed());
    if (plan_.measured_before) {
      baseline_ = *plan_.measured_before;
    } else if (!plan_.baseline.empty()) {
      auto baseline = read_named_baseline(plan_.journal, plan_.baseline);
      RETURN_IF_ERROR(baseline);
      baseline_ = {"baseline " + plan_.baseline, std::move(*baseline)};
    } else {
      ASSIGN_OR_RETURN(auto before, command_side("a", plan_.before));
      before_ = std::move(before);
      before_->folder = plan_.before_folder;
    }
    return {};
  }

  // In the order of protocol().
  std::string describe() const {
    std::string text;
    if (check_) text += "# checks the results\n" + shell_command({}, check_->argv) + '\n';
    if (plan_.sanitize) {
      text += "# looks for races and wrong accesses\n";
      text += describe_sanitizer_commands(sanitize_plan(), announcer_);
    }
    text += describe_schedule(plan_.bench, sides());
    if (!plan_.profile) return text;
    const auto ncu = before_ ? Ncu::find() : fail(ErrorKind::kUsage, std::string(kNotProfiled));
    if (!ncu) return text + fmt::format("# no profile: {}\n", ncu.error().message);
    for (const RunSide& side : sides()) {
      text += fmt::format("# profiles {}\n{}", side.label, describe_plan(*ncu, profile_plan(side)));
    }
    return text;
  }

  Result<TryResult> run() {
    Intent intent = plan_.intent;
    GitState git = git_state(".");
    intent.commit = std::move(git.commit);
    intent.diff_stat = std::move(git.diff_stat);
    if (before_) intent.commands.push_back(shell_command({}, before_->argv));
    intent.commands.push_back(shell_command({}, after_.argv.empty() ? plan_.after : after_.argv));
    RETURN_IF_ERROR(record_.open(intent));
    if (auto done = protocol(); !done) return tl::make_unexpected(closed_with(done.error()));
    return TryResult{record_.where(), record_.attempt(), std::move(decision_)};
  }

 private:
  // The changed program and what checks it, which may be a part of the change.
  Result<void> find_changed() {
    ASSIGN_OR_RETURN(after_, command_side("b", in_folder(plan_.after)));
    after_.folder = plan_.after_folder;
    if (!plan_.sanitized.empty()) {
      ASSIGN_OR_RETURN(auto words, split_command(plan_.sanitized));
      ASSIGN_OR_RETURN(sanitized_, command_side("sanitize", in_folder(std::move(words))));
    }
    if (plan_.check.empty()) return {};
    ASSIGN_OR_RETURN(auto words, split_command(plan_.check));
    if (plan_.check_arguments) {
      words.insert(words.end(), plan_.check_arguments->begin(), plan_.check_arguments->end());
    }
    ASSIGN_OR_RETURN(check_, command_side("check", in_folder(std::move(words))));
    return {};
  }

  std::vector<std::string> in_folder(std::vector<std::string> argv) const {
    argv.front() = path_in_folder(argv.front(), plan_.after_folder);
    return argv;
  }

  Result<void> make_changed() {
    for (const auto& make : plan_.makes) {
      ASSIGN_OR_RETURN(auto gate, make());
      gates_.push_back(std::move(gate));
      if (gates_.back().state == GateState::kFailed) return {};
    }
    if (!plan_.makes.empty()) RETURN_IF_ERROR(find_changed());
    return {};
  }

  bool has_failed() const { return !gates_.empty() && gates_.back().state == GateState::kFailed; }

  Result<void> protocol() {
    if (auto made = make_changed(); !made) return made;
    if (has_failed()) {
      if (auto added = record_.add(CorrectnessEntry{gates_, ""}); !added) return added;
      return record_.close(AttemptState::kFailed, gates_.back().detail);
    }
    if (auto checked = check_results(); !checked) return checked;
    if (auto sanitized = run_sanitizer(); !sanitized) return sanitized;
    const auto failed = std::find_if(gates_.begin(), gates_.end(), [](const Gate& gate) {
      return gate.state == GateState::kFailed;
    });
    if (!gates_.empty()) {
      auto added = record_.add(CorrectnessEntry{gates_, sanitizer_.folder});
      if (!added) return added;
    }
    // A wrong result is never timed.
    if (failed != gates_.end()) return record_.close(AttemptState::kFailed, failed->detail);
    if (auto measured = benchmark(); !measured) return measured;
    if (plan_.profile) {
      if (auto profiled = profile(); !profiled) return profiled;
    }
    auto decided = record_.add(decision_entry(*decision_, bench_.folder));
    if (!decided) return decided;
    return record_.close(state_after(decision_->verdict), decision_->reason);
  }

  Result<void> check_results() {
    if (!check_) return {};
    const InterruptWatch watch;
    ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan_.bench.run.runs, "check"));
    bool passed = true;
    // A result that is right in one case may be wrong in another, where the check knows of cases.
    for (std::size_t i = 0; i < cases_.size() && passed; ++i) {
      Step step;
      step.label = i == 0 ? "check" : fmt::format("check-{}", i + 1);
      BenchCase known = cases_[i];
      if (!plan_.check_arguments) known.words.clear();
      step.argv = command_in_case(check_->argv, known);
      if (i > 0 && step.argv == check_->argv) break;
      step.folder = plan_.after_folder;
      step.time_limit = plan_.bench.run.limit();
      step.show_output = plan_.bench.run.show_output;
      ASSIGN_OR_RETURN(const auto end, folder.run(step));
      if (end.end.ending == Ending::kInterrupted) {
        return fail(ErrorKind::kInterrupted, "interrupted while the results were checked");
      }
      passed = end.end.succeeded();
    }
    ASSIGN_OR_RETURN(const auto kept, folder.finish(passed ? "passed" : "failed"));
    gates_.push_back(
        {"check", passed ? GateState::kPassed : GateState::kFailed,
         fmt::format("{} {}", redact_command(shell_command({}, check_->argv)),
                     passed ? "returned 0" : "did not return 0; see run " + run_name(kept))});
    return {};
  }

  SanitizePlan sanitize_plan() const {
    SanitizePlan plan;
    plan.command = sanitized_ ? sanitized_->argv : command_in_case(after_.argv, cases_.front());
    plan.run = plan_.bench.run;
    plan.run.name = "sanitize";
    plan.run.time_limit = 0;
    plan.run.folder = plan_.after_folder;
    plan.only = plan_.sanitizers;
    plan.options.kernel = plan_.sanitized_kernel;
    // A leak that is only told must not keep the tools after it from looking.
    plan.keep_going = !plan_.bench.decide.gate_leaks;
    return plan;
  }

  Result<void> run_sanitizer() {
    if (!plan_.sanitize) return {};
    ASSIGN_OR_RETURN(auto done, sanitize(sanitize_plan(), announcer_));
    sanitizer_ = std::move(done);
    const SanitizerOutcome outcome = sanitizer_.outcome();
    if (outcome == SanitizerOutcome::kInterrupted) {
      return fail(ErrorKind::kInterrupted, "interrupted while the sanitizer ran");
    }
    const bool gate_leaks = plan_.bench.decide.gate_leaks;
    const bool forgiven = !gate_leaks && sanitizer_.has_only_leaks();
    const std::string detail = fmt::format(
        "compute-sanitizer{}: {}; see run {}", sanitized_ ? " of " + sanitized_text() : "",
        forgiven ? fmt::format("memory leaks when it ends, and nothing else; {} fails for it",
                               option("gate-leaks"))
                 : std::string(to_string(outcome)),
        run_name(sanitizer_.folder));
    if (forgiven) announcer_.say(detail);
    if (outcome == SanitizerOutcome::kFailed) return fail(ErrorKind::kTool, detail);
    gates_.push_back({"sanitizer", gate_after(sanitizer_, gate_leaks), detail});
    return {};
  }

  std::string sanitized_text() const { return redact_command(shell_command({}, sanitized_->argv)); }

  std::vector<RunSide> sides() const {
    std::vector<RunSide> sides;
    if (before_) sides.push_back(*before_);
    sides.push_back(after_);
    return sides;
  }

  Result<void> benchmark() {
    ASSIGN_OR_RETURN(auto measured, measure_sides(plan_.bench, sides(), announcer_));
    bench_ = std::move(measured);
    const BenchmarkSeries& series = bench_.series;
    decision_ = decide_sides(before_ ? series.sides.front() : baseline_, series.sides.back(),
                             before_ && series.interleaved, plan_.bench.decide, evidence());
    return record_.add(benchmark_entry(series, bench_.folder));
  }

  DecideEvidence evidence() const {
    DecideEvidence evidence;
    if (plan_.sanitize) evidence.sanitizer = &sanitizer_;
    if (sanitized_) evidence.sanitized = sanitized_text();
    for (const Gate& gate : gates_) {
      if (gate.name == "check") evidence.check = &gate;
    }
    return evidence;
  }

  // It explains and does not decide, so the attempt goes on where there is none.
  Result<void> profile() {
    auto explained = before_ ? explain() : fail(ErrorKind::kUsage, std::string(kNotProfiled));
    if (!explained && explained.error().kind == ErrorKind::kInterrupted) return explained;
    if (!explained) {
      decision_->notes.push_back({NoteKind::kInfo, "profile", explained.error().message, 1});
    }
    return record_.add(ProfileEntry{decision_->explanation, ""});
  }

  Result<void> explain() {
    ASSIGN_OR_RETURN(const auto ncu, Ncu::find());
    ASSIGN_OR_RETURN(const auto a, report_of(ncu, *before_));
    ASSIGN_OR_RETURN(const auto b, report_of(ncu, after_));
    ASSIGN_OR_RETURN(const auto compared, compare_profile_files(a, b, false, {}));
    explain_by_profiles(compared.profiles, *decision_);
    if (const auto code = compare_report_code(compared.a, compared.b, {})) {
      explain_by_code(code->a, code->b, code->comparison, *decision_);
    }
    return plan_.task != nullptr ? judge_task(a, b) : Result<void>{};
  }

  // Duration decides; whether the task brought what it promises says why.
  Result<void> judge_task(const std::string& a, const std::string& b) {
    EvidencePlan files;
    files.files = {b, bench_.folder + "/benchmark.json"};
    files.before = {a};
    files.decide = plan_.bench.decide;
    ASSIGN_OR_RETURN(const auto evidence, GatheredEvidence::gather(*plan_.playbook, files, {}));
    if (evidence.kernels().empty() || plan_.task->accept.empty()) return {};
    const TaskResult judged =
        judge_acceptance(*plan_.playbook, *plan_.task, evidence.kernels().front());
    const std::string text = task_text(judged);
    decision_->explanation.push_back(fmt::format("{} {}", plan_.task->id, text));
    const bool faster = decision_->verdict == DecisionVerdict::kKeep;
    if (faster && judged.state == TaskState::kNotAccepted) {
      decision_->explanation.emplace_back("faster, but not for the reason that the task gives");
    } else if (!faster && judged.state == TaskState::kAccepted) {
      decision_->explanation.emplace_back("what the task promises came true, the time did not");
    }
    return record_.add(AcceptanceEntry{std::string(to_string(judged.state)), text});
  }

  ProfilePlan profile_plan(const RunSide& side) const {
    const NcuPreset* quick = find_ncu_preset("quick");
    ProfilePlan plan;
    plan.program = command_in_case(side.argv, cases_.front());
    plan.our_metrics.assign(quick->metrics.begin(), quick->metrics.end());
    plan.kernel = plan_.profiled.empty() ? plan_.bench.kernel : plan_.profiled;
    plan.run = plan_.bench.run;
    plan.run.name = "profile-" + side.label;
    plan.run.folder = side.folder;
    return plan;
  }

  // The report that ncu wrote of that program's costliest kernels.
  Result<std::string> report_of(const Ncu& ncu, const RunSide& side) const {
    const InterruptWatch watch;
    ASSIGN_OR_RETURN(const auto run, profile_program(ncu, profile_plan(side), announcer_));
    if (!run.summary.permission.empty()) {
      return fail(ErrorKind::kPermission, run.summary.permission);
    }
    return run.profile.path;
  }

  // What stopped the attempt is its reason; it is not lost where the journal fails too.
  Error closed_with(const Error& error) {
    const AttemptState state =
        error.kind == ErrorKind::kInterrupted ? AttemptState::kAbandoned : AttemptState::kFailed;
    const auto closed = record_.close(state, error.message);
    std::string text = error.message;
    text += closed ? fmt::format("\n  attempt {} is recorded as {} in {}", record_.id(),
                                 to_string(state), quote(record_.where()))
                   : "\n  and the journal does not have that: " + closed.error().message;
    if (decision_) {
      text += fmt::format("\n  measured was {}: {}; the files are in {}",
                          to_string(decision_->verdict), decision_->reason, quote(bench_.folder));
    }
    return {error.kind, std::move(text)};
  }

  const TryPlan& plan_;
  Announcer& announcer_;
  AttemptRecord record_;
  std::optional<RunSide> before_;  // nothing: baseline_ is compared with
  BenchmarkSide baseline_;
  RunSide after_;
  std::optional<RunSide> check_;
  std::optional<RunSide> sanitized_;
  std::vector<BenchCase> cases_;
  std::vector<Gate> gates_;
  SanitizerRun sanitizer_;
  BenchRun bench_;
  std::optional<Decision> decision_;
};

}  // namespace

Result<std::string> describe_try(const TryPlan& plan, Announcer& announcer) {
  TrySession session(plan, announcer);
  RETURN_IF_ERROR(session.prepare());
  return session.describe();
}

Result<TryResult> try_change(const TryPlan& plan, Announcer& announcer) {
  TrySession session(plan, announcer);
  RETURN_IF_ERROR(session.prepare());
  return session.run();
}

}  // namespace proofline
