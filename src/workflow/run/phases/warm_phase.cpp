// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/propagate.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

std::string describe_warm(const StepTask&, std::vector<std::string> command, Announcer&) {
  return shell_command({}, command) + '\n';
}

Result<StepOutcome> run_warm(const StepTask& task, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto command, step_command(task));
  return run_needed_program(task, "program", std::move(command), announcer);
}

}  // namespace

Phase warm_phase() {
  return {.kind = PhaseKind::kWarm,
          .per_kernel = false,
          .is_evidence = false,
          .is_dispensable = false,
          .inputs = add_no_inputs,
          .describe = describe_warm,
          .run = run_warm};
}

}  // namespace proofline
