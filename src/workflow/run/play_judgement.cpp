// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json_file.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "views/playbook/check_document.h"
#include "views/playbook/check_record.h"
#include "views/view.h"
#include "workflow/check/evidence.h"
#include "workflow/journal/tried_changes.h"
#include "workflow/run/phase.h"

namespace proofline {
namespace {

// A change that broke the build says nothing of the idea, so it may be tried again, but not for
// ever.
constexpr std::size_t kMostFailures = 3;

Result<GatheredEvidence> evidence_of(const Playbook& playbook, const KeptPlay& kept) {
  EvidencePlan plan;
  plan.take_fullest = true;
  for (const PlayedStep& step : kept.play().steps) {
    if (!phase_of(step.does).is_evidence) continue;
    std::vector<std::string>* files = &plan.files;
    if (!step.in_case.empty()) {
      auto one = std::find_if(plan.cases.begin(), plan.cases.end(),
                              [&](const CaseFiles& known) { return known.id == step.in_case; });
      if (one == plan.cases.end()) one = plan.cases.insert(one, {step.in_case, {}});
      files = &one->files;
    }
    for (const std::string& file : step.evidence) files->push_back(kept.path(file));
  }
  return GatheredEvidence::gather(playbook, plan, {});
}

// What became of tasks: told by the user, by this play, by the journal.
class TaskHistory {
 public:
  static Result<TaskHistory> make(const Playbook& playbook, const KeptPlay& kept,
                                  const GatheredEvidence& evidence) {
    auto tried = TriedChanges::read(kept.play().request.journal);
    // The first attempt makes the journal.
    if (!tried && tried.error().kind == ErrorKind::kInput) tried = TriedChanges();
    RETURN_IF_ERROR(tried);
    TaskHistory history(playbook.id, std::move(*tried));
    if (!evidence.kernels().empty()) history.kernel_ = evidence.kernels().front().locked;
    for (const std::string& word : kept.play().request.skipped) {
      const std::size_t equals = std::min(word.find('='), word.size());
      history.skipped_[word.substr(0, equals)] = word.substr(std::min(equals + 1, word.size()));
    }
    for (const PlayedAttempt& attempt : kept.play().attempts) {
      if (!attempt.setting.empty()) {
        history.swept_[attempt.task].push_back(&attempt);
        continue;
      }
      ++history.attempts_[attempt.task];
      if (attempt.state == AttemptState::kFailed) history.failed_.insert(attempt.task);
    }
    return history;
  }

  CheckOptions options() const {
    CheckOptions options;
    options.tried = [this](const std::string& id) { return tried(id); };
    tried_.count(kernel_.name, kernel_.cc, options);
    return options;
  }

 private:
  TaskHistory(std::string playbook, TriedChanges tried)
      : playbook_(std::move(playbook)), tried_(std::move(tried)) {}

  std::optional<CheckOptions::Tried> tried(const std::string& id) const {
    if (const auto told = skipped_.find(id); told != skipped_.end()) {
      return CheckOptions::Tried{false, "skipped: " + told->second};
    }
    if (const auto swept = swept_.find(id); swept != swept_.end()) return best_of(swept->second);
    const auto count = attempts_.find(id);
    const std::size_t attempts = count == attempts_.end() ? 0 : count->second;
    if (attempts >= kMostFailures) {
      return CheckOptions::Tried{false, fmt::format("given up after {} attempts", attempts)};
    }
    auto known = tried_.item(playbook_, id, kernel_.name, kernel_.cc);
    // The last attempt of this play failed before anything was measured.
    if (known && !known->measured && failed_.contains(id)) return std::nullopt;
    return known;
  }

  // A sweep is kept as its last setting that was.
  static CheckOptions::Tried best_of(const std::vector<const PlayedAttempt*>& settings) {
    const std::string tried = plural(settings.size(), "setting") + " tried";
    const auto kept =
        std::find_if(settings.rbegin(), settings.rend(),
                     [](const PlayedAttempt* one) { return one->state == AttemptState::kKept; });
    if (kept == settings.rend()) return {false, tried + ", none is faster"};
    return {true, fmt::format("{}, kept {}", tried, (*kept)->setting_text())};
  }

  std::string playbook_;
  TriedChanges tried_;
  LockedKernel kernel_;
  std::map<std::string, std::string> skipped_;
  std::map<std::string, std::size_t> attempts_;
  std::map<std::string, std::vector<const PlayedAttempt*>> swept_;
  std::set<std::string> failed_;
};

bool may_hold(const Playbook& playbook, const PlaybookExpression& when,
              const GatheredEvidence& evidence, const CheckOptions& options) {
  if (evidence.kernels().empty()) return true;
  const Evaluation answer = judge_condition(playbook, when, evidence.kernels().front(), options);
  return answer.answer != Answer::kFalse;
}

// Where the playbook says when it chooses, one of these conditions has to hold.
bool chooses_now(const Playbook& playbook, const GatheredEvidence& evidence,
                 const CheckOptions& options) {
  bool conditions = false;
  for (const PlaybookPhase& phase : playbook.phases) {
    if (phase.does != PhaseKind::kChoose || !phase.when) continue;
    conditions = true;
    if (may_hold(playbook, *phase.when, evidence, options)) return true;
  }
  return !conditions;
}

const TaskResult* find_task_result(const CheckRun& checks, const std::string& id) {
  const auto found = std::find_if(checks.tasks.begin(), checks.tasks.end(), [&](const auto& task) {
    return task.id == id || task.playbook + "/" + task.id == id;
  });
  return found == checks.tasks.end() ? nullptr : &*found;
}

// A plain name, as lint sees to: a playbook may be a stranger's.
std::string deliverable_name(const PlaybookDeliverable& deliverable, const std::string& kernel) {
  std::string name = deliverable.file.empty() ? deliverable.id + ".md" : deliverable.file;
  if (kernel.empty()) return name;
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  return name.substr(0, dot) + "-" + kernel + name.substr(dot);
}

}  // namespace

Result<JudgedPlay> judge_play(const Playbook& playbook, const KeptPlay& kept) {
  ASSIGN_OR_RETURN(const auto evidence, evidence_of(playbook, kept));
  ASSIGN_OR_RETURN(const auto history, TaskHistory::make(playbook, kept, evidence));
  const CheckOptions options = history.options();
  JudgedPlay judged{run_checks(playbook, evidence.kernels(), options),
                    chooses_now(playbook, evidence, options)};
  CheckRun& run = judged.checks;
  run.sources = evidence.sources();
  run.notes = evidence.notes();
  RETURN_IF_ERROR(
      write_json_file(kept.path("check.json"), [&](JsonWriter& json) { write_record(run, json); }));
  return judged;
}

Result<bool> is_wanted(const Playbook& playbook, const PlaybookExpression& when,
                       const KeptPlay& kept) {
  ASSIGN_OR_RETURN(const auto evidence, evidence_of(playbook, kept));
  ASSIGN_OR_RETURN(const auto history, TaskHistory::make(playbook, kept, evidence));
  return may_hold(playbook, when, evidence, history.options());
}

Result<std::string> choose_task(const Playbook& playbook, const CheckRun& checks, bool chooses,
                                const std::string& asked) {
  if (!asked.empty()) {
    const PlaybookTask* task = playbook.find_task(asked);
    if (task != nullptr) return task->id;
    return fail(ErrorKind::kUsage, fmt::format("{}: {} has no task or option {}", option("task"),
                                               playbook.id, quote(asked)));
  }
  return chooses ? checks.next : "";
}

Result<std::vector<SweepSetting>> legal_settings(const Playbook& playbook, const PlaybookTask& task,
                                                 std::vector<SweepSetting> settings,
                                                 const KeptPlay& kept) {
  Playbook trial = playbook;  // the evidence looks its workload up there
  ASSIGN_OR_RETURN(const auto evidence, evidence_of(trial, kept));
  ASSIGN_OR_RETURN(const auto history, TaskHistory::make(trial, kept, evidence));
  const CheckOptions options = history.options();
  std::erase_if(settings, [&](const SweepSetting& setting) {
    setting.apply(trial.workload);
    return std::any_of(task.legal.begin(), task.legal.end(), [&](const PlaybookExpression& legal) {
      if (evidence.kernels().empty()) return true;
      const auto& kernel = evidence.kernels().front();
      return judge_condition(trial, legal, kernel, options).answer != Answer::kTrue;
    });
  });
  return settings;
}

Result<std::string> write_choice(const Playbook& playbook, const CheckRun& checks,
                                 const KeptPlay& kept, const std::string& task) {
  PlayChoice choice;
  choice.play = kept.play().name;
  choice.playbook = playbook.id;
  choice.command = kept.play().request.command;
  if (const TaskResult* chosen = find_task_result(checks, task)) choice.task = *chosen;
  if (const PlaybookTask* told = playbook.find_task(task)) {
    choice.why = told->why;
    choice.hypothesis = told->hypothesis;
  }
  choice.kernels = checks.kernels;
  std::copy_if(checks.checks.begin(), checks.checks.end(), std::back_inserter(choice.failing),
               [](const CheckResult& check) { return check.verdict == CheckVerdict::kFail; });
  choice.attempts = kept.play().attempts;
  const std::string path = kept.path("choice.json");
  RETURN_IF_ERROR(write_json_file(path, [&](JsonWriter& json) { write_record(choice, json); }));
  return path;
}

Result<std::vector<std::string>> write_deliverables(const Playbook& playbook,
                                                    const CheckRun& checks, const KeptPlay& kept) {
  std::vector<std::string> written{kept.path("check.md")};
  RETURN_IF_ERROR(write_whole_file(written.front(), markdown_text(compose_checks(checks))));
  for (const PlaybookDeliverable& one : playbook.deliverables) {
    for (const DeliverableResult& result : checks.deliverables) {
      if (result.id != one.id) continue;
      Document document;
      add_deliverable(result, true, document);
      if (document.blocks.empty()) continue;
      const std::string path = kept.path(deliverable_name(one, result.kernel));
      RETURN_IF_ERROR(write_whole_file(path, markdown_text(document)));
      written.push_back(path);
    }
  }
  return written;
}

}  // namespace proofline
