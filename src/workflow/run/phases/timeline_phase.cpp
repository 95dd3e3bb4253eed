// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "workflow/run/phases/step_parts.h"
#include "workflow/trace/trace_run.h"

namespace proofline {
namespace {

TracePlan trace_plan(const StepTask& task, std::vector<std::string> command) {
  TracePlan plan;
  plan.program = std::move(command);
  plan.delay = task.step.number_setting("delay", 0);
  plan.duration = task.step.number_setting("duration", 0);
  plan.run = step_run_options(task);
  return plan;
}

std::string describe_timeline(const StepTask& task, std::vector<std::string> command, Announcer&) {
  return describe_trace(trace_plan(task, std::move(command))).value_or("# no recorder\n");
}

Result<StepOutcome> run_timeline(const StepTask& task, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto command, step_command(task));
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(const auto run, trace_program(trace_plan(task, std::move(command)), announcer));
  return done_step({run.recorded}, run.diagnosis.verdict.headline);
}

}  // namespace

Phase timeline_phase() {
  return {.kind = PhaseKind::kTimeline,
          .per_kernel = false,
          .is_evidence = true,
          .is_dispensable = true,
          .inputs = add_no_inputs,
          .describe = describe_timeline,
          .run = run_timeline};
}

}  // namespace proofline
