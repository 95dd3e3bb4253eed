// SPDX-License-Identifier: Apache-2.0
//
// The kernel exchanges sectors with L2 as quickly as L2 and the crossbar can.
#include "rules/rule.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_l2_bandwidth(Trial& trial) {
  if (fills_l2_inwards(trial)) {
    return stand_at_roof(
        trial,
        {.level = "l2",
         .next = "write fewer bytes to L2: hold sums in registers or shared memory until they "
                 "are final, combine atomics in the block, and keep local memory out of the "
                 "loop",
         .aside = ", on its way in (stores, atomics, local memory),"});
  }
  const bool clusters = trial.maybe("device.compute_capability").value_or(0) >= 9;
  return stand_at_roof(
      trial,
      {.level = "l2",
       .next = clusters ? "reuse data inside the SM (larger tiles in shared memory or registers, "
                          "multicast to a cluster) so that fewer sectors come from L2"
                        : "reuse data inside the SM (larger tiles in shared memory or "
                          "registers) so that fewer sectors come from L2"});
}

}  // namespace

Rule l2_bandwidth() {
  return {
      .id = "l2-bandwidth",
      .group = CauseGroup::kRoof,
      .bound = Bound::kMemory,
      .at = "l2",
      .what =
          "A data path of L2 (to or from the crossbar, sectors, tag lookups) is used to 60 % of "
          "its peak or more, more than DRAM.",
      .why =
          "Data that L2 serves still passes the crossbar; many SMs that read the same data from L2 "
          "share its bandwidth.",
      .fix =
          "Reuse more inside the SM: larger tiles in shared memory or registers, L1 for read-only "
          "data, multicast in clusters.",
      .limits =
          "Taken from data paths only; lts__throughput also counts internal activity and misleads.",
      .evaluate = evaluate_l2_bandwidth,
  };
}

}  // namespace proofline
