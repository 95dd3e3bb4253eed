// SPDX-License-Identifier: Apache-2.0
//
// How often a loop goes round, where its exit test tells: a counter that starts at a constant,
// grows by a constant and is compared with one gives the number; a limit known only at run time is
// named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/values.h"

namespace proofline {

struct TripHint {
  std::optional<std::uint64_t> exact;  // rounds: nothing but the test ends the loop
  std::optional<std::uint64_t> most;   // rounds: something else may end it earlier
  std::string bound;                   // "c[0x0][0x228]", "an mbarrier"; "" not known
  // What the counter grows by each round; more than 1 where the loop was unrolled or strides. 0:
  // not known, or not a constant.
  std::int64_t step = 0;
};

// One for each of Flow::loops.
std::vector<TripHint> find_trips(Values& values);

}  // namespace proofline
