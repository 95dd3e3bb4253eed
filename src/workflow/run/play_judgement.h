// SPDX-License-Identifier: Apache-2.0
//
// What the evidence of a play says: checks, the task that comes next, conditions of phases, and
// what the playbook wants to have written down.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "playbook/check.h"
#include "playbook/playbook.h"
#include "workflow/run/play_plan.h"
#include "workflow/run/play_state.h"
#include "workflow/run/play_sweep.h"

namespace proofline {

struct JudgedPlay {
  CheckRun checks;
  bool chooses = true;  // false: of the playbook's conditions for choosing a task none holds
};

// All checks over all evidence so far; tasks that were tried, told or skipped are not eligible.
// Writes check.json.
Result<JudgedPlay> judge_play(const Playbook& playbook, const KeptPlay& kept);

// False: the condition of a phase is false. What is UNKNOWN is rather measured than not.
Result<bool> is_wanted(const Playbook& playbook, const PlaybookExpression& when,
                       const KeptPlay& kept);

// The task to try now: the one that was asked for, else that of the checks, else "". kUsage where
// there is no such task.
Result<std::string> choose_task(const Playbook& playbook, const CheckRun& checks, bool chooses,
                                const std::string& asked);

// Of the settings those that the task says are legal, by the evidence so far.
Result<std::vector<SweepSetting>> legal_settings(const Playbook& playbook, const PlaybookTask& task,
                                                 std::vector<SweepSetting> settings,
                                                 const KeptPlay& kept);

// choice.json: the task with its evidence, what must hold, and what was tried so far.
Result<std::string> write_choice(const Playbook& playbook, const CheckRun& checks,
                                 const KeptPlay& kept, const std::string& task);

// Each deliverable as a file of the play, and all checks as check.md. Their paths.
Result<std::vector<std::string>> write_deliverables(const Playbook& playbook,
                                                    const CheckRun& checks, const KeptPlay& kept);

}  // namespace proofline
