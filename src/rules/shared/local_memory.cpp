// SPDX-License-Identifier: Apache-2.0
//
// The cost of local memory, for spills and indexed arrays alike.
#include "rules/shared/local_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace proofline {

double local_memory_cost(Trial& trial, const FactRef& instructions) {
  const double sectors = trial.need(facts::kMemoryLocalSectorsShare);
  const double waiting = trial.need(facts::kStallGroupShare[StallGroup::kMemory]);
  return std::max(trial.maybe(instructions).value_or(0), sectors * waiting);
}

std::string how_inferred(Trial& trial) {
  if (trial.maybe_text(facts::kMemoryLocalUnmarked) != "yes") return "";
  trial.show(facts::kOccupancyRegistersPerThread);
  return fmt::format(" (told by its {:.0f} registers: the capture does not mark spills)",
                     trial.maybe(facts::kOccupancyRegistersPerThread).value_or(0));
}

}  // namespace proofline
