// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/check_files.h"

#include <fmt/format.h>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "workflow/check/playbook_text.h"
#include "workflow/journal/tried_changes.h"

namespace proofline {
namespace {

// Without this, an id that is misspelt would pass a gate.
Result<void> require_checks(const CheckPlan& plan, const Playbook& playbook) {
  for (const std::string& id : plan.only) {
    if (playbook.find_check(id) != nullptr || id.ends_with("/lock")) continue;
    return fail(
        ErrorKind::kUsage,
        fmt::format("{}: there is no check {}; 'proofline check {} --print' shows the playbook",
                    option("only"), quote(id), plan.playbook));
  }
  return {};
}

}  // namespace

Result<CheckRun> check_files(const CheckPlan& plan, const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto linted, find_linted_playbook(plan.playbook, plan.workload, limits));
  if (!linted.ok()) return fail(ErrorKind::kUsage, first_error(linted));
  const Playbook& playbook = linted.playbook;
  if (plan.evidence.files.empty()) {
    return fail(ErrorKind::kUsage,
                fmt::format("no evidence to check: name reports, code, benchmarks or logs after "
                            "the playbook ({} needs none)",
                            option("lint")));
  }
  RETURN_IF_ERROR(require_checks(plan, playbook));
  ASSIGN_OR_RETURN(const auto evidence, GatheredEvidence::gather(playbook, plan.evidence, limits));
  CheckOptions options;
  options.only = plan.only;
  options.paired = evidence.has_before();
  ASSIGN_OR_RETURN(const auto tried, TriedChanges::read(plan.journal));
  if (!evidence.kernels().empty()) {
    const LockedKernel& kernel = evidence.kernels().front().locked;
    options.tried = [&tried, &playbook, &kernel](const std::string& id) {
      return tried.item(playbook.id, id, kernel.name, kernel.cc);
    };
    tried.count(kernel.name, kernel.cc, options);
  }
  CheckRun result = run_checks(playbook, evidence.kernels(), options);
  result.sources = evidence.sources();
  result.notes = evidence.notes();
  return result;
}

}  // namespace proofline
