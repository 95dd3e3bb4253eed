// SPDX-License-Identifier: Apache-2.0
//
// The cost of local memory, for spills and indexed arrays alike.
#include "rules/shared/local_memory.h"

#include <algorithm>

namespace proofline {

double local_memory_cost(Trial& trial, std::string_view share_fact) {
  const double sectors = trial.need("memory.local.sectors.share");
  const double waiting = trial.need("stall.group.memory.share");
  return std::max(trial.maybe(share_fact).value_or(0), sectors * waiting);
}

}  // namespace proofline
