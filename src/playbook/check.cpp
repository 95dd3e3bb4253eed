// SPDX-License-Identifier: Apache-2.0
#include "playbook/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "playbook/expression_types.h"
#include "vocabulary/levels.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

CheckVerdict verdict_of(CheckKind kind, Answer answer) {
  const bool hypothesis = kind == CheckKind::kHypothesis;
  switch (answer) {
    case Answer::kTrue: return hypothesis ? CheckVerdict::kConfirmed : CheckVerdict::kPass;
    case Answer::kFalse: return hypothesis ? CheckVerdict::kRefuted : CheckVerdict::kFail;
    case Answer::kUnknown: break;
  }
  return CheckVerdict::kUnknown;
}

Answer answer_of(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kPass:
    case CheckVerdict::kConfirmed: return Answer::kTrue;
    case CheckVerdict::kFail:
    case CheckVerdict::kRefuted: return Answer::kFalse;
    case CheckVerdict::kUnknown:
    case CheckVerdict::kSkipped: break;
  }
  return Answer::kUnknown;
}

// Evidence of one kernel in which plain facts are those of a case.
class CaseSource final : public FactSource {
 public:
  CaseSource(const FactSource& inner, std::string id) : inner_(inner), id_(std::move(id)) {}

  FactAnswer fact(const EvidenceSide& side, const std::string& name) const override {
    return inner_.fact(of(side), name);
  }
  LogicAnswer pattern(const EvidenceSide& side, const std::string& text,
                      bool forbid) const override {
    return inner_.pattern(of(side), text, forbid);
  }
  FactAnswer code(const EvidenceSide& side, const std::string& term) const override {
    return inner_.code(of(side), term);
  }
  LogicAnswer found(const EvidenceSide& side, const std::string& rule) const override {
    return inner_.found(of(side), rule);
  }
  LogicAnswer check(const std::string& id) const override { return inner_.check(id); }
  FactAnswer journal(std::string_view what, const std::string& id) const override {
    return inner_.journal(what, id);
  }
  const SmLimits* limits(const EvidenceSide& side) const override {
    return inner_.limits(of(side));
  }

 private:
  EvidenceSide of(const EvidenceSide& side) const {
    if (id_.empty() || side.kind != EvidenceSide::Kind::kAfter) return side;
    return {EvidenceSide::Kind::kCase, id_};
  }

  const FactSource& inner_;
  std::string id_;
};

// A kernel's evidence, in which checks know each other's answers.
class CheckedKernel final : public FactSource {
 public:
  CheckedKernel(const Playbook& playbook, const KernelEvidence& kernel, const CheckOptions& options)
      : playbook_(playbook), kernel_(kernel), options_(options) {}

  const LockedKernel& locked() const { return kernel_.locked; }

  FactAnswer fact(const EvidenceSide& side, const std::string& name) const override {
    return kernel_.facts->fact(side, name);
  }
  LogicAnswer pattern(const EvidenceSide& side, const std::string& text,
                      bool forbid) const override {
    return kernel_.facts->pattern(side, text, forbid);
  }
  FactAnswer code(const EvidenceSide& side, const std::string& term) const override {
    return kernel_.facts->code(side, term);
  }
  LogicAnswer found(const EvidenceSide& side, const std::string& rule) const override {
    return kernel_.facts->found(side, rule);
  }
  const SmLimits* limits(const EvidenceSide& side) const override {
    return kernel_.facts->limits(side);
  }

  LogicAnswer check(const std::string& id) const override {
    if (id.ends_with("/lock")) {
      for (const KernelLock& lock : playbook_.kernels) {
        if (id == lock.id + "/lock" && lock.id == kernel_.locked.lock)
          return said(lock_check(lock));
      }
    }
    const PlaybookCheck* check = playbook_.find_check(id);
    if (check == nullptr) return {Answer::kUnknown, "", {id, "there is no such check", ""}};
    return said(judge(*check, check->in_case));
  }

  FactAnswer journal(std::string_view what, const std::string& id) const override {
    const auto tried = options_.tried ? options_.tried(id) : std::nullopt;
    for (const KnownChange& known : playbook_.known) {
      if (known.id != id || tried) continue;
      if (what == "tried") return {true, "", {}};
      if (what == "kept") return {known.state == "kept", "", {}};
      if (what == "reverted") return {known.state != "kept", "", {}};
    }
    if (what == "tried") return {tried.has_value(), "", {}};
    if (what == "kept") return {tried && tried->kept, "", {}};
    if (what == "reverted") return {tried && !tried->kept, "", {}};
    return kernel_.facts->journal(what, id);
  }

  CheckResult judge(const PlaybookCheck& check, const std::string& in_case) const {
    const std::string key = check.playbook + "/" + check.id + " " + in_case;
    if (const auto known = judged_.find(key); known != judged_.end()) return known->second;
    CheckResult result;
    result.id = check.id;
    result.playbook = check.playbook;
    result.title = check.title;
    result.kind = check.kind;
    result.kernel = kernel_.locked.lock;
    result.in_case = in_case;
    result.expression = check.expr.text();
    result.why = check.why;
    result.fix = check.fix;
    result.ours = check.ours;
    const CaseSource source(*this, in_case);
    if (check.when) {
      const Evaluation when = evaluate_logic(check.when->expression, playbook_.lets, source);
      if (when.answer != Answer::kTrue) {
        const bool no = when.answer == Answer::kFalse;
        result.verdict = no ? CheckVerdict::kSkipped : CheckVerdict::kUnknown;
        result.readings = when.readings;
        result.missing = when.missing;
        if (no) result.skipped = check.when->text();
        judged_[key] = result;
        return result;
      }
    }
    Evaluation judged = evaluate_logic(check.expr.expression, playbook_.lets, source);
    result.verdict = verdict_of(check.kind, judged.answer);
    result.readings = std::move(judged.readings);
    result.missing = std::move(judged.missing);
    if (!check.capture.empty()) {
      for (MissingFact& missing : result.missing) missing.command = check.capture;
    }
    judged_[key] = result;
    return result;
  }

  // What the lock says of the code.
  CheckResult lock_check(const KernelLock& lock) const {
    CheckResult result;
    result.id = lock.id + "/lock";
    result.playbook = lock.playbook;
    result.kernel = lock.id;
    result.why = lock.why;
    Answer all = Answer::kTrue;
    const auto add = [&](const std::vector<std::string>& patterns, bool forbid) {
      for (const std::string& text : patterns) {
        const LogicAnswer one = pattern({}, text, forbid);
        all = std::min(all, one.answer);
        if (one.answer == Answer::kUnknown) {
          result.missing.push_back(one.missing);
        } else {
          Reading reading;
          reading.what = fmt::format("{}(\"{}\")", forbid ? "forbid" : "expect", text);
          reading.text = one.text;
          reading.answer = one.answer;
          result.readings.push_back(std::move(reading));
        }
      }
    };
    add(lock.expect, false);
    add(lock.forbid, true);
    result.verdict = verdict_of(CheckKind::kMust, all);
    return result;
  }

 private:
  static LogicAnswer said(const CheckResult& result) {
    LogicAnswer answer;
    answer.answer = answer_of(result.verdict);
    answer.text = fmt::format("{} {}", result.id, to_string(result.verdict));
    if (answer.answer == Answer::kUnknown) {
      answer.missing = {fmt::format("check[{}]", result.id),
                        fmt::format("check {} is {}", result.id, to_string(result.verdict)), ""};
      if (!result.missing.empty()) answer.missing = result.missing.front();
    }
    return answer;
  }

  const Playbook& playbook_;
  const KernelEvidence& kernel_;
  const CheckOptions& options_;
  mutable std::map<std::string, CheckResult> judged_;
};

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
      fill_deliverables();
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

  // The least answer of all expressions, with the readings of those that gave it.
  Evaluation all_hold(const std::vector<PlaybookExpression>& expressions,
                      const FactSource& source) const {
    Evaluation all;
    all.answer = Answer::kTrue;
    for (const PlaybookExpression& one : expressions) {
      Evaluation judged = evaluate_logic(one.expression, playbook_.lets, source);
      all.answer = std::min(all.answer, judged.answer);
      std::move(judged.readings.begin(), judged.readings.end(), std::back_inserter(all.readings));
      std::move(judged.missing.begin(), judged.missing.end(), std::back_inserter(all.missing));
    }
    return all;
  }

  // Tasks are about the first kernel: the lock in file order.
  TaskResult judge(const PlaybookTask& task) {
    const CheckedKernel& kernel = kernels_.front();
    TaskResult result;
    result.id = task.id;
    result.playbook = task.playbook;
    result.title = task.title;
    result.option = task.option;
    result.change = task.change;
    result.sanitizers = sanitizers_for(task.change);
    result.steps = task.steps;
    result.expect = task.expect;
    if (const auto tried = options_.tried ? options_.tried(task.id) : std::nullopt) {
      result.state = tried->kept ? TaskState::kKept : TaskState::kReverted;
      result.reason = tried->text;
      return result;
    }
    if (const KnownChange* known = told(task)) {
      result.state = known->state == "kept" ? TaskState::kKept : TaskState::kReverted;
      result.reason = fmt::format("told, not measured: {}{} ({})", known->what,
                                  known->gain.empty() ? "" : ", " + known->gain, known->source);
      return result;
    }
    if (options_.paired && !task.accept.empty()) {
      Evaluation accepted = all_hold(task.accept, kernel);
      result.state = accepted.answer == Answer::kTrue    ? TaskState::kAccepted
                     : accepted.answer == Answer::kFalse ? TaskState::kNotAccepted
                                                         : TaskState::kUndecided;
      result.readings = std::move(accepted.readings);
      result.missing = std::move(accepted.missing);
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
    std::vector<PlaybookExpression> conditions = task.legal;
    if (task.when) conditions.insert(conditions.begin(), *task.when);
    Evaluation eligible = all_hold(conditions, kernel);
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

  // --- deliverables ---

  static void add_row(std::string label, const FactSource& source, const std::string& fact,
                      std::vector<FieldResult>& rows) {
    const FactAnswer answer = source.fact({}, fact);
    if (answer.value) rows.push_back({std::move(label), answer.value, answer.unit, {}});
  }

  static std::string text_of(const FactSource& source, const std::string& fact) {
    const FactAnswer answer = source.fact({}, fact);
    const auto* text = answer.value ? std::get_if<std::string>(&*answer.value) : nullptr;
    return text != nullptr ? *text : "";
  }

  // The rows of a table that is made of facts; checks, options and the like stand in the result
  // itself.
  static std::vector<FieldResult> rows_of(std::string_view table, const FactSource& source) {
    constexpr int kMostRows = 10;
    constexpr double kLeastShare = 0.0005;  // less prints as nothing
    std::vector<FieldResult> rows;
    if (table == "stalls") {
      for (const StallReason& reason : stall_reasons()) {
        add_row(std::string(reason.name), source, fmt::format("stall.{}.share", reason.name), rows);
      }
    } else if (table == "pipes") {
      for (const Level& level : levels()) {
        add_row(std::string(level.name), source, share_fact(level.name), rows);
      }
    } else if (table == "hot" || table == "lanes") {
      const std::string_view share = table == "hot" ? "share" : "lost.share";
      for (int i = 0; i < kMostRows; ++i) {
        const std::string name = fmt::format("{}.line[{}]", table, i);
        add_row(text_of(source, name + ".place"), source, fmt::format("{}.{}", name, share), rows);
      }
    }
    if (table != "stalls" && table != "pipes") return rows;
    const auto number = [](const FieldResult& row) { return std::get<double>(*row.value); };
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](const FieldResult& row) { return number(row) < kLeastShare; }),
               rows.end());
    std::stable_sort(rows.begin(), rows.end(), [&](const FieldResult& a, const FieldResult& b) {
      return number(a) > number(b);
    });
    return rows;
  }

  void fill_deliverables() {
    for (const PlaybookDeliverable& one : playbook_.deliverables) {
      const std::size_t count = one.each == "kernel" ? kernels_.size() : 1;
      for (std::size_t i = 0; i < count; ++i) {
        DeliverableResult result;
        result.id = one.id;
        result.title = one.title;
        if (one.each == "kernel") result.kernel = kernels_[i].locked().lock;
        for (const DeliverablePart& part : one.parts) {
          DeliverableResult::Part filled{part.text, rows_of(part.table, kernels_[i]), part.table};
          for (const DeliverablePart::Field& field : part.fields) {
            EvaluatedValue value =
                evaluate_value(field.expr.expression, playbook_.lets, kernels_[i]);
            filled.fields.push_back(
                {field.label, std::move(value.value), value.unit, std::move(value.missing)});
          }
          result.parts.push_back(std::move(filled));
        }
        run_.deliverables.push_back(std::move(result));
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

CheckRun run_checks(const Playbook& playbook, const std::vector<KernelEvidence>& kernels,
                    const CheckOptions& options) {
  return CheckRunner(playbook, kernels, options).run();
}

}  // namespace proofline
