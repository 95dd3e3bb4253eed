// SPDX-License-Identifier: Apache-2.0
//
// KEEP, REVERT, NO DIFFERENCE, INCONCLUSIVE or INVALID for a change, by files: measurements before
// and after it, and what else there is of evidence.
#pragma once

#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "diagnosis/decision/decide.h"
#include "model/measurement/decision.h"

namespace proofline {

struct DecidePlan {
  std::vector<std::string> files;  // before and after, or one with both
  std::string a;                   // what of them; see read_sides()
  std::string b;
  std::string profile_a;  // both or none; they explain, and decide nothing
  std::string profile_b;
  std::vector<std::string> sanitizer;  // logs of the changed program
  DecideOptions options;
};

Result<Decision> decide_files(const DecidePlan& plan, const InputLimits& limits);

}  // namespace proofline
