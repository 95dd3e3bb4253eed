// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "tools/sanitizer/sanitizer.h"
#include "workflow/run/phases/step_parts.h"
#include "workflow/sanitize/sanitizer_session.h"

namespace proofline {
namespace {

void add_sanitizer_version(const StepTask&, Hash& hash) {
  if (const auto sanitizer = find_sanitizer()) hash.add(sanitizer->version);
}

SanitizePlan sanitize_plan(const StepTask& task, std::vector<std::string> command) {
  SanitizePlan plan;
  plan.command = std::move(command);
  plan.only = task.step.setting("tools");
  plan.run = step_run_options(task);
  plan.run.time_limit = 0;
  plan.keep_going = !task.options.bench.decide.gate_leaks;
  return plan;
}

std::string describe_sanitize(const StepTask& task, std::vector<std::string> command,
                              Announcer& announcer) {
  return describe_sanitizer_commands(sanitize_plan(task, std::move(command)), announcer);
}

Result<StepOutcome> run_sanitize(const StepTask& task, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto command, step_command(task));
  ASSIGN_OR_RETURN(const auto run, sanitize(sanitize_plan(task, std::move(command)), announcer));
  std::vector<std::string> logs;
  for (const SanitizerToolResult& tool : run.tools) {
    std::error_code ignored;
    if (std::filesystem::exists(tool.log.path, ignored)) logs.push_back(tool.log.path);
  }
  const SanitizerOutcome outcome = run.outcome();
  const bool forgiven = !task.options.bench.decide.gate_leaks && run.has_only_leaks();
  switch (outcome) {
    case SanitizerOutcome::kInterrupted:
      return fail(ErrorKind::kInterrupted, "interrupted while the sanitizer ran");
    case SanitizerOutcome::kFailed:
      return fail(ErrorKind::kTool,
                  fmt::format("compute-sanitizer failed; see {}", quote(run.folder)));
    case SanitizerOutcome::kFindings:
    case SanitizerOutcome::kHang:
      if (forgiven) break;
      return wrong_step(std::move(logs), fmt::format("compute-sanitizer: {}; see {}",
                                                     to_string(outcome), run.folder));
    default: break;
  }
  return done_step(std::move(logs), std::string(to_string(outcome)));
}

}  // namespace

Phase sanitize_phase() {
  return {.kind = PhaseKind::kSanitize,
          .per_kernel = false,
          .is_evidence = true,
          .is_dispensable = false,
          .inputs = add_sanitizer_version,
          .describe = describe_sanitize,
          .run = run_sanitize};
}

}  // namespace proofline
