// SPDX-License-Identifier: Apache-2.0
//
// Names of the enums of a decision.
#include "model/decision.h"

namespace proofline {

std::string_view to_string(DecisionVerdict verdict) {
  switch (verdict) {
    case DecisionVerdict::kKeep: return "KEEP";
    case DecisionVerdict::kRevert: return "REVERT";
    case DecisionVerdict::kInconclusive: return "INCONCLUSIVE";
    case DecisionVerdict::kInvalid: return "INVALID";
  }
  return "";
}

std::string_view to_string(GateState state) {
  switch (state) {
    case GateState::kPassed: return "passed";
    case GateState::kFailed: return "failed";
    case GateState::kNotRun: return "not-run";
  }
  return "";
}

}  // namespace proofline
