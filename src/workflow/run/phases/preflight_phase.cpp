// SPDX-License-Identifier: Apache-2.0
#include "base/json_file.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "tools/process/run_folder.h"
#include "workflow/machine/doctor.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

std::string describe_preflight(const StepTask&, std::vector<std::string>, Announcer&) {
  return "# what doctor does\n";
}

Result<StepOutcome> run_preflight(const StepTask& task, Announcer& announcer) {
  DoctorPlan plan;
  plan.run = step_run_options(task);
  ASSIGN_OR_RETURN(const auto examined, examine(plan, announcer));
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(task.folder, plan.run.name));
  const auto write = [&](JsonWriter& json) { write_record(examined, json); };
  RETURN_IF_ERROR(write_json_file(folder.path("doctor.json"), write));
  ASSIGN_OR_RETURN(const auto kept, folder.finish(to_string(examined.readiness)));
  return done_step({kept + "/doctor.json"}, examined.headline);
}

}  // namespace

Phase preflight_phase() {
  return {.kind = PhaseKind::kPreflight,
          .per_kernel = false,
          .is_evidence = true,
          .is_dispensable = true,
          .inputs = add_no_inputs,
          .describe = describe_preflight,
          .run = run_preflight};
}

}  // namespace proofline
