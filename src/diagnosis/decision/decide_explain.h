// SPDX-License-Identifier: Apache-2.0
//
// What counters and machine code have to say about a decision, in words: "barrier share 41 % to
// 3 %; 12 registers more, same occupancy". None of it decides.
#pragma once

#include <string_view>

#include "diagnosis/comparison/compare_code.h"
#include "model/diagnosis/comparison.h"
#include "model/measurement/decision.h"

namespace proofline {

// A fact that a comparison of profiles should list for this, changed or not.
bool explains_a_decision(std::string_view fact);

void explain_by_profiles(const ProfileComparison& profiles, Decision& decision);
void explain_by_code(const CodeSide& a, const CodeSide& b, const CodeComparison& code,
                     Decision& decision);

}  // namespace proofline
