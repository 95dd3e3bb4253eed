// SPDX-License-Identifier: Apache-2.0
#include "cli/decision_exit.h"

#include "cli/notes.h"

namespace proofline {

ExitCode exit_code_after(const Decision& decision) {
  switch (decision.verdict) {
    case DecisionVerdict::kKeep: return exit_code_after(decision.notes);
    case DecisionVerdict::kRevert: return ExitCode::kFailed;
    case DecisionVerdict::kInconclusive: return ExitCode::kInconclusive;
    case DecisionVerdict::kInvalid: break;
  }
  return ExitCode::kInput;
}

}  // namespace proofline
