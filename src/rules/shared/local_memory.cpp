// SPDX-License-Identifier: Apache-2.0
//
// The cost of local memory, for spills and indexed arrays alike.
#include "rules/shared/local_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace proofline {

double local_memory_cost(Trial& trial, std::string_view share_fact) {
  const double sectors = trial.need("memory.local.sectors.share");
  const double waiting = trial.need("stall.group.memory.share");
  return std::max(trial.maybe(share_fact).value_or(0), sectors * waiting);
}

std::string how_told(Trial& trial) {
  if (trial.maybe_text("memory.local.unmarked") != "yes") return "";
  trial.show("occupancy.registers_per_thread");
  return fmt::format(" (told by its {:.0f} registers: the capture does not mark spills)",
                     trial.maybe("occupancy.registers_per_thread").value_or(0));
}

}  // namespace proofline
