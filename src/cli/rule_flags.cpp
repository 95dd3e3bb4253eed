// SPDX-License-Identifier: Apache-2.0
#include "cli/rule_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/propagate.h"
#include "base/text.h"
#include "cli/message.h"
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

// Symptoms count: their cause may be another rule's.
template <class Visit>
void each_finding(const std::vector<Finding>& findings, const Visit& visit) {
  for (const Finding& finding : findings) {
    visit(finding);
    each_finding(finding.symptoms, visit);
  }
}

}  // namespace

Result<void> RuleFlags::check() const {
  RETURN_IF_ERROR(check_ids("--select", select));
  RETURN_IF_ERROR(check_ids("--ignore", ignore));
  if (fail_on == std::vector<std::string>{std::string(kAny)}) return {};
  RETURN_IF_ERROR(check_ids("--fail-on", fail_on));
  for (const std::string& id : fail_on) {
    if (looks(id)) continue;
    return fail(ErrorKind::kUsage,
                fmt::format("--fail-on {}: this rule does not look, as --select and --ignore say",
                            quote(id)));
  }
  return {};
}

bool RuleFlags::looks(std::string_view rule) const {
  return (select.empty() || has(select, rule)) && !has(ignore, rule);
}

ExitCode RuleFlags::gate(const Diagnosis& diagnosis) const {
  if (fail_on.empty()) return ExitCode::kDone;
  const bool any = has(fail_on, kAny);
  ExitCode exit = ExitCode::kDone;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    each_finding(kernel.findings, [&](const Finding& finding) {
      // A roof that is reached with nothing else to blame is no fault.
      if (any ? finding.severity == Severity::kInfo : !has(fail_on, finding.id)) return;
      print_message(fmt::format("proofline: --fail-on {}: {}\n", finding.id,
                                escape_terminal(kernel.display_name)));
      exit = ExitCode::kFailed;
    });
  }
  if (exit == ExitCode::kFailed || any) return exit;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    for (const NotEvaluated& unknown : kernel.not_evaluated) {
      if (!has(fail_on, unknown.id)) continue;
      print_message(fmt::format("proofline: --fail-on {}: {} could not be judged: {}\n", unknown.id,
                                escape_terminal(kernel.display_name), unknown.reason));
      exit = ExitCode::kInconclusive;
    }
  }
  return exit;
}

std::shared_ptr<RuleFlags> add_rule_flags(Flags line) {
  auto flags = std::make_shared<RuleFlags>();
  const auto add = [&](const std::string& name, std::vector<std::string>& ids,
                       const std::string& help) {
    line.add(name, ids, help).shown_as("ID,...").separated_by(',').one_at_a_time();
  };
  add("--select", flags->select, "Evaluate only these rules");
  add("--ignore", flags->ignore, "Evaluate all rules but these");
  add("--fail-on", flags->fail_on,
      "Exit with 1 where one of these rules finds something, with 10 where it cannot be judged; "
      "any: whichever rule it is");
  return flags;
}

}  // namespace proofline
