// SPDX-License-Identifier: Apache-2.0
//
// Evidence in, a playbook's judgement out: what `check` does. Nothing is run.
#pragma once

#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "playbook/check.h"
#include "workflow/check/evidence.h"

namespace proofline {

struct CheckPlan {
  std::string playbook;               // a shipped one's id, or a path
  std::vector<std::string> workload;  // KEY=VALUE, or a file of them
  EvidencePlan evidence;
  std::vector<std::string> only;  // ids of checks; none: all
  std::string journal;            // "": the one that is found, if any
};

Result<CheckRun> check_files(const CheckPlan& plan, const InputLimits& limits);

}  // namespace proofline
