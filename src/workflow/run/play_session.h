// SPDX-License-Identifier: Apache-2.0
//
// `run`: a playbook played from its first phase to the choice of the next task, and on: measured,
// judged, chosen, tried, until nothing is left to try or the budget is spent. Each step is on the
// disk before the next one begins.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "model/measurement/decision.h"
#include "playbook/play.h"
#include "workflow/announcer.h"
#include "workflow/run/play_plan.h"

namespace proofline {

struct PlayOutcome {
  PlayResult result;
  std::optional<Decision> decision;  // of the change that was tried in place
};

// The playbook is a shipped id or a file; a stranger's file needs `trust`.
Result<PlayOutcome> begin_play(const std::string& playbook, const PlayOptions& options, bool trust,
                               Announcer& announcer);

// Goes on with the play in this folder, "" the latest. What the options do not say is as it was.
Result<PlayOutcome> resume_play(const std::string& folder, const PlayOptions& options,
                                Announcer& announcer);

// The commands that would be run, in their order, one a line.
Result<std::string> describe_play(const std::string& playbook, const PlayOptions& options,
                                  Announcer& announcer);

}  // namespace proofline
