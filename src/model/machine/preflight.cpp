// SPDX-License-Identifier: Apache-2.0
//
// Enums are names in every output, never numbers.
#include "model/machine/preflight.h"

namespace proofline {

std::string_view to_string(CheckStatus status) {
  switch (status) {
    case CheckStatus::kOk: return "ok";
    case CheckStatus::kNote: return "note";
    case CheckStatus::kUnknown: return "unknown";
    case CheckStatus::kProblem: return "problem";
    case CheckStatus::kMissing: return "missing";
  }
  return "";
}

std::string_view to_string(Readiness readiness) {
  switch (readiness) {
    case Readiness::kReady: return "ready";
    case Readiness::kNoPermission: return "no-permission";
    case Readiness::kNotReady: return "not-ready";
  }
  return "";
}

std::string_view to_string(RunEnding ending) {
  switch (ending) {
    case RunEnding::kNotRun: return "not-run";
    case RunEnding::kExited: return "exited";
    case RunEnding::kSignal: return "signal";
    case RunEnding::kTimeLimit: return "time-limit";
  }
  return "";
}

}  // namespace proofline
