// SPDX-License-Identifier: Apache-2.0
//
// A playbook that is being played: what was done so far, what came of it and what is next. It is
// kept as play.json and replaced whole after each step, so that a killed run continues there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"
#include "model/journal/entries.h"
#include "playbook/check.h"
#include "playbook/phase_kind.h"

namespace proofline {

enum class StepState : std::uint8_t {
  kDone,
  kTaken,    // from an earlier play whose inputs were the same
  kSkipped,  // its condition is false, or nothing was given to do it with
  kFailed,
};
std::string_view to_string(StepState state);

enum class PlayState : std::uint8_t {
  kStarted,
  kStopped,   // by an error or an interrupt
  kMeasured,  // as far as --until said
  kChecked,   // up to the checks
  kWaiting,   // for the change that was chosen
  kFinished,  // nothing is eligible
  kSpent,     // the attempts are
  kOutOfTime,
  kWrong,  // results are wrong, or a sanitizer found something
};
std::string_view to_string(PlayState state);  // "out-of-time"

// One phase, on one kernel and one case.
struct PlayedStep {
  std::string id;  // "profile-w1": also in the name of its folder
  PhaseKind does = PhaseKind::kPreflight;
  std::string in_case;
  StepState state = StepState::kDone;
  std::string reason;  // of what is not done, or what is to be said of it
  double seconds = 0;
  std::string inputs;                 // a hash; "" it is done each time
  std::vector<std::string> evidence;  // files, from the play's folder on
};

// One change that was tried.
struct PlayedAttempt {
  std::uint64_t number = 0;
  std::string task;
  AttemptState state = AttemptState::kOpen;
  std::string reason;                     // of its end
  std::string commit;                     // what the change is; "" none was made
  std::vector<std::string> setting = {};  // of a sweep: what the workload is with it, KEY=VALUE

  std::string setting_text() const;  // all of it in one; "" none
};

// What the user wants, kept so that it need not be said again.
struct PlayRequest {
  std::vector<std::string> command;   // CMD
  std::vector<std::string> workload;  // KEY=VALUE
  std::string build;
  std::string check;
  std::string change;
  std::string kernel;
  std::string journal;
  std::vector<std::string> skipped;  // ID=REASON, tasks that are not wanted
};

struct Play {
  std::string folder;  // not kept: where it is kept
  std::string name;    // "20261117T101500Z-moe-evidence"
  std::string playbook;
  PlayRequest request;
  PlayState outcome = PlayState::kStarted;
  std::string choice;              // the task that comes next; "" none
  std::vector<std::string> sweep;  // settings of its sweep that are still to be tried
  std::string program;             // a copy of the program as it was measured; "" none
  std::string base;                // with --change: the commit of what is kept so far
  std::string tree;                // with --change: where that is checked out
  std::vector<PlayedStep> steps;
  std::vector<PlayedAttempt> attempts;

  const PlayedStep* find_step(std::string_view id) const;
};

Record describe(const Play*);
Record describe(const PlayedAttempt*);

// The task to try now, for the command that makes the change: choice.json.
struct PlayChoice {
  std::string play;
  std::string playbook;
  std::vector<std::string> command;
  std::optional<TaskResult> task;
  std::string why;
  std::string hypothesis;
  std::vector<LockedKernel> kernels;
  std::vector<CheckResult> failing;
  std::vector<PlayedAttempt> attempts;
};

// What is told in the end.
struct PlayResult {
  Play play;
  std::optional<CheckRun> checks;    // nothing: it did not come to that
  std::vector<std::string> written;  // deliverables
  std::string headline;              // "waiting for task pad", "nothing is left to try"
};

}  // namespace proofline
