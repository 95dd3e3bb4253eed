// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>

#include "base/json_file.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "tools/process/run_folder.h"
#include "workflow/profile/diagnosed_file.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

Result<StepOutcome> run_diagnose(const StepTask& task, Announcer&) {
  if (task.reports.empty()) return skipped_step("there is no profile to diagnose");
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(task.folder, step_run_options(task).name));
  std::size_t number = 0;
  std::size_t findings = 0;
  for (const std::string& report : task.reports) {
    ASSIGN_OR_RETURN(const auto file, read_diagnosed(report, "", {}, {}));
    for (const KernelDiagnosis& kernel : file.diagnosis.kernels) {
      findings += kernel.findings.size();
    }
    const auto write = [&](JsonWriter& json) { write_record(file.diagnosis, json); };
    const std::string name = fmt::format("diagnosis-{}.json", ++number);
    RETURN_IF_ERROR(write_json_file(folder.path(name), write));
  }
  RETURN_IF_ERROR(folder.finish("diagnosed"));
  return done_step({}, plural(findings, "finding"));
}

}  // namespace

Phase diagnose_phase() {
  return {.kind = PhaseKind::kDiagnose,
          .per_kernel = false,
          .is_evidence = false,
          .is_dispensable = false,
          .inputs = nullptr,
          .describe = describe_nothing,
          .run = run_diagnose};
}

}  // namespace proofline
