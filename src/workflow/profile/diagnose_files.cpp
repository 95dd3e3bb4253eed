// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/diagnose_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/diagnose.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "workflow/input_files.h"
#include "workflow/journal/tried_changes.h"
#include "workflow/profile/diagnosed_file.h"
#include "workflow/profile/patterns.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {
namespace {

// `first` is the first of the files, opened: standard input cannot be opened again.
Result<std::vector<Profile>> read_reports(Result<Input> first, InputFiles& files,
                                          const DiagnosePlan& plan, const InputLimits& limits) {
  ReadOptions options = diagnosis_read_options(plan.code);
  options.nvidia_rules = plan.nvidia_rules;
  std::vector<Profile> profiles;
  bool begun = false;
  const auto read = [&](const std::string& path) -> Result<void> {
    auto input = begun ? Input::open(path, limits) : std::move(first);
    begun = true;
    RETURN_IF_ERROR(input);
    ASSIGN_OR_RETURN(const Format* format,
                     identify(*input, {InputKind::kProfile, InputKind::kSanitizerLog}));
    if (!format->offers(InputKind::kProfile)) {
      return fail(ErrorKind::kInput,
                  fmt::format("{} is a sanitizer's log: pass it by itself", quote(path)));
    }
    ASSIGN_OR_RETURN(auto profile, read_profile(*input, options));
    profiles.push_back(std::move(profile));
    return {};
  };
  RETURN_IF_ERROR(read_each(files, read));
  return profiles;
}

// Without this, a name that no kernel has would be ignored silently.
Result<void> check_functions(const std::map<std::string, double>& unique_bytes,
                             std::span<const Profile> profiles) {
  for (const auto& [function, size] : unique_bytes) {
    const auto is_it = [&name = function](const Launch& launch) { return launch.function == name; };
    bool known = false;
    std::string kernels;
    for (const Profile& profile : profiles) {
      known = known || std::any_of(profile.launches.begin(), profile.launches.end(), is_it);
      kernels += known_kernels(profile);
    }
    if (known) continue;
    return fail(
        ErrorKind::kInput,
        fmt::format(
            "{}: no kernel is called {}, without template arguments and parameters; there are:{}",
            option("unique-bytes"), quote(function), kernels));
  }
  return {};
}

void add_tried(const TriedChanges& tried, const KernelDiagnosis& kernel,
               std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    finding.tried = tried.answers(finding.id, kernel.function, kernel.compute_capability);
    add_tried(tried, kernel, finding.symptoms);
  }
}

Result<DiagnosedReports> diagnose_reports(Result<Input> first, InputFiles& files,
                                          const DiagnosePlan& plan, const InputLimits& limits) {
  RETURN_IF_ERROR(plan.rules.check());
  DiagnosedReports result;
  ASSIGN_OR_RETURN(result.profiles, read_reports(std::move(first), files, plan, limits));
  DiagnoseOptions options;
  options.unique_bytes = plan.unique_bytes;
  options.looks = [&plan](std::string_view rule) { return plan.rules.looks(rule); };
  ASSIGN_OR_RETURN(options.launches, select_launches(result.profiles, plan.launches));
  RETURN_IF_ERROR(check_functions(plan.unique_bytes, result.profiles));
  Diagnosis& diagnosis = result.diagnosis;
  diagnosis = diagnose(result.profiles, options);
  diagnosis.notes.insert(diagnosis.notes.begin(), files.notes.begin(), files.notes.end());
  result.gate = plan.rules.gate(diagnosis);
  order_kernels(plan.order, diagnosis.kernels);
  if (!plan.baseline.empty()) {
    ASSIGN_OR_RETURN(const auto baseline, read_diagnosed(plan.baseline, plan.launches.kernel,
                                                         plan.unique_bytes, limits));
    result.since = compare_with(baseline, result.profiles, diagnosis);
  }
  ASSIGN_OR_RETURN(const auto tried, TriedChanges::read(plan.journal));
  for (KernelDiagnosis& kernel : diagnosis.kernels) add_tried(tried, kernel, kernel.findings);
  return result;
}

}  // namespace

Result<DiagnosedFiles> diagnose_files(const DiagnosePlan& plan, const InputLimits& limits) {
  if (std::count(plan.files.begin(), plan.files.end(), "-") > 1) {
    return fail(ErrorKind::kUsage, "standard input (-) can be read only once");
  }
  ASSIGN_OR_RETURN(auto files, find_inputs(plan.files, {InputKind::kProfile}, limits));
  auto first = Input::open(files.paths.front(), limits);
  if (first && identify(*first, {InputKind::kSanitizerLog})) {
    return read_sanitizer_logs(std::move(*first), std::span(files.paths).subspan(1), limits);
  }
  ASSIGN_OR_RETURN(auto reports, diagnose_reports(std::move(first), files, plan, limits));
  return DiagnosedFiles(std::move(reports));
}

}  // namespace proofline
