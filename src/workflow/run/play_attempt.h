// SPDX-License-Identifier: Apache-2.0
//
// One change of a play: made by a command in a work tree of its own, built, checked, timed against
// what is kept so far, decided and written to the journal. Or made by the user in place, and then
// tried against the program as it was.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "playbook/check.h"
#include "playbook/playbook.h"
#include "workflow/announcer.h"
#include "workflow/run/play_plan.h"
#include "workflow/run/play_state.h"
#include "workflow/run/work_trees.h"
#include "workflow/try/try_session.h"

namespace proofline {

// With --change: the tree of what is kept, made where it is missing and built.
Result<void> prepare_tree(KeptPlay& kept, WorkTrees& trees, const PlayOptions& options,
                          Announcer& announcer);

// What a play that was killed left open: finds out by the journal how its attempt ended, and where
// it did not, closes it there.
Result<void> settle_open_attempt(KeptPlay& kept, WorkTrees* trees);

// Runs the change command and tries what it made. Whatever is wrong with the change is an attempt
// that failed; errors are those of our own side.
Result<void> attempt_change(const Playbook& playbook, const CheckRun& checks,
                            const std::string& task, const std::string& choice, KeptPlay& kept,
                            WorkTrees& trees, const PlayOptions& options, Announcer& announcer);

// The next setting of the sweep of play.choice, against the workload as it is; what is faster
// becomes the workload. A program that fails with it is an attempt that failed.
Result<void> attempt_setting(const Playbook& playbook, const CheckRun& checks, KeptPlay& kept,
                             const std::string& work_folder, const PlayOptions& options,
                             Announcer& announcer);

// What the user changed in place. Nothing where the program is what it was.
Result<std::optional<TryResult>> attempt_in_place(const Playbook& playbook, const CheckRun& checks,
                                                  const std::string& task, KeptPlay& kept,
                                                  const PlayOptions& options, Announcer& announcer);

// Keeps a copy of the program that was measured, to be timed beside the changed one.
Result<void> keep_program(KeptPlay& kept, const PlayOptions& options);

}  // namespace proofline
