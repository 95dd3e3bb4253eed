// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::async_wait_test {
namespace {

RuleCase waits_for_matrices() {
  return RuleCase("async-wait", {{"stall.gmma.share", 0.3},
                                 {"stall.barrier.share", 0},
                                 {"memory.async_copy.share", 0},
                                 {"roof.headroom", 0.5}});
}

RuleCase waits_for_copies() {
  return RuleCase("async-wait", {{"stall.gmma.share", 0},
                                 {"stall.barrier.share", 0},
                                 {"memory.async_copy.share", 0.9},
                                 {"stall.long_scoreboard.share", 0.3},
                                 {"stall.sleeping.share", 0.1},
                                 {"roof.share", 0.4},
                                 {"roof.headroom", 0.57}});
}

TEST(AsyncWait, IsFoundFromAFifthOfTheTimeAtMatrixInstructions) {
  const RuleCase base = waits_for_matrices();
  EXPECT_FOUND_FROM(base, "stall.gmma.share", 0.2);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.12, 0.4);
  EXPECT_ADVISES(base, "wgmma groups in flight");
  EXPECT_NOT_EVALUATED(base.without("stall.gmma.share"), "stall.gmma.share");
}

// Who waits for a pipe that works loses nothing by it.
TEST(AsyncWait, PromisesNothingForSureNearThePipesRoof) {
  const RuleCase base = waits_for_matrices();
  EXPECT_GAIN(base.with("throughput.tensor.share", 0.59), 0.12, 0.4);
  EXPECT_GAIN(base.with("throughput.tensor.share", 0.6975), 0, 0.25);
  EXPECT_SILENT(base.with("throughput.tensor.share", 0.9));
}

TEST(AsyncWait, CountsTheBarriersThatWaitForAWarpgroup) {
  const RuleCase base =
      waits_for_matrices().with("stall.gmma.share", 0.1).with("stall.barrier.share", 0.2);
  EXPECT_SILENT(base);
  EXPECT_FOUND_FROM(base, "instructions.warpgroup_of_barriers.share", 0.5);
  EXPECT_NOT_EVALUATED(base.without("stall.barrier.share"), "stall.barrier.share");
}

TEST(AsyncWait, IsFoundFromAFifthOfTheTimeAtCopiesThatBringHalfTheBytes) {
  const RuleCase base = waits_for_copies();
  EXPECT_FOUND_FROM(base, "memory.async_copy.share", 0.5);
  EXPECT_FOUND_UP_TO(base, "roof.share", 0.75);
  EXPECT_GAIN(base, 0.18, 0.46);
  EXPECT_ADVISES(base, "add stages");
  const RuleCase short_waits =
      base.with("stall.long_scoreboard.share", 0).with("stall.sleeping.share", 0);
  EXPECT_FOUND_FROM(short_waits, "stall.long_scoreboard.share", 0.2);
  EXPECT_FOUND_FROM(short_waits, "stall.sleeping.share", 0.2);
  EXPECT_FOUND_FROM(short_waits, "stall.branch_resolving.share", 0.2);
  EXPECT_NOT_EVALUATED(short_waits.without("stall.long_scoreboard.share"),
                       "stall.long_scoreboard.share");
  EXPECT_NOT_EVALUATED(short_waits.without("stall.sleeping.share"), "stall.sleeping.share");
  EXPECT_NOT_EVALUATED(base.without("memory.async_copy.share"), "memory.async_copy.share");
  EXPECT_NOT_EVALUATED(base.without("roof.share"), "roof.share");
}

}  // namespace
}  // namespace proofline::async_wait_test
