// SPDX-License-Identifier: Apache-2.0
//
// What each kind of phase does when a playbook is played. A kind that measures is one file
// phases/<name>_phase.cpp with `Phase <name>_phase()`, a call of the workflow that the command of
// that name makes; the list is made from the folder and does not compile while one of PhaseKind has
// no file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "playbook/phase_kind.h"
#include "playbook/play.h"
#include "playbook/playbook.h"
#include "workflow/announcer.h"
#include "workflow/run/play_plan.h"

namespace proofline {

// One step of a play and what it is done with.
struct StepTask {
  const Playbook& playbook;
  const PlayOptions& options;
  const PlayStep& step;
  std::string folder;            // for its files; made where something is written
  std::string work_folder = {};  // where the program runs; "" here
  std::string revision = {};     // tells the program from those before it; "" its file does
  std::vector<std::string> reports = {};     // profiles so far
  std::vector<std::string> benchmarks = {};  // results so far
  double time_limit = 0;                     // seconds for one run of the program
};

struct StepOutcome {
  StepState state = StepState::kDone;
  std::string reason;
  std::vector<std::string> evidence;  // files, absolute
  bool wrong = false;  // results are wrong or a sanitizer found something: nothing may follow
};

struct Phase {
  PhaseKind kind;
  bool per_kernel;      // one step for each kernel of the playbook
  bool is_evidence;     // `check` reads its files
  bool is_dispensable;  // the play goes on where it fails
  // Adds what the result depends on besides the command, the settings and the GPU, which all
  // depend on. Null: the step is cheap or writes nothing to keep, and is done each time.
  void (*inputs)(const StepTask& task, Hash& hash);
  // The commands that it would run, one a line. `command` is the user's.
  std::string (*describe)(const StepTask& task, std::vector<std::string> command,
                          Announcer& announcer);
  Result<StepOutcome> (*run)(const StepTask& task, Announcer& announcer);
};

std::span<const Phase, kMeasuringPhases> phases();
// Of a kind that measures.
const Phase& phase_of(PhaseKind kind);

// A hash of all that its result depends on: the request, the command and the files it names, tools
// and GPU; "" of what is done each time.
std::string step_inputs(const StepTask& task);

std::string describe_step(const StepTask& task, Announcer& announcer);

}  // namespace proofline
