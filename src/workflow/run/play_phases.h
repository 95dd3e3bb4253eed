// SPDX-License-Identifier: Apache-2.0
//
// What each kind of phase does: a call of the workflow that the command of that name makes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "playbook/play.h"
#include "playbook/playbook.h"
#include "workflow/announcer.h"
#include "workflow/run/play_plan.h"

namespace proofline {

// What a step is done with.
struct StepTask {
  const Playbook* playbook = nullptr;
  const PlayOptions* options = nullptr;
  const PlayStep* step = nullptr;
  std::string folder;                   // for its files; made where something is written
  std::string work_folder;              // where the program runs; "" here
  std::string revision;                 // tells the program from those before it; "" its file does
  std::vector<std::string> reports;     // profiles so far
  std::vector<std::string> benchmarks;  // results so far
  double time_limit = 0;                // seconds for one run of the program
};

struct StepEndState {
  StepState state = StepState::kDone;
  std::string reason;
  std::vector<std::string> evidence;  // files, absolute
  bool wrong = false;  // results are wrong or a sanitizer found something: nothing may follow
};

// A hash of all that its result depends on: the request, the command and the files it names, tools
// and GPU; "" of what is done each time.
std::string step_inputs(const StepTask& task);

Result<StepEndState> do_step(const StepTask& task, Announcer& announcer);

// The commands that it would run, one a line.
std::string describe_step(const StepTask& task, Announcer& announcer);

}  // namespace proofline
