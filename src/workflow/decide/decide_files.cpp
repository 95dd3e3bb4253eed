// SPDX-License-Identifier: Apache-2.0
#include "workflow/decide/decide_files.h"

#include <fmt/format.h>

#include "base/option.h"
#include "base/propagate.h"
#include "diagnosis/decision/decide_explain.h"
#include "workflow/code/report_code.h"
#include "workflow/decide/decide_inputs.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {

Result<Decision> decide_files(const DecidePlan& plan, const InputLimits& limits) {
  if (plan.profile_a.empty() != plan.profile_b.empty()) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} and {} go together", option("profile-a"), option("profile-b")));
  }
  ASSIGN_OR_RETURN(const auto sides, read_sides(plan.files, plan.a, plan.b, limits));
  DecideEvidence evidence;
  Result<ComparedReports> profiles;
  if (!plan.profile_a.empty()) {
    profiles = compare_profile_files(plan.profile_a, plan.profile_b, plan.options.force, limits);
    RETURN_IF_ERROR(profiles);
    evidence.profiles = &profiles->profiles;
  }
  Result<SanitizerRun> sanitizer;
  if (!plan.sanitizer.empty()) {
    sanitizer = read_sanitizer_logs(plan.sanitizer, limits);
    RETURN_IF_ERROR(sanitizer);
    evidence.sanitizer = &*sanitizer;
  }
  Decision decision = decide(sides.a, sides.b, sides.interleaved, plan.options, evidence);
  decision.a_label = sides.a_label;
  decision.b_label = sides.b_label;
  if (evidence.profiles != nullptr) {
    if (const auto code = compare_report_code(profiles->a, profiles->b, limits)) {
      explain_by_code(code->a, code->b, code->comparison, decision);
    }
  }
  return decision;
}

}  // namespace proofline
