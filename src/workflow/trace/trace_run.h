// SPDX-License-Identifier: Apache-2.0
//
// One timeline of the user's program, from the command to what it says: recorded by us, or by nsys
// where the user asks for it; and the run's folder with all of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/timeline/diagnose_timeline.h"
#include "workflow/announcer.h"
#include "workflow/run_options.h"

namespace proofline {

struct TracePlan {
  std::vector<std::string> program;  // the first as an absolute path
  bool by_nsys = false;
  // In seconds from the program's start: what comes before and after is not recorded. 0: nothing
  // is left out.
  double delay = 0;
  double duration = 0;
  RunOptions run;
};

struct TraceRun {
  std::string folder;  // that the run is kept in
  // What `timeline` takes to show this again: a file, or the folder with one for each process.
  std::string recorded;
  std::string program_end;  // "exited with 3"; "" in order
  bool hit_time_limit = false;
  TimelineDiagnosis diagnosis;  // with the notes on the run
};

// Runs it. Whatever happens, the folder is finished and, in an error, named. A program that runs
// out of time still has its timeline up to there, by our recorder.
Result<TraceRun> trace_program(const TracePlan& plan, Announcer& announcer);

// The commands that it would run, one a line.
Result<std::string> describe_trace(const TracePlan& plan);

}  // namespace proofline
