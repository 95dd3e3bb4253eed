// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <utility>

#include "base/propagate.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

void add_bench_inputs(const StepTask& task, Hash& hash) {
  hash.add(task.options.bench.starts);
  hash.add(task.options.bench.time_by);
}

BenchPlan bench_plan(const StepTask& task) {
  BenchPlan plan = task.options.bench;
  plan.run = step_run_options(task);
  plan.starts = static_cast<std::size_t>(
      task.step.number_setting("starts", static_cast<double>(plan.starts)));
  plan.warm_up = static_cast<std::size_t>(
      task.step.number_setting("warm_up", static_cast<double>(plan.warm_up)));
  plan.time_by = task.step.text_setting("time_by", plan.time_by);
  return plan;
}

std::string describe_bench(const StepTask& task, std::vector<std::string> command, Announcer&) {
  return describe_schedule(bench_plan(task), {{"a", std::move(command)}});
}

Result<StepOutcome> run_bench(const StepTask& task, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto command, step_command(task));
  const RunSide side{"a", std::move(command), task.work_folder};
  ASSIGN_OR_RETURN(const auto run, measure_sides(bench_plan(task), {side}, announcer));
  return done_step({run.folder + "/benchmark.json"});
}

}  // namespace

Phase bench_phase() {
  return {.kind = PhaseKind::kBench,
          .per_kernel = false,
          .is_evidence = true,
          .is_dispensable = false,
          .inputs = add_bench_inputs,
          .describe = describe_bench,
          .run = run_bench};
}

}  // namespace proofline
