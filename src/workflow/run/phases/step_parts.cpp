// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/phases/step_parts.h"

#include <fmt/format.h>

#include <utility>

#include "base/propagate.h"
#include "base/split_command.h"
#include "base/text.h"

namespace proofline {

StepOutcome skipped_step(std::string reason) {
  StepOutcome end;
  end.state = StepState::kSkipped;
  end.reason = std::move(reason);
  return end;
}

StepOutcome done_step(std::vector<std::string> evidence, std::string reason) {
  StepOutcome end;
  end.evidence = std::move(evidence);
  end.reason = std::move(reason);
  return end;
}

StepOutcome wrong_step(std::vector<std::string> evidence, std::string reason) {
  StepOutcome end = done_step(std::move(evidence), std::move(reason));
  end.state = StepState::kFailed;
  end.wrong = true;
  return end;
}

Result<std::vector<std::string>> step_command(const StepTask& task) {
  return user_command(task.step.command, task.work_folder);
}

Result<std::vector<std::string>> step_command(const StepTask& task, const std::string& command) {
  ASSIGN_OR_RETURN(auto words, split_command(command));
  return user_command(std::move(words), task.work_folder);
}

RunOptions step_run_options(const StepTask& task) {
  RunOptions run = task.options.bench.run;
  run.runs = task.folder;
  run.name = to_string(task.step.does);
  run.folder = task.work_folder;
  run.time_limit = task.time_limit;
  return run;
}

Result<UserProgramEnd> run_user_program(const StepTask& task, std::vector<std::string> command,
                                        Announcer& announcer) {
  const std::string progress = fmt::format("running {}", command.front());
  ASSIGN_OR_RETURN(auto ran, run_once({std::string(to_string(task.step.does)), std::move(command),
                                       "", task.work_folder, task.folder, progress},
                                      step_run_options(task), announcer));
  if (ran.trouble) return tl::make_unexpected(*ran.trouble);
  return ran;
}

Result<StepOutcome> run_needed_program(const StepTask& task, std::string_view what,
                                       std::vector<std::string> command, Announcer& announcer) {
  ASSIGN_OR_RETURN(const auto ran, run_user_program(task, std::move(command), announcer));
  if (ran.passed()) return done_step({});
  return fail(
      ran.end.ending == Ending::kTimeLimit ? ErrorKind::kTimeLimit : ErrorKind::kTool,
      fmt::format("the {} {}; what it printed is in {}", what, ran.text(), quote(ran.folder)));
}

void add_no_inputs(const StepTask&, Hash&) {}

std::string described_error(const Error& error) { return fmt::format("# {}\n", error.message); }

std::string described_flag(const std::string& command, std::string_view flag) {
  return command.empty() ? fmt::format("# left out: no {}\n", flag) : command + '\n';
}

std::string describe_nothing(const StepTask&, std::vector<std::string>, Announcer&) {
  return "# runs nothing\n";
}

}  // namespace proofline
