// SPDX-License-Identifier: Apache-2.0
//
// The kernel exchanges sectors with L2 as quickly as L2 and the crossbar can.
#include "rules/rule.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_l2_bandwidth(Trial& trial) {
  return stand_at_roof(trial, "l2", "L2",
                       "reuse data inside the SM (larger tiles in shared memory or registers, "
                       "multicast to a cluster) so that fewer sectors come from L2");
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
