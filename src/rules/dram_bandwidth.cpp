// SPDX-License-Identifier: Apache-2.0
//
// The kernel moves bytes between L2 and DRAM as quickly as the DRAM can.
#include "rules/rule.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_dram_bandwidth(Trial& trial) {
  const bool counted = trial.maybe(facts::kMemoryGlobalExcessShare).has_value();
  return judge_roof(
      trial,
      {.level = Level::kDram,
       .next = counted
                   ? "move fewer bytes: fuse neighbouring kernels, use narrower types, or block "
                     "for L2; nothing is wrong with how they are moved"
                   : "move fewer bytes: check first whether accesses are coalesced (ncu --section "
                     "SourceCounters), then fuse neighbouring kernels, use narrower types, or "
                     "block for L2"});
}

}  // namespace

Rule dram_bandwidth() {
  return {
      .id = "dram-bandwidth",
      .group = CauseGroup::kRoof,
      .bound = Bound::kMemory,
      .at = "dram",
      .what =
          "Device memory is used to 60 % of its peak or more, and no other level is nearer to its "
          "own.",
      .why = "A kernel cannot run faster than the bytes that it moves take at the DRAM's rate.",
      .fix =
          "Move fewer bytes: fuse with the producer or consumer, use narrower types, keep "
          "intermediates in registers or shared memory, block for L2. With proofline diagnose "
          "--unique-bytes, "
          "poor-locality tells whether the same bytes move more than once.",
      .limits =
          "Copies reach 85 to 93 % of the peak. Where accesses waste sectors the cause is "
          "uncoalesced-global, not this.",
      .evaluate = evaluate_dram_bandwidth,
  };
}

}  // namespace proofline
