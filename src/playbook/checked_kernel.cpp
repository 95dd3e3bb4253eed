// SPDX-License-Identifier: Apache-2.0
#include "playbook/checked_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

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
  FactAnswer journal(JournalQuestion question, const std::string& task) const override {
    return inner_.journal(question, task);
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

LogicAnswer said(const CheckResult& result) {
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

}  // namespace

FactAnswer CheckedKernel::fact(const EvidenceSide& side, const std::string& name) const {
  if (name == "journal.attempts" && options_.attempts) return {*options_.attempts, "", {}};
  if (name == "journal.minutes" && options_.minutes) return {*options_.minutes, "", {}};
  return kernel_.facts->fact(side, name);
}
LogicAnswer CheckedKernel::pattern(const EvidenceSide& side, const std::string& text,
                                   bool forbid) const {
  return kernel_.facts->pattern(side, text, forbid);
}
FactAnswer CheckedKernel::code(const EvidenceSide& side, const std::string& term) const {
  return kernel_.facts->code(side, term);
}
LogicAnswer CheckedKernel::found(const EvidenceSide& side, const std::string& rule) const {
  return kernel_.facts->found(side, rule);
}
const SmLimits* CheckedKernel::limits(const EvidenceSide& side) const {
  return kernel_.facts->limits(side);
}

LogicAnswer CheckedKernel::check(const std::string& id) const {
  if (id.ends_with("/lock")) {
    for (const KernelLock& lock : playbook_.kernels) {
      if (id == lock.id + "/lock" && lock.id == kernel_.locked.lock) return said(lock_check(lock));
    }
  }
  const PlaybookCheck* check = playbook_.find_check(id);
  if (check == nullptr) return {Answer::kUnknown, "", {id, "there is no such check", ""}};
  return said(judge(*check, check->in_case));
}

FactAnswer CheckedKernel::journal(JournalQuestion question, const std::string& task) const {
  auto tried = options_.tried ? options_.tried(task) : std::nullopt;
  // A change that the playbook calls known counts as tried where the journal has no attempt of it.
  for (const KnownChange& known : playbook_.known) {
    if (!tried && known.id == task) tried = {.kept = known.state == "kept", .text = {}};
  }
  switch (question) {
    case JournalQuestion::kTried: return {tried.has_value(), "", {}};
    case JournalQuestion::kKept: return {tried && tried->kept, "", {}};
    case JournalQuestion::kReverted: return {tried && !tried->kept, "", {}};
    case JournalQuestion::kGain: break;
  }
  if (tried && tried->gain) return {*tried->gain, "share", {}};
  return kernel_.facts->journal(question, task);
}

CheckResult CheckedKernel::judge(const PlaybookCheck& check, const std::string& in_case) const {
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

CheckResult CheckedKernel::lock_check(const KernelLock& lock) const {
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

Evaluation CheckedKernel::all_hold(const std::vector<PlaybookExpression>& expressions) const {
  Evaluation all;
  all.answer = Answer::kTrue;
  for (const PlaybookExpression& one : expressions) {
    Evaluation judged = evaluate_logic(one.expression, playbook_.lets, *this);
    all.answer = std::min(all.answer, judged.answer);
    std::move(judged.readings.begin(), judged.readings.end(), std::back_inserter(all.readings));
    std::move(judged.missing.begin(), judged.missing.end(), std::back_inserter(all.missing));
  }
  return all;
}

}  // namespace proofline
