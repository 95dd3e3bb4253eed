// SPDX-License-Identifier: Apache-2.0
//
// Saved logs of compute-sanitizer and cuda-memcheck: what they found, and whether all was checked.
//
//   const auto logs = proofline::load_sanitizer_logs({"memcheck.log", "racecheck.log"});
//   if (logs && logs->outcome() != proofline::SanitizerOutcome::kClean) return 1;
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/machine/sanitizer.h"

namespace proofline {

// One tool's result for each log.
Result<SanitizerRun> load_sanitizer_logs(const std::vector<std::string>& paths);

}  // namespace proofline
