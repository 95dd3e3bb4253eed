// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

std::string describe_build(const StepTask& task, std::vector<std::string>, Announcer&) {
  return described_flag(task.options.request.build, option("build"));
}

Result<StepOutcome> run_build(const StepTask& task, Announcer& announcer) {
  const std::string& command = task.options.request.build;
  if (command.empty()) return skipped_step(fmt::format("no {}", option("build")));
  ASSIGN_OR_RETURN(auto words, step_command(task, command));
  return run_needed_program(task, "build", std::move(words), announcer);
}

}  // namespace

Phase build_phase() {
  return {.kind = PhaseKind::kBuild,
          .per_kernel = false,
          .is_evidence = false,
          .is_dispensable = false,
          .inputs = nullptr,
          .describe = describe_build,
          .run = run_build};
}

}  // namespace proofline
