// SPDX-License-Identifier: Apache-2.0
#include "proofline/check.h"

#include <utility>

#include "api/access.h"
#include "base/propagate.h"
#include "workflow/check/check_files.h"

namespace proofline {
namespace {

Checked::Verdict verdict_of(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kPass: return Checked::Verdict::kPass;
    case CheckVerdict::kFail: return Checked::Verdict::kFail;
    case CheckVerdict::kUnknown: return Checked::Verdict::kUnknown;
    case CheckVerdict::kSkipped: return Checked::Verdict::kSkipped;
    case CheckVerdict::kConfirmed: return Checked::Verdict::kConfirmed;
    case CheckVerdict::kRefuted: break;
  }
  return Checked::Verdict::kRefuted;
}

Checked::Check summary_of(const CheckResult& result) {
  Checked::Check check{result.id,
                       result.title,
                       result.kernel,
                       result.kind == CheckKind::kMust,
                       verdict_of(result.verdict),
                       result.why,
                       result.fix,
                       {}};
  for (const MissingFact& fact : result.missing) check.missing.push_back(fact.name);
  return check;
}

}  // namespace

std::vector<Checked::Check> Checked::checks() const {
  std::vector<Check> checks;
  for (const CheckResult& result : run_->checks) checks.push_back(summary_of(result));
  return checks;
}

Checked::Verdict Checked::verdict() const {
  if (run_->count_must(CheckVerdict::kFail) > 0) return Verdict::kFail;
  return run_->count_must(CheckVerdict::kUnknown) > 0 ? Verdict::kUnknown : Verdict::kPass;
}

const std::string& Checked::next() const { return run_->next; }
const std::vector<Note>& Checked::notes() const { return run_->notes; }

Result<Checked> check(const std::string& playbook, const CheckInputs& inputs) {
  CheckPlan plan;
  plan.playbook = playbook;
  plan.workload = inputs.workload;
  plan.evidence.files = inputs.files;
  plan.evidence.before = inputs.before;
  plan.evidence.kernel = inputs.kernel;
  ASSIGN_OR_RETURN(auto run, check_files(plan, {}));
  return ApiAccess::make(std::move(run));
}

}  // namespace proofline
