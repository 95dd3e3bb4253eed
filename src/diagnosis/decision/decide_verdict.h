// SPDX-License-Identifier: Apache-2.0
//
// One verdict over all configurations, with the sentence that says why and what to do next. Slower
// anywhere reverts; unclear anywhere else leaves it open; otherwise what is gained decides. What
// costs less than the threshold of the whole time stops nothing where the whole is faster.
#pragma once

#include <span>

#include "diagnosis/decision/decide.h"
#include "diagnosis/decision/decide_configuration.h"
#include "diagnosis/decision/decide_words.h"

namespace proofline {

// Fills verdict, reason and next of the decision; its overall ratio is there already.
void judge_configurations(std::span<const ComparedConfiguration> configurations,
                          const DecideOptions& options, const PlaceNames& places,
                          Decision& decision);

}  // namespace proofline
