// SPDX-License-Identifier: Apache-2.0
//
// Registers do not suffice and values travel through local memory.
#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/local_memory.h"

namespace proofline {
namespace {

constexpr double kMostRegisters = 255;

Outcome evaluate_register_spills(Trial& trial) {
  constexpr const FactInfo& kInstructions = facts::kMemorySpillInstructionsShare;
  if (!trial.at_least(kInstructions, 0.01)) return trial.clean();
  const double instructions = *trial.maybe(kInstructions);
  const double estimate = local_memory_cost(trial, kInstructions);
  trial.show(facts::kOccupancyRegistersPerThread);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the instructions spill registers to local memory{}", percent(instructions),
                  how_inferred(trial)),
      around(0.9 * estimate, GainKind::kStallShare),
      trial.maybe(facts::kOccupancyRegistersPerThread).value_or(0) >= kMostRegisters
          ? "a thread has all its registers already: shorten live ranges (smaller register tile, "
            "less unrolling), pack values, or split the kernel"
          : "give the kernel more registers (__launch_bounds__ with fewer blocks, a larger "
            "-maxrregcount) or shorten live ranges: smaller register tile, less unrolling");
}

}  // namespace

Rule register_spills() {
  return {
      .id = "register-spills",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "local",
      .what = "The compiler stores registers to local memory and loads them back (STL, LDL).",
      .why =
          "Each spill is a memory instruction through L1, and what L1 does not hold goes to L2 and "
          "DRAM.",
      .fix =
          "Give the kernel more registers (raise __launch_bounds__ or -maxrregcount, fewer threads "
          "per block), shorten live ranges, split the kernel or its tile, unroll less.",
      .limits =
          "Told from dynamic indexing by the compiler's marks; captures without them cannot "
          "separate the two.",
      .explains = {"memory-latency", "l1-bandwidth", "l2-bandwidth", "dram-bandwidth", "lsu-pipe",
                   "uncoalesced-global", "narrow-access", "low-occupancy", "issue-slots",
                   "dependency-latency", "tail-effect"},
      .evaluate = evaluate_register_spills,
  };
}

}  // namespace proofline
