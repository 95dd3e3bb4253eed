// SPDX-License-Identifier: Apache-2.0
//
// What the rules of the roof group share: a kernel is at a roof when that level is the one that
// binds and is used to at least 60 % of its peak. A fundamental roof (DRAM, the pipe that the
// work's type needs) leaves no more than the way to its peak. Any other roof is lifted by a better
// algorithm, whose gain ends where the work itself reaches the next fundamental one.
#pragma once

#include <optional>
#include <string_view>

#include "rules/rule.h"
#include "vocabulary/levels.h"

namespace proofline {

struct Roof {
  Level level;
  std::string_view next;        // what to do at the roof, reached cleanly
  std::string_view aside = {};  // follows the level's label in the statement
  // How much of the GPU's peak the work itself needs; absent at a fundamental roof.
  std::optional<double> useful = {};
  // Found even where another level is the roof, since this one's load causes it.
  bool anywhere = false;
  // The part of the distance to the next fundamental roof that `next` is sure to gain.
  double sure = 0;
};

// Whether L2's busiest path is the one into it: stores, atomics, local memory.
bool fills_l2_inwards(const Trial& trial);

// The level that the capture names as the roof; nothing where it has no throughput of any level.
std::optional<Level> roof_level(const Trial& trial);

Outcome judge_roof(Trial& trial, const Roof& roof);

}  // namespace proofline
