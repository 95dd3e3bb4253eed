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

}  // namespace
}  // namespace proofline::barrier_stalls_test
