// SPDX-License-Identifier: Apache-2.0
#include "workflow/try/try_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "base/redact.h"
#include "base/text.h"
#include "diagnosis/decision/decide_explain.h"
#include "store/entries/attempts.h"
#include "store/entries/result_entries.h"
#include "tools/machine/git_state.h"
#include "tools/ncu/ncu_presets.h"
#include "workflow/code/report_code.h"
#include "workflow/decide/decide_inputs.h"
#include "workflow/journal/attempt_record.h"
#include "workflow/journal/baseline_side.h"
#include "workflow/journal/journal_place.h"
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

constexpr std::string_view kNotProfiled = "a baseline is no program";

// The measurements that a name stands for.
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
    ASSIGN_OR_RETURN(auto after, command_side("b", plan_.after));
    after_ = std::move(after);
    if (!plan_.baseline.empty()) {
      auto baseline = read_named_baseline(plan_.journal, plan_.baseline);
      RETURN_IF_ERROR(baseline);
      baseline_ = {"baseline " + plan_.baseline, std::move(*baseline)};
    } else {
      ASSIGN_OR_RETURN(auto before, command_side("a", plan_.before));
      before_ = std::move(before);
    }
    if (plan_.check.empty()) return {};
    ASSIGN_OR_RETURN(auto check, command_side("check", plan_.check));
    check_ = std::move(check);
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
    intent.commands.push_back(shell_command({}, after_.argv));
    RETURN_IF_ERROR(record_.open(intent));
    if (auto done = protocol(); !done) return tl::make_unexpected(closed_with(done.error()));
    return TryResult{record_.where(), record_.attempt(), std::move(decision_)};
  }

 private:
  Result<void> protocol() {
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
    Step step;
    step.label = "check";
    step.argv = check_->argv;
    step.time_limit = plan_.bench.run.limit();
    step.show_output = plan_.bench.run.show_output;
    ASSIGN_OR_RETURN(const auto end, folder.run(step));
    if (end.end.ending == Ending::kInterrupted) {
      return fail(ErrorKind::kInterrupted, "interrupted while the results were checked");
    }
    const bool passed = end.end.ending == Ending::kExited && end.end.exit_code == 0;
    ASSIGN_OR_RETURN(const auto kept, folder.finish(passed ? "passed" : "failed"));
    gates_.push_back({"check", passed ? GateState::kPassed : GateState::kFailed,
                      fmt::format("{} {}", redact_command(shell_command({}, check_->argv)),
                                  passed ? "returned 0" : "did not return 0; see " + kept)});
    return {};
  }

  SanitizePlan sanitize_plan() const {
    SanitizePlan plan;
    plan.command = after_.argv;
    plan.run = plan_.bench.run;
    plan.run.name = "sanitize";
    plan.run.time_limit = 0;
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
        "compute-sanitizer: {}; see {}",
        forgiven ? "memory leaks when it ends, and nothing else; --gate-leaks fails for it"
                 : to_string(outcome),
        sanitizer_.folder);
    if (forgiven) announcer_.say(detail);
    if (outcome == SanitizerOutcome::kFailed) return fail(ErrorKind::kTool, detail);
    gates_.push_back({"sanitizer", gate_after(sanitizer_, gate_leaks), detail});
    return {};
  }

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
    if (check_) evidence.check = &gates_.front();  // it runs first
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
    return {};
  }

  ProfilePlan profile_plan(const RunSide& side) const {
    const NcuPreset* quick = find_ncu_preset("quick");
    ProfilePlan plan;
    plan.program = side.argv;
    plan.our_metrics.assign(quick->metrics.begin(), quick->metrics.end());
    plan.run = plan_.bench.run;
    plan.run.name = "profile-" + side.label;
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
