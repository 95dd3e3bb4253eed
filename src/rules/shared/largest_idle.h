// SPDX-License-Identifier: Apache-2.0
//
// Which class takes most of a GPU's idle time. Rules on idle time as a whole blame that class.
#pragma once

#include <string>

#include "rules/rule.h"
#include "vocabulary/idle_classes.h"

namespace proofline {

struct LargestIdle {
  const IdleClassInfo& info;
  double share;  // of the span
};

// Launch gaps that are too long for a launch count as unattributed: nothing explains them either.
LargestIdle largest_idle(const Trial& trial);

// "the GPU is idle 60 % of the time, 90 % of it because nothing was queued"
std::string idle_statement(double idle, const LargestIdle& largest);

}  // namespace proofline
