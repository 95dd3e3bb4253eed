// SPDX-License-Identifier: Apache-2.0
//
// A per-thread array is indexed at run time and therefore lives in local memory.
#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/local_memory.h"

namespace proofline {
namespace {

Outcome evaluate_local_memory_indexing(Trial& trial) {
  constexpr const FactInfo& kInstructions = facts::kMemoryIndexingInstructionsShare;
  if (!trial.at_least(kInstructions, 0.01)) return trial.clean();
  const double instructions = *trial.maybe(kInstructions);
  const double estimate = local_memory_cost(trial, kInstructions);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the instructions access a per-thread array in local memory{}",
                  percent(instructions), how_inferred(trial)),
      around(0.9 * estimate, GainKind::kStallShare),
      "make the array's indices compile-time constants (unroll fully) or move it to shared memory "
      "as [index][thread]");
}

}  // namespace

Rule local_memory_indexing() {
  return {
      .id = "local-memory-indexing",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "local",
      .what = "Local loads and stores that are no spills: an array in the stack frame.",
      .why =
          "Registers have no addresses. An index that the compiler cannot resolve puts the whole "
          "array into memory.",
      .fix =
          "Make indices compile-time constants (full unrolling), replace the lookup by selects, "
          "keep the array in shared memory ([index][threadIdx.x]), or restructure the loop.",
      .limits = "Calls through pointers and large by-value structs land here too.",
      .explains = {"memory-latency", "l1-bandwidth", "l2-bandwidth", "dram-bandwidth", "lsu-pipe",
                   "uncoalesced-global", "narrow-access", "low-occupancy", "issue-slots",
                   "dependency-latency", "tail-effect"},
      .evaluate = evaluate_local_memory_indexing,
  };
}

}  // namespace proofline
