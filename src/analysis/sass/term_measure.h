// SPDX-License-Identifier: Apache-2.0
//
// The values of a pattern, measured in one region of code: how many instructions, their bytes,
// lanes, live registers, as ranges from what is certain to what is possible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/sass/pattern.h"
#include "analysis/sass/pattern_regions.h"
#include "analysis/sass/pattern_values.h"
#include "analysis/sass/region_walk.h"
#include "analysis/sass/selector_match.h"

namespace proofline {

// Which instructions a value rests on.
struct MeasuredInstructions {
  std::uint64_t sure = 0;
  std::uint64_t possible = 0;  // besides
  ValueRange bytes;
  std::vector<std::uint32_t> first;  // of the sure ones
  std::string missing;               // why the value is not known exactly
};

// Keeps as many as an answer names.
void keep_first(std::uint32_t instruction, std::vector<std::uint32_t>& first);

// The region must have been entered; the matcher is that of the term's selector.
ValueRange measure(const RegionWalk& walk, const PatternRegion& region,
                   const ValueClaim::Term& term, SelectorMatcher& matcher,
                   MeasuredInstructions& matches);

}  // namespace proofline
