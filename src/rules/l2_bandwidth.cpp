// SPDX-License-Identifier: Apache-2.0
//
// The kernel exchanges sectors with L2 as quickly as L2 and the crossbar can.
#include <string_view>

#include "rules/rule.h"
#include "rules/shared/features.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

// The largest sender of inbound sectors, and the advice that belongs to it.
struct Inbound {
  std::string_view aside;
  std::string_view next;
  L2Sender sender = {};
};

constexpr Inbound kInbound[] = {
    {", on its way in (mostly stores),",
     "write fewer bytes to L2: hold sums in registers or shared memory until they are final, and "
     "store whole sectors",
     L2Sender::kGlobal},
    {", on its way in (mostly local memory),",
     "keep local memory out of the loop: constant indices instead of an indexed array, or fewer "
     "live registers where they are spilled",
     L2Sender::kLocal},
    {", on its way in (mostly atomics),",
     "send fewer atomics to L2: combine within the warp and in shared memory first, one per block "
     "and address",
     L2Sender::kAtomic},
};
constexpr Inbound kUnknownInbound = {", on its way in (stores, atomics, local memory),",
                                     "write fewer bytes to L2: hold sums in registers or shared "
                                     "memory until they are final, combine "
                                     "atomics in the block, and keep local memory out of the loop"};

const Inbound& inbound(Trial& trial) {
  for (const Inbound& one : kInbound) {
    const FactRef share = facts::kMemoryL2InboundShare[one.sender];
    if (trial.maybe(share).value_or(0) <= 0.5) continue;
    trial.show(share);
    return one;
  }
  return kUnknownInbound;
}

Outcome evaluate_l2_bandwidth(Trial& trial) {
  if (fills_l2_inwards(trial)) {
    const Inbound& most = inbound(trial);
    return judge_roof(trial, {.level = Level::kL2, .next = most.next, .aside = most.aside});
  }
  return judge_roof(
      trial, {.level = Level::kL2,
              .next = has(trial, kTma)
                          ? "reuse data inside the SM (larger tiles in shared memory or registers, "
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
