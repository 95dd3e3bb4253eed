// SPDX-License-Identifier: Apache-2.0
//
// What the rules of the roof group share: a kernel stands at a level when that level is its roof
// and is used to at least 60 % of its peak. A fundamental roof (DRAM, the pipe that the work's type
// needs) leaves no more than the way to its peak. What lies behind any other roof is a better
// algorithm, whose gain ends where the work itself is at the next fundamental one.
#pragma once

#include <optional>
#include <string_view>

#include "rules/rule.h"

namespace proofline {

struct Roof {
  std::string_view level;
  std::string_view next;        // what to do at the roof, reached cleanly
  std::string_view aside = {};  // goes behind the level's label
  // How much of the GPU's peak the work itself needs; absent at a fundamental roof.
  std::optional<double> useful = {};
  // Found at another level's roof too, which this one's load is behind.
  bool anywhere = false;
  // What part of the way to there the change that `next` names is sure to go.
  double sure = 0;
};

// Whether what fills L2 is on its way into it.
bool fills_l2_inwards(const Trial& trial);

Outcome stand_at_roof(Trial& trial, const Roof& roof);

}  // namespace proofline
