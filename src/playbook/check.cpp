// SPDX-License-Identifier: Apache-2.0
#include "playbook/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "playbook/checked_kernel.h"
#include "playbook/deliverables.h"
#include "playbook/expression_types.h"

namespace proofline {
namespace {

// What the task says of itself.
TaskResult described(const PlaybookTask& task) {
  TaskResult result;
  result.id = task.id;
  result.playbook = task.playbook;
  result.title = task.title;
  result.option = task.option;
  result.change = task.change;
  result.sanitizers = sanitizers_for(task.change);
  result.steps = task.steps;
  result.expect = task.expect;
  return result;
}

void judge_accepted(const PlaybookTask& task, const CheckedKernel& kernel, TaskResult& result) {
  Evaluation accepted = kernel.all_hold(task.accept);
  result.state = accepted.answer == Answer::kTrue    ? TaskState::kAccepted
                 : accepted.answer == Answer::kFalse ? TaskState::kNotAccepted
                                                     : TaskState::kUndecided;
  result.readings = std::move(accepted.readings);
  result.missing = std::move(accepted.missing);
}

class CheckRunner {
 public:
  CheckRunner(const Playbook& playbook, const std::vector<KernelEvidence>& kernels,
              const CheckOptions& options)
      : playbook_(playbook), options_(options) {
    for (const KernelEvidence& kernel : kernels) {
      kernels_.emplace_back(playbook, kernel, options);
    }
  }

  CheckRun run() {
    run_.playbook = playbook_.id;
    run_.title = playbook_.title;
    for (const CheckedKernel& kernel : kernels_) run_.kernels.push_back(kernel.locked());
    for (const PlaybookCheck& check : playbook_.checks) judge(check);
    judge_locks();
    if (!kernels_.empty() && options_.only.empty()) {
      for (const PlaybookTask& task : playbook_.tasks) run_.tasks.push_back(judge(task));
      walk_tree();
      choose();
      run_.deliverables = fill_deliverables(playbook_, kernels_, run_);
    }
    return std::move(run_);
  }

 private:
  bool wanted(const std::string& id, const std::string& playbook) const {
    const auto& only = options_.only;
    return only.empty() || std::find(only.begin(), only.end(), id) != only.end() ||
           std::find(only.begin(), only.end(), playbook + "/" + id) != only.end();
  }

  bool of_kernel(const PlaybookCheck& check) const {
    return reads_kernel(check.expr.expression, playbook_.lets) ||
           (check.when && reads_kernel(check.when->expression, playbook_.lets));
  }

  // For each kernel that it is about; once where it reads no kernel's facts.
  void judge(const PlaybookCheck& check) {
    if (!wanted(check.id, check.playbook)) return;
    const bool each = of_kernel(check);
    for (const CheckedKernel& kernel : kernels_) {
      if (!check.kernel.empty() && check.kernel != kernel.locked().lock) continue;
      CheckResult result = kernel.judge(check, check.in_case);
      if (!each) result.kernel.clear();
      run_.checks.push_back(std::move(result));
      if (!each) break;
    }
  }

  void judge_locks() {
    for (const KernelLock& lock : playbook_.kernels) {
      if (lock.expect.empty() && lock.forbid.empty()) continue;
      if (!wanted(lock.id + "/lock", lock.playbook)) continue;
      for (const CheckedKernel& kernel : kernels_) {
        if (kernel.locked().lock == lock.id) run_.checks.push_back(kernel.lock_check(lock));
      }
    }
  }

  // --- tasks ---

  // Tasks are about the first kernel: the lock in file order.
  TaskResult judge(const PlaybookTask& task) {
    const CheckedKernel& kernel = kernels_.front();
    TaskResult result = described(task);
    if (const auto tried = options_.tried ? options_.tried(task.id) : std::nullopt) {
      result.state = tried->kept ? TaskState::kKept : TaskState::kReverted;
      result.reason = tried->text;
      return result;
    }
    // What both sides show counts more than what was told.
    if (options_.paired && !task.accept.empty()) {
      judge_accepted(task, kernel, result);
      return result;
    }
    if (const KnownChange* known = told(task)) {
      judge_conditions(task, kernel, result);  // whether it would fit here is told beside it
      result.state = known->state == "kept" ? TaskState::kKept : TaskState::kReverted;
      result.reason = fmt::format("told, not measured: {}{} ({})", known->what,
                                  known->gain.empty() ? "" : ", " + known->gain, known->source);
      return result;
    }
    judge_eligible(task, kernel, result);
    return result;
  }

  // By id, as the journal does, or by the rule that both answer.
  const KnownChange* told(const PlaybookTask& task) const {
    for (const KnownChange& known : playbook_.known) {
      if (known.id == task.id) return &known;
    }
    return nullptr;
  }

  bool decided(const std::string& id) const {
    for (const TaskResult& one : run_.tasks) {
      if (one.id != id) continue;
      return one.state == TaskState::kKept || one.state == TaskState::kReverted ||
             one.state == TaskState::kAccepted;
    }
    return false;
  }

  void judge_eligible(const PlaybookTask& task, const CheckedKernel& kernel, TaskResult& result) {
    for (const std::string& id : task.after) {
      if (decided(id)) continue;
      result.state = TaskState::kWaiting;
      result.reason = "after " + id;
      return;
    }
    judge_conditions(task, kernel, result);
  }

  static void judge_conditions(const PlaybookTask& task, const CheckedKernel& kernel,
                               TaskResult& result) {
    std::vector<PlaybookExpression> conditions = task.legal;
    if (task.when) conditions.insert(conditions.begin(), *task.when);
    Evaluation eligible = kernel.all_hold(conditions);
    result.state = eligible.answer == Answer::kTrue    ? TaskState::kEligible
                   : eligible.answer == Answer::kFalse ? TaskState::kNotEligible
                                                       : TaskState::kUnknown;
    result.readings = std::move(eligible.readings);
    result.missing = std::move(eligible.missing);
  }

  // --- tree ---

  void walk_tree() {
    std::set<std::string> named;
    for (const TreeNode& node : playbook_.tree) named.insert(node.next.begin(), node.next.end());
    std::vector<const TreeNode*> roots;
    for (const TreeNode& node : playbook_.tree) {
      if (!named.contains(node.id)) roots.push_back(&node);
    }
    walk(roots, 0);
  }

  // In file order; "otherwise" is true where all before it are false.
  void walk(const std::vector<const TreeNode*>& siblings, std::uint32_t depth) {
    Answer before = Answer::kFalse;
    for (const TreeNode* node : siblings) {
      TreeStep step;
      step.id = node->id;
      step.playbook = node->playbook;
      step.depth = depth;
      step.say = node->say;
      if (node->when) {
        Evaluation when = evaluate_logic(node->when->expression, playbook_.lets, kernels_.front());
        step.answer = when.answer;
        step.readings = std::move(when.readings);
        step.missing = std::move(when.missing);
      } else {
        step.answer = before == Answer::kFalse  ? Answer::kTrue
                      : before == Answer::kTrue ? Answer::kFalse
                                                : Answer::kUnknown;
      }
      before = std::max(before, step.answer);
      std::vector<const TreeNode*> children;
      for (const std::string& id : node->next) {
        if (const TreeNode* child = playbook_.find_node(id)) {
          children.push_back(child);
        } else {
          step.leads_to.push_back(id);
        }
      }
      const bool follow = step.answer == Answer::kTrue;
      run_.tree.push_back(std::move(step));
      if (follow) walk(children, depth + 1);
    }
  }

  // Tasks in their order, then options where the tree leads.
  void choose() {
    const auto eligible = [&](const std::string& id) {
      return std::any_of(run_.tasks.begin(), run_.tasks.end(), [&](const TaskResult& task) {
        return (task.id == id || task.playbook + "/" + task.id == id) &&
               task.state == TaskState::kEligible;
      });
    };
    for (const TaskResult& task : run_.tasks) {
      if (!task.option && task.state == TaskState::kEligible) {
        run_.next = task.id;
        return;
      }
    }
    for (const TreeStep& step : run_.tree) {
      if (step.answer != Answer::kTrue) continue;
      for (const std::string& id : step.leads_to) {
        if (!eligible(id)) continue;
        run_.next = id;
        return;
      }
    }
  }

  const Playbook& playbook_;
  const CheckOptions& options_;
  std::vector<CheckedKernel> kernels_;
  CheckRun run_;
};

}  // namespace

std::string_view to_string(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kPass: return "PASS";
    case CheckVerdict::kFail: return "FAIL";
    case CheckVerdict::kUnknown: return "UNKNOWN";
    case CheckVerdict::kSkipped: return "SKIPPED";
    case CheckVerdict::kConfirmed: return "CONFIRMED";
    case CheckVerdict::kRefuted: return "REFUTED";
  }
  return "";
}

std::string_view to_string(TaskState state) {
  switch (state) {
    case TaskState::kAccepted: return "accepted";
    case TaskState::kNotAccepted: return "not accepted";
    case TaskState::kUndecided: return "undecided";
    case TaskState::kEligible: return "eligible";
    case TaskState::kNotEligible: return "not eligible";
    case TaskState::kUnknown: return "unknown";
    case TaskState::kWaiting: return "waiting";
    case TaskState::kKept: return "kept";
    case TaskState::kReverted: return "reverted";
  }
  return "";
}

CheckVerdict CheckRun::verdict() const {
  if (count_must(CheckVerdict::kFail) > 0) return CheckVerdict::kFail;
  return count_must(CheckVerdict::kUnknown) > 0 ? CheckVerdict::kUnknown : CheckVerdict::kPass;
}

std::size_t CheckRun::count(CheckVerdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(),
                    [&](const CheckResult& check) { return check.verdict == verdict; }));
}

std::size_t CheckRun::count_must(CheckVerdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [&](const CheckResult& check) {
        return check.kind == CheckKind::kMust && check.verdict == verdict;
      }));
}

std::vector<std::string> sanitizers_for(const std::vector<std::string>& change) {
  // As compute-sanitizer's tools are run: what hangs first.
  constexpr std::string_view kOrder[] = {"synccheck", "racecheck", "memcheck", "initcheck"};
  std::set<std::string_view> tools;
  for (const std::string& kind : change) {
    if (kind == "sync" || kind == "structure") tools.insert({"synccheck", "racecheck"});
    if (kind == "memory") tools.insert({"memcheck", "initcheck"});
    if (kind == "shared") tools.insert({"racecheck", "memcheck"});
  }
  std::vector<std::string> ordered;
  for (const std::string_view tool : kOrder) {
    if (tools.contains(tool)) ordered.emplace_back(tool);
  }
  return ordered;
}

TaskResult judge_acceptance(const Playbook& playbook, const PlaybookTask& task,
                            const KernelEvidence& kernel) {
  const CheckOptions options;
  TaskResult result = described(task);
  judge_accepted(task, CheckedKernel(playbook, kernel, options), result);
  return result;
}

Evaluation judge_condition(const Playbook& playbook, const PlaybookExpression& condition,
                           const KernelEvidence& kernel, const CheckOptions& options) {
  return CheckedKernel(playbook, kernel, options).all_hold({condition});
}

CheckRun run_checks(const Playbook& playbook, const std::vector<KernelEvidence>& kernels,
                    const CheckOptions& options) {
  return CheckRunner(playbook, kernels, options).run();
}

}  // namespace proofline
