// SPDX-License-Identifier: Apache-2.0
//
// What several kinds of phases share: the ends of a step, the user's command, and one run of a
// program of the user's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workflow/run/phase.h"
#include "workflow/run/user_program.h"
#include "workflow/run_options.h"

namespace proofline {

StepOutcome skipped_step(std::string reason);
StepOutcome done_step(std::vector<std::string> evidence, std::string reason = "");
StepOutcome wrong_step(std::vector<std::string> evidence, std::string reason);

// The user's command with its program as an absolute path. kInput.
Result<std::vector<std::string>> step_command(const StepTask& task);
// Another command of the user's, in one string. kInput, kUsage.
Result<std::vector<std::string>> step_command(const StepTask& task, const std::string& command);

RunOptions step_run_options(const StepTask& task);

// How the program ended. An error where it could not be started or not be ended.
Result<UserProgramEnd> run_user_program(const StepTask& task, std::vector<std::string> command,
                                        Announcer& announcer);
// An error where it fails: without it nothing that follows has a meaning.
Result<StepOutcome> run_needed_program(const StepTask& task, std::string_view what,
                                       std::vector<std::string> command, Announcer& announcer);

// For Phase::inputs of a kind that depends on nothing more.
void add_no_inputs(const StepTask& task, Hash& hash);

// For Phase::describe.
std::string described_error(const Error& error);
std::string described_flag(const std::string& command, std::string_view flag);
std::string describe_nothing(const StepTask& task, std::vector<std::string> command,
                             Announcer& announcer);

}  // namespace proofline
