// SPDX-License-Identifier: Apache-2.0
//
// The numbers that a pattern can ask for and that no instruction's name tells: registers, stack,
// shared memory, loops, roles and mbarriers, as ranges from what is certain to what is possible.
#pragma once

#include <limits>
#include <string>

#include "analysis/sass/pattern.h"
#include "analysis/sass/pattern_regions.h"
#include "analysis/sass/selector_match.h"

namespace proofline {

struct ValueRange {
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  double low = 0;
  double high = 0;
};

struct KnownValue {
  ValueRange range;
  std::string missing;  // why it is not known exactly; "" it is
};

// Of a measure that is not of instructions.
KnownValue value_of(ValueClaim::Term::Measure measure, const PatternRegion& region,
                    const PatternCode& code);

}  // namespace proofline
