// SPDX-License-Identifier: Apache-2.0
//
// What this machine has and lacks for profiling, judged, with the user's program looked at and run
// once where one is given.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "diagnosis/preflight/preflight.h"
#include "workflow/announcer.h"
#include "workflow/run_options.h"

namespace proofline {

struct DoctorPlan {
  std::vector<std::string> command;  // none: the machine alone
  RunOptions run;

  DoctorPlan() { run.time_limit = 300; }
};

Result<Preflight> examine(const DoctorPlan& plan, Announcer& announcer);

}  // namespace proofline
