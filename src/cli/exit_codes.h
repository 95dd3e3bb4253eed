// SPDX-License-Identifier: Apache-2.0
//
// How the program ends, and which results make it end so: gates and scripts go by it.
#pragma once

#include <vector>

#include "model/diagnosis/comparison.h"
#include "model/measurement/decision.h"
#include "model/note.h"
#include "playbook/check.h"

namespace proofline {

enum class ExitCode {
  kDone = 0,
  kFailed = 1,  // a gate tripped
  kUsage = 2,
  kInput = 3,
  kPartial = 4,
  kTool = 5,
  kTimeLimit = 6,
  kStorage = 7,
  kBug = 8,
  kPermission = 9,
  kInconclusive = 10,
  kNoDifference = 11,
  kInterrupted = 130,
};

// Partial where one of them is a loss.
ExitCode exit_code_after(const std::vector<Note>& notes);

// Partial where a pair, or all of it, was refused: it is missing from the result.
ExitCode exit_code_after(const ProfileComparison& comparison);

// 0 KEEP, 1 REVERT, 11 NO DIFFERENCE (0 where that is good enough), 10 INCONCLUSIVE, 3 INVALID; 4
// where a change would be kept on the word of a file of which a part was lost.
ExitCode exit_code_after(const Decision& decision);

// 1 where a check that must hold fails, 10 where one of them is UNKNOWN: a gate that was not
// evaluated is not passed.
ExitCode exit_code_after(const CheckRun& checks);

}  // namespace proofline
