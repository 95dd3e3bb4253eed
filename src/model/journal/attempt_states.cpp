// SPDX-License-Identifier: Apache-2.0
#include "model/journal/attempt_states.h"

namespace proofline {

std::string_view to_string(AttemptState state) {
  switch (state) {
    case AttemptState::kOpen: return "open";
    case AttemptState::kKept: return "kept";
    case AttemptState::kReverted: return "reverted";
    case AttemptState::kInconclusive: return "inconclusive";
    case AttemptState::kNoDifference: return "no-difference";
    case AttemptState::kInvalid: return "invalid";
    case AttemptState::kFailed: return "failed";
    case AttemptState::kAbandoned: return "abandoned";
  }
  return "";
}

}  // namespace proofline
