// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/rule_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "rules/rule.h"

namespace proofline {
namespace {

constexpr std::string_view kAny = "any";

bool has(const std::vector<std::string>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Result<void> check_ids(std::string_view flag, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    if (find_rule(id) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Rule& rule : rules()) known.push_back(rule.id);
    const auto near = nearest(id, known, 1);
    return fail(ErrorKind::kUsage,
                fmt::format("{}: no rule is called {}{}", flag, quote(id),
                            near.empty() ? "; 'proofline list rules' has them"
                                         : fmt::format("; did you mean {}?", near.front())));
  }
  return {};
}

// A symptom counts too: the rule that subsumes it may not be in the gate.
template <class Visit>
void each_finding(const std::vector<Finding>& findings, const Visit& visit) {
  for (const Finding& finding : findings) {
    visit(finding);
    each_finding(finding.symptoms, visit);
  }
}

}  // namespace

Result<void> RuleChoice::check() const {
  RETURN_IF_ERROR(check_ids(option("select"), select));
  RETURN_IF_ERROR(check_ids(option("ignore"), ignore));
  if (fail_on == std::vector<std::string>{std::string(kAny)}) return {};
  RETURN_IF_ERROR(check_ids(option("fail-on"), fail_on));
  for (const std::string& id : fail_on) {
    if (looks(id)) continue;
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: this rule does not look, as {} and {} say", option("fail-on"),
                            quote(id), option("select"), option("ignore")));
  }
  return {};
}

bool RuleChoice::looks(std::string_view rule) const {
  return (select.empty() || has(select, rule)) && !has(ignore, rule);
}

std::vector<GateAnswer> RuleChoice::gate(const Diagnosis& diagnosis) const {
  std::vector<GateAnswer> answers;
  if (fail_on.empty()) return answers;
  const bool any = has(fail_on, kAny);
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    each_finding(kernel.findings, [&](const Finding& finding) {
      // A roof that is reached with nothing else to blame is no fault.
      if (any ? finding.severity == Severity::kInfo : !has(fail_on, finding.id)) return;
      answers.push_back({finding.id, kernel.display_name, ""});
    });
  }
  if (!answers.empty() || any) return answers;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    for (const NotEvaluated& unknown : kernel.not_evaluated) {
      if (!has(fail_on, unknown.id)) continue;
      answers.push_back({unknown.id, kernel.display_name, unknown.reason});
    }
  }
  return answers;
}

}  // namespace proofline
