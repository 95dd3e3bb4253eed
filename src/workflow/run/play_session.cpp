// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "workflow/check/playbook_text.h"
#include "workflow/clock_text.h"
#include "workflow/run/phase.h"
#include "workflow/run/play_attempt.h"
#include "workflow/run/play_judgement.h"
#include "workflow/run/play_request.h"
#include "workflow/run/play_state.h"
#include "workflow/run/play_sweep.h"
#include "workflow/run/work_trees.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// What is eligible may wait for the tree to lead to it, for the condition under which anything is
// chosen, or for the user.
std::string nothing_to_try(const CheckRun& checks) {
  std::string eligible;
  for (const TaskResult& task : checks.tasks) {
    if (task.state != TaskState::kEligible) continue;
    eligible += fmt::format("{}{}", eligible.empty() ? "" : ", ", task.id);
  }
  if (eligible.empty()) return "nothing is eligible: nothing to try";
  return fmt::format("nothing to try: what was found leads to none of {}; {} takes one", eligible,
                     option("task"));
}

// "[5/9] profile w1: ncu pass 7 of 16, 0:41, about 2:10 left"
class StepAnnouncer final : public Announcer {
 public:
  StepAnnouncer(Announcer& inner, std::string prefix, std::string left)
      : inner_(inner), prefix_(std::move(prefix)), left_(std::move(left)) {}

  void say(std::string_view sentence) override { inner_.say(sentence); }
  void progress(std::string_view what) override {
    inner_.progress(fmt::format("{}: {}{}", prefix_, what, left_));
  }
  void clear() override { inner_.clear(); }

 private:
  Announcer& inner_;
  std::string prefix_;
  std::string left_;
};

PlayedStep played_step(const PlayStep& step) {
  PlayedStep played;
  played.id = step.id;
  played.does = step.does;
  played.in_case = step.in_case;
  return played;
}

class PlaySession {
 public:
  PlaySession(Playbook playbook, const PlayOptions& options, KeptPlay kept, Announcer& announcer)
      : playbook_(std::move(playbook)),
        options_(options),
        task_(options.task),
        kept_(std::move(kept)),
        announcer_(announcer),
        begun_(Clock::now()) {}

  // `changed`: the play waited for a change that the user has made by now.
  Result<PlayOutcome> run(bool changed) {
    auto outcome = play_on(changed);
    if (!outcome) {
      play().outcome = PlayState::kStopped;
      RETURN_IF_ERROR(kept_.store());
      return fail(outcome.error().kind,
                  fmt::format("{}\n  `proofline run --resume {}` goes on there",
                              outcome.error().message, play().folder));
    }
    play().outcome = outcome->result.play.outcome;
    RETURN_IF_ERROR(kept_.store());
    outcome->result.play = play();
    return outcome;
  }

 private:
  Play& play() { return kept_.play(); }

  double seconds_left() const {
    if (options_.max_time <= 0) return HUGE_VAL;
    const std::chrono::duration<double> passed = Clock::now() - begun_;
    return options_.max_time - passed.count();
  }

  PlayOutcome ended(PlayState end, std::string headline) {
    PlayOutcome outcome;
    outcome.result.play.outcome = end;
    outcome.result.headline = std::move(headline);
    outcome.result.checks = std::move(checks_);
    outcome.result.written = std::move(written_);
    outcome.decision = std::move(decision_);
    return outcome;
  }

  Result<PlayOutcome> play_on(bool changed) {
    const bool closes_loop = !options_.request.change.empty();
    if (closes_loop) {
      ASSIGN_OR_RETURN(auto trees, WorkTrees::open(play().folder, play().name));
      trees_ = std::move(trees);
    }
    RETURN_IF_ERROR(settle_open_attempt(kept_, trees_ ? &*trees_ : nullptr));
    RETURN_IF_ERROR(take_workload());
    if (closes_loop) RETURN_IF_ERROR(prepare_tree(kept_, *trees_, options_, announcer_));
    if (changed && !closes_loop) {
      ASSIGN_OR_RETURN(const bool tried, try_in_place());
      if (!tried) return ended(PlayState::kWaiting, waiting_text(play().choice));
    }
    for (;;) {
      ASSIGN_OR_RETURN(const auto unswept, finish_sweep());
      if (unswept) return ended(unswept->first, unswept->second);
      ASSIGN_OR_RETURN(const auto stopped, measure());
      if (stopped) return ended(stopped->first, stopped->second);
      if (!plan_->judges())
        return ended(PlayState::kMeasured,
                     fmt::format("measured as far as {} says", option("until")));
      ASSIGN_OR_RETURN(auto judged, judge_play(playbook_, kept_));
      checks_ = std::move(judged.checks);
      ASSIGN_OR_RETURN(written_, write_deliverables(playbook_, *checks_, kept_));
      if (!plan_->chooses())
        return ended(PlayState::kChecked,
                     fmt::format("checked as far as {} says", option("until")));
      ASSIGN_OR_RETURN(const auto task, choose_task(playbook_, *checks_, judged.chooses, task_));
      play().choice = task;
      if (task.empty()) return ended(PlayState::kFinished, nothing_to_try(*checks_));
      ASSIGN_OR_RETURN(const auto choice, write_choice(playbook_, *checks_, kept_, task));
      ASSIGN_OR_RETURN(const bool sweeps, begin_sweep(*playbook_.find_task(task)));
      if (sweeps) continue;
      if (!closes_loop) {
        RETURN_IF_ERROR(keep_program(kept_, options_));
        return ended(PlayState::kWaiting, waiting_text(task));
      }
      if (const std::size_t made = changes_made(); made >= options_.attempts) {
        return ended(PlayState::kSpent, fmt::format("{} made, as many as {} allows",
                                                    plural(made, "attempt"), option("attempts")));
      }
      if (seconds_left() <= 0)
        return ended(PlayState::kOutOfTime, fmt::format("{} is spent", option("max-time")));
      RETURN_IF_ERROR(attempt_change(playbook_, *checks_, task, choice, kept_, *trees_,
                                     limited_options(), announcer_));
    }
  }

  static std::string waiting_text(const std::string& task) {
    return fmt::format("waiting for {}: make the change, then `proofline run --resume`", task);
  }

  // Nothing runs longer than the budget.
  const PlayOptions& limited_options() {
    limited_ = options_;
    const double left = seconds_left();
    double& limit = limited_.bench.run.time_limit;
    if (std::isfinite(left)) limit = limit > 0 ? std::min(limit, left) : left;
    if (std::isfinite(left)) {
      double& most = limited_.bench.max_time;
      most = most > 0 ? std::min(most, left) : left;
    }
    return limited_;
  }

  // False: the program is what it was.
  Result<bool> try_in_place() {
    ASSIGN_OR_RETURN(const auto before, judge_play(playbook_, kept_));
    ASSIGN_OR_RETURN(auto tried, attempt_in_place(playbook_, before.checks, play().choice, kept_,
                                                  limited_options(), announcer_));
    if (!tried) {
      announcer_.say("the program is what it was when it was measured: nothing to try yet");
      return false;
    }
    decision_ = std::move(tried->decision);
    play().request = options_.request;
    play().choice.clear();
    RETURN_IF_ERROR(kept_.store());
    return true;
  }

  using Stop = std::pair<PlayState, std::string>;

  // --- sweeps

  // False: it is none that the command's arguments can make.
  Result<bool> begin_sweep(const PlaybookTask& task) {
    if (!is_swept_by_arguments(playbook_, task, options_.request.command)) return false;
    ASSIGN_OR_RETURN(auto settings, sweep_settings(task));
    std::erase_if(settings, [&](const SweepSetting& one) { return one.is_in(playbook_.workload); });
    ASSIGN_OR_RETURN(settings, legal_settings(playbook_, task, std::move(settings), kept_));
    task_.clear();  // it is done with this
    for (const SweepSetting& one : settings) play().sweep.push_back(one.text());
    if (settings.empty()) play().request.skipped.push_back(task.id + "=no other setting is legal");
    RETURN_IF_ERROR(kept_.store());
    return true;
  }

  // Also what a run that was killed left of one.
  Result<std::optional<Stop>> finish_sweep() {
    if (play().sweep.empty()) return std::optional<Stop>();
    ASSIGN_OR_RETURN(const auto judged, judge_play(playbook_, kept_));
    while (!play().sweep.empty()) {
      if (seconds_left() <= 0)
        return Stop{PlayState::kOutOfTime, fmt::format("{} is spent", option("max-time"))};
      RETURN_IF_ERROR(attempt_setting(playbook_, judged.checks, kept_, work_folder(),
                                      limited_options(), announcer_));
      RETURN_IF_ERROR(take_workload());
    }
    play().choice.clear();
    RETURN_IF_ERROR(kept_.store());
    return std::optional<Stop>();
  }

  // As the request has it by now; a setting that is faster becomes a part of it.
  Result<void> take_workload() {
    ASSIGN_OR_RETURN(const auto workload, parse_workload(play().request.workload, {}));
    for (const auto& [key, value] : workload) playbook_.workload[key] = value;
    ASSIGN_OR_RETURN(plan_, PlayPlan::make(playbook_, options_));
    return {};
  }

  std::size_t changes_made() {
    return static_cast<std::size_t>(
        std::count_if(play().attempts.begin(), play().attempts.end(),
                      [](const PlayedAttempt& one) { return one.setting.empty(); }));
  }

  // --- measuring

  // Every step that is wanted and whose inputs are not those of kept evidence.
  Result<std::optional<Stop>> measure() {
    const std::vector<PlayStep>& steps = plan_->steps();
    for (std::size_t i = 0; i < plan_->end(); ++i) {
      if (seconds_left() <= 0)
        return Stop{PlayState::kOutOfTime, fmt::format("{} is spent", option("max-time"))};
      ASSIGN_OR_RETURN(const bool right, measure_step(steps[i], i));
      if (!right) {
        const PlayedStep* failed = play().find_step(steps[i].id);
        return Stop{PlayState::kWrong, fmt::format("{}: {}", steps[i].id, failed->reason)};
      }
    }
    return std::optional<Stop>();
  }

  // False: what it found is a reason to stop.
  Result<bool> measure_step(const PlayStep& step, std::size_t number) {
    StepTask task = task_of(step, number);
    PlayedStep played = played_step(step);
    const std::string name = fmt::format("[{}/{}] {}", number + 1, plan_->end(), step.id);
    if (number < plan_->first()) return take_kept(step, name);
    if (step.phase->when) {
      ASSIGN_OR_RETURN(const bool wanted, is_wanted(playbook_, *step.phase->when, kept_));
      if (!wanted) {
        played.state = StepState::kSkipped;
        played.reason = "only when " + step.phase->when->text();
        RETURN_IF_ERROR(kept_.record(std::move(played)));
        return true;
      }
    }
    played.inputs = step_inputs(task);
    const auto& again = options_.again;
    const bool anew = done_anew_.insert(step.id).second &&
                      (std::find(again.begin(), again.end(), step.id) != again.end() ||
                       std::find(again.begin(), again.end(), step.phase->id) != again.end());
    if (!played.inputs.empty() && !anew) {
      if (auto kept = find_kept_step(kept_, step.id, played.inputs)) {
        announcer_.say(fmt::format("{}: skipped, its inputs are as they were{}", name,
                                   kept->state == StepState::kTaken ? " in an earlier run" : ""));
        RETURN_IF_ERROR(kept_.record(std::move(*kept)));
        return true;
      }
    }
    const std::string left = estimate(number);
    announcer_.say(name + left);
    StepAnnouncer announcer(announcer_, name, left);
    std::error_code ignored;
    fs::remove_all(task.folder, ignored);  // of a run that was killed here
    const auto start = Clock::now();
    const Phase& phase = phase_of(step.does);
    auto end = phase.run(task, announcer);
    played.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const bool ours = !end && (end.error().kind == ErrorKind::kInterrupted ||
                               end.error().kind == ErrorKind::kStorage);
    if (!end) {
      played.state = StepState::kFailed;
      played.reason = end.error().message;
      if (ours || !phase.is_dispensable) {
        RETURN_IF_ERROR(kept_.record(std::move(played)));
        return fail(end.error().kind, fmt::format("{}: {}", step.id, end.error().message));
      }
      announcer_.say(fmt::format("{} failed, and the run goes on without it: {}", step.id,
                                 end.error().message));
      RETURN_IF_ERROR(kept_.record(std::move(played)));
      return true;
    }
    played.state = end->state;
    played.reason = end->reason;
    for (const std::string& file : end->evidence) played.evidence.push_back(kept_.relative(file));
    RETURN_IF_ERROR(kept_.record(std::move(played)));
    return !end->wrong;
  }

  // By --from: whatever it was measured with.
  Result<bool> take_kept(const PlayStep& step, const std::string& name) {
    auto kept = find_kept_step(kept_, step.id, "");
    if (!kept) {
      PlayedStep none = played_step(step);
      none.state = StepState::kSkipped;
      none.reason = "no earlier run has it";
      announcer_.say(
          fmt::format("{}: left out by {}, and no earlier run has it", name, option("from")));
      kept = std::move(none);
    } else {
      announcer_.say(name + ": taken from an earlier run");
    }
    RETURN_IF_ERROR(kept_.record(std::move(*kept)));
    return true;
  }

  StepTask task_of(const PlayStep& step, std::size_t number) {
    // A step that is done again after a change leaves the files of before where they are.
    const std::size_t round = kept_changes() + 1;
    StepTask task{playbook_, limited_options(), step,
                  kept_.path(round == 1 ? fmt::format("{:02}-{}", number + 1, step.id)
                                        : fmt::format("{:02}-{}.{}", number + 1, step.id, round))};
    task.work_folder = work_folder();
    // A change may be in a file that the command does not name.
    task.revision = play().base;
    if (task.revision.empty() && round > 1)
      task.revision = fmt::format("{} {}", play().name, round);
    task.time_limit = limited_.bench.run.time_limit;
    task.reports = evidence_of(PhaseKind::kProfile);
    task.benchmarks = evidence_of(PhaseKind::kBench);
    return task;
  }

  std::vector<std::string> evidence_of(PhaseKind kind) {
    std::vector<std::string> files;
    for (const PlayedStep& done : play().steps) {
      if (done.does != kind) continue;
      for (const std::string& file : done.evidence) files.push_back(kept_.path(file));
    }
    return files;
  }

  std::size_t kept_changes() {
    return static_cast<std::size_t>(
        std::count_if(play().attempts.begin(), play().attempts.end(),
                      [](const PlayedAttempt& one) { return one.state == AttemptState::kKept; }));
  }

  // The current folder in the tree of what is kept.
  std::string work_folder() {
    if (play().tree.empty() || !trees_) return "";
    return trees_->folder_in(play().tree);
  }

  // ", about 2:10 left", by what these steps took before.
  std::string estimate(std::size_t from) {
    double left = 0;
    for (std::size_t i = from; i < plan_->end(); ++i) {
      const auto before = seconds_before(kept_, plan_->steps()[i].id);
      if (!before) return "";
      left += *before;
    }
    return fmt::format(", about {} left", clock_text(std::chrono::seconds(std::llround(left))));
  }

  Playbook playbook_;  // with the workload as sweeps make it
  const PlayOptions& options_;
  std::string task_;  // that is to be taken instead of the one that would be chosen
  PlayOptions limited_;
  KeptPlay kept_;
  Announcer& announcer_;
  Clock::time_point begun_;
  std::optional<PlayPlan> plan_;
  std::optional<WorkTrees> trees_;
  std::set<std::string> done_anew_;
  std::optional<CheckRun> checks_;
  std::vector<std::string> written_;
  std::optional<Decision> decision_;
};

}  // namespace

Result<PlayOutcome> begin_play(const std::string& playbook, const PlayOptions& options, bool trust,
                               Announcer& announcer) {
  if (!trust) RETURN_IF_ERROR(check_owner(playbook));
  ASSIGN_OR_RETURN(const auto source, find_playbook(playbook, {}));
  ASSIGN_OR_RETURN(const auto read, linted_playbook(source, options.request));
  // What can be wrong with the request is found out before anything is written.
  RETURN_IF_ERROR(PlayPlan::make(read.playbook, options));
  Play play;
  play.playbook = read.playbook.id;
  play.request = options.request;
  ASSIGN_OR_RETURN(auto kept, KeptPlay::create(options.plays, std::move(play), source.text));
  announcer.say("kept in " + kept.play().folder);
  return PlaySession(read.playbook, options, std::move(kept), announcer).run(false);
}

namespace {

// What is tried next must be a task of the playbook: play.json may be damaged or changed by hand.
Result<void> check_choice(const KeptPlay& kept, const Playbook& playbook) {
  const Play& play = kept.play();
  const bool chosen = !play.choice.empty() || !play.sweep.empty();
  if (!chosen || playbook.find_task(play.choice) != nullptr) return {};
  return fail(ErrorKind::kInput,
              fmt::format("{} is damaged: {} has no task or option {}",
                          quote(kept.path("play.json")), playbook.id, quote(play.choice)));
}

}  // namespace

Result<PlayOutcome> resume_play(const std::string& folder, const PlayOptions& options,
                                Announcer& announcer) {
  ASSIGN_OR_RETURN(auto kept, KeptPlay::open(options.plays, folder));
  ASSIGN_OR_RETURN(auto text, kept.playbook_text());
  PlayOptions all = options;
  all.request = merged_request(options.request, kept.play().request);
  all.plays = fs::path(kept.play().folder).parent_path().string();
  ASSIGN_OR_RETURN(const auto read,
                   linted_playbook({kept.path("playbook.toml"), text}, all.request));
  RETURN_IF_ERROR(check_choice(kept, read.playbook));
  RETURN_IF_ERROR(PlayPlan::make(read.playbook, all));
  const bool waits = kept.play().outcome == PlayState::kWaiting && !kept.play().choice.empty();
  kept.play().request.skipped = all.request.skipped;
  // What was skipped by now is not waited for.
  const bool skipped = std::any_of(options.request.skipped.begin(), options.request.skipped.end(),
                                   [&](const std::string& word) {
                                     return word.substr(0, word.find('=')) == kept.play().choice;
                                   });
  if (skipped || !options.task.empty()) kept.play().sweep.clear();
  const bool changed = waits && !skipped && options.task.empty();
  if (!changed) kept.play().request = all.request;
  return PlaySession(read.playbook, all, std::move(kept), announcer).run(changed);
}

Result<std::string> describe_play(const std::string& playbook, const PlayOptions& options,
                                  Announcer& announcer) {
  ASSIGN_OR_RETURN(const auto source, find_playbook(playbook, {}));
  ASSIGN_OR_RETURN(const auto read, linted_playbook(source, options.request));
  ASSIGN_OR_RETURN(const auto plan, PlayPlan::make(read.playbook, options));
  std::string text;
  for (std::size_t i = plan.first(); i < plan.end(); ++i) {
    const PlayStep& step = plan.steps()[i];
    StepTask task{read.playbook, options, step, fmt::format("{:02}-{}", i + 1, step.id)};
    task.time_limit = options.bench.run.time_limit;
    text += fmt::format("# [{}/{}] {}", i + 1, plan.end(), step.id);
    if (step.phase->when) text += ", only when " + step.phase->when->text();
    text += '\n' + describe_step(task, announcer);
  }
  if (plan.judges()) text += "# check, choose and report run nothing\n";
  if (!options.request.change.empty()) {
    text += fmt::format("# then, in a work tree of its own, up to {} times\n{}\n", options.attempts,
                        options.request.change);
  }
  return text;
}

}  // namespace proofline
