// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::small_grid_test {
namespace {

TEST(SmallGrid, IsFoundFromATenthOfTheSms) {
  const RuleCase base(
      "small-grid", {{"launch.sms_idle.share", 0.5}, {"launch.waves", 1}, {"roof.headroom", 0.6}});
  EXPECT_FOUND_FROM(base, "launch.sms_idle.share", 0.1);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.305, 0.585);
  EXPECT_NOT_EVALUATED(base.without("launch.sms_idle.share"), "launch.sms_idle.share");
}

TEST(SmallGrid, IsFoundWhereTheGridLeavesSlotsEmptyAndWarpsWait) {
  const RuleCase base("small-grid", {{"launch.sms_idle.share", 0},
                                     {"launch.waves", 0.4},
                                     {"stall.exposed.share", 0.9},
                                     {"roof.headroom", 0.8},
                                     {"roof.share", 0.2}});
  EXPECT_FOUND_UP_TO(base, "launch.waves", 0.75);
  EXPECT_FOUND_FROM(base, "stall.exposed.share", 0.5);
  EXPECT_FOUND_UP_TO(base, "roof.share", 0.6);
  EXPECT_GAIN(base, 0.4, 0.68);
  EXPECT_SAYS(base, "the grid fills 40 % of the block slots");
  EXPECT_NOT_EVALUATED(base.without("launch.waves"), "launch.waves");
  // All that is known without the stalls.
  EXPECT_SAYS(base.without("stall.exposed.share"), "while no level is above 20 % of its peak");
  EXPECT_GAIN(base.without("stall.exposed.share"), 0, 0.6);
}

TEST(SmallGrid, LeavesShortLaunchesToShortKernel) {
  const RuleCase base("small-grid", {{"launch.sms_idle.share", 0.9}, {"roof.headroom", 0.8}});
  EXPECT_FOUND(base.with("duration", 6001));
  EXPECT_SILENT(base.with("duration", 6000));
}

TEST(SmallGrid, CountsTheFreeWarpSlotsWhereWarpsWait) {
  const RuleCase base("small-grid", {{"launch.sms_idle.share", 0.5},
                                     {"launch.waves", 0.5},
                                     {"occupancy.theoretical", 0.5},
                                     {"roof.headroom", 0.9}});
  EXPECT_GAIN(base, 0.305, 0.585);
  EXPECT_GAIN(base.with("stall.exposed.share", 0.5), 0.43, 0.71);
}

}  // namespace
}  // namespace proofline::small_grid_test
