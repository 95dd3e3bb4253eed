// SPDX-License-Identifier: Apache-2.0
//
// All states of an attempt, in the order in which they are shown: what helped comes first.
#pragma once

#include <array>

#include "model/journal/entries.h"

namespace proofline {

inline constexpr std::array kAttemptStates = {AttemptState::kKept,      AttemptState::kNoDifference,
                                              AttemptState::kReverted,  AttemptState::kInconclusive,
                                              AttemptState::kInvalid,   AttemptState::kFailed,
                                              AttemptState::kAbandoned, AttemptState::kOpen};

}  // namespace proofline
