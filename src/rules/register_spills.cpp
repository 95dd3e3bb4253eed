// SPDX-License-Identifier: Apache-2.0
//
// Registers do not suffice and values travel through local memory.
#include <fmt/format.h>

#include <algorithm>

#include "rules/gains.h"
#include "rules/rule.h"

namespace proofline {
namespace {

constexpr double kMostRegisters = 255;

Outcome evaluate(Trial& trial) {
  if (!trial.at_least("memory.spill_instructions.share", 0.01)) return trial.clean();
  const double instructions = *trial.maybe("memory.spill_instructions.share");
  const double sectors = trial.maybe("memory.local.sectors.share").value_or(1);
  const double waiting = trial.maybe("stall.group.memory.share").value_or(0);
  trial.show("memory.local.sectors.share");
  trial.show("stall.group.memory.share");
  trial.show("occupancy.registers_per_thread");
  // What the spills take: their issue slots, and their part of the waiting for memory.
  const double estimate = std::max(instructions, sectors * waiting);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the instructions spill registers to local memory", percent(instructions)),
      around(0.9 * estimate, GainKind::kStallShare),
      trial.maybe("occupancy.registers_per_thread").value_or(0) >= kMostRegisters
          ? "a thread has all its registers already: shorten live ranges (smaller register tile, "
            "less unrolling), pack values, or split the kernel"
          : "give the kernel more registers (__launch_bounds__ with fewer blocks, a larger "
            "-maxrregcount) or shorten live ranges: smaller register tile, less unrolling");
}

}  // namespace

Rule register_spills() {
  return {"register-spills",
          CauseGroup::kAccess,
          Bound::kMemory,
          "local",
          "The compiler stores registers to local memory and loads them back (STL, LDL).",
          "Each spill is a memory instruction through L1, and what L1 does not hold goes to L2 and"
          " DRAM.",
          "Give the kernel more registers (raise __launch_bounds__ or -maxrregcount, fewer threads"
          " a block), shorten live ranges, split the kernel or its tile, unroll less.",
          "Told from dynamic indexing by the compiler's marks; captures without them cannot "
          "separate the two.",
          {"memory-latency", "l1-bandwidth", "l2-bandwidth", "dram-bandwidth", "lsu-pipe",
           "uncoalesced-global", "narrow-access", "low-occupancy", "issue-slots",
           "dependency-latency", "tail-effect"},
          evaluate};
}

}  // namespace proofline
