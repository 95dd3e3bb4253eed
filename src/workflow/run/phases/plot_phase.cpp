// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "base/propagate.h"
#include "base/text.h"
#include "workflow/bench/plot_files.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

Result<StepOutcome> run_plot(const StepTask& task, Announcer& announcer) {
  if (task.benchmarks.empty()) return skipped_step("nothing was measured yet");
  PlotPlan plan;
  plan.files = task.benchmarks;
  std::error_code error;
  std::filesystem::create_directories(task.folder, error);
  plan.out = task.folder;
  std::size_t written = 0;
  RETURN_IF_ERROR(plot_files(plan, {}, announcer, [&](const std::string&) { ++written; }));
  return done_step({}, plural(written, "chart"));
}

}  // namespace

Phase plot_phase() {
  return {.kind = PhaseKind::kPlot,
          .per_kernel = false,
          .is_evidence = false,
          .is_dispensable = true,
          .inputs = nullptr,
          .describe = describe_nothing,
          .run = run_plot};
}

}  // namespace proofline
