// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

void add_correctness_inputs(const StepTask& task, Hash& hash) {
  hash.add(task.options.request.check);
}

std::string describe_correctness(const StepTask& task, std::vector<std::string>, Announcer&) {
  return described_flag(task.options.request.check, option("check"));
}

Result<StepOutcome> run_correctness(const StepTask& task, Announcer& announcer) {
  const std::string& command = task.options.request.check;
  if (command.empty()) return skipped_step(fmt::format("no {}", option("check")));
  ASSIGN_OR_RETURN(auto words, step_command(task, command));
  const std::vector<std::string>& arguments = task.step.arguments;
  words.insert(words.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(const auto ran, run_user_program(task, std::move(words), announcer));
  if (ran.passed()) return done_step({});
  return wrong_step({}, fmt::format("{} {}; see {}", command, ran.text(), ran.folder));
}

}  // namespace

Phase correctness_phase() {
  return {.kind = PhaseKind::kCorrectness,
          .per_kernel = false,
          .is_evidence = false,
          .is_dispensable = false,
          .inputs = add_correctness_inputs,
          .describe = describe_correctness,
          .run = run_correctness};
}

}  // namespace proofline
