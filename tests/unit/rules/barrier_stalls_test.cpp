// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::barrier_stalls_test {
namespace {

TEST(BarrierStalls, IsFoundFromAFifthOfTheTime) {
  const RuleCase base("barrier-stalls", {{"stall.barrier.share", 0.5}, {"roof.headroom", 0.6}});
  EXPECT_FOUND_FROM(base, "stall.barrier.share", 0.2);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.32, 0.6);
  EXPECT_NOT_EVALUATED(base.without("roof.headroom"), "roof.headroom");
  EXPECT_NOT_EVALUATED(base.without("stall.barrier.share"), "stall.barrier.share");
}

TEST(BarrierStalls, LeavesWaitsForAWarpgroupToAsyncWait) {
  const RuleCase base("barrier-stalls", {{"stall.barrier.share", 0.5}, {"roof.headroom", 0.6}});
  EXPECT_FOUND_UP_TO(base, "instructions.warpgroup_of_barriers.share", 0.6);
}

// Without the instructions' mix, a kernel that multiplies on Hopper may wait for its products.
TEST(BarrierStalls, NeedsTheMixWhereWarpgroupsMayMultiply) {
  const RuleCase base("barrier-stalls", {{"stall.barrier.share", 0.5},
                                         {"roof.headroom", 0.6},
                                         {"device.compute_capability", 9.0},
                                         {"throughput.tensor.share", 0.5}});
  EXPECT_NOT_EVALUATED(base, "instructions.warpgroup_of_barriers.share");
  EXPECT_FOUND(base.with("instructions.warpgroup_of_barriers.share", 0));
  EXPECT_FOUND(base.with("device.compute_capability", 8.0));
  EXPECT_FOUND(base.with("throughput.tensor.share", 0.01));
}

}  // namespace
}  // namespace proofline::barrier_stalls_test
