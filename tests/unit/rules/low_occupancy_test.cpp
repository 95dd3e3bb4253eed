// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::low_occupancy_test {
namespace {

RuleCase few_warps() {
  return RuleCase("low-occupancy", {{"occupancy.theoretical", 0.25},
                                    {"stall.long_scoreboard.share", 0.5},
                                    {"roof.share", 0.3},
                                    {"launch.waves", 4}});
}

TEST(LowOccupancy, IsFoundUpToHalfTheWarpsWhereLatencyShowsAndNoLevelIsBusy) {
  const RuleCase base = few_warps();
  EXPECT_FOUND_UP_TO(base, "occupancy.theoretical", 0.5);
  EXPECT_FOUND_FROM(base, "stall.long_scoreboard.share", 0.3);
  EXPECT_FOUND_UP_TO(base, "roof.share", 0.6);
  EXPECT_GAIN(base, 0.33, 0.61);
  for (const char* fact : {"occupancy.theoretical", "stall.long_scoreboard.share", "roof.share"}) {
    EXPECT_NOT_EVALUATED(base.without(fact), fact);
  }
}

TEST(LowOccupancy, WantsBlocksThatCouldFillTheRoom) {
  EXPECT_FOUND_FROM(few_warps(), "launch.waves", 1);
  EXPECT_FOUND(few_warps().without("launch.waves"));
}

TEST(LowOccupancy, NamesTheLimiterAndTheNextStep) {
  const RuleCase base = few_warps().with("occupancy.limiter", "registers");
  EXPECT_SAYS(base, "limited by registers");
  EXPECT_ADVISES(base, "free registers so that more blocks fit");
  EXPECT_ADVISES(base.with("occupancy.next_step", "at most 64 registers"),
                 "free registers: at most 64 registers");
}

}  // namespace
}  // namespace proofline::low_occupancy_test
