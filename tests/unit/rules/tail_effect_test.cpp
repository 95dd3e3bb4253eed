// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::tail_effect_test {
namespace {

RuleCase tail() {
  return RuleCase("tail-effect", {{"launch.tail.share", 0.3},
                                  {"launch.idle.share", 0.3},
                                  {"launch.waves", 2.3},
                                  {"stall.exposed.share", 0.5},
                                  {"roof.headroom", 0.6}});
}

TEST(TailEffect, IsFoundFromATenthOfTheTime) {
  const RuleCase base = tail();
  EXPECT_FOUND_FROM(base, "launch.tail.share", 0.1);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.12, 0.4);
  EXPECT_SAYS(base, "the grid is 2.30 waves");
  // Below one wave there is no last one.
  EXPECT_SAYS(base.with("launch.waves", 0.4), "blocks do not divide evenly among the SMs");
  EXPECT_NOT_EVALUATED(base.without("launch.tail.share"), "launch.tail.share");
}

TEST(TailEffect, BelievesSmsThatWereBusyToTheEnd) {
  EXPECT_FOUND_FROM(tail(), "launch.idle.share", 0.05);
  EXPECT_NOT_EVALUATED(tail().without("launch.idle.share"), "launch.idle.share");
  // Between what the grid's shape says and what the SMs waited, and near the latter.
  EXPECT_GAIN(tail().with("launch.idle.share", 0.1), 0.06, 0.24);
}

TEST(TailEffect, SaysNothingWhereWhatWarpsWaitForIsUnknown) {
  EXPECT_NOT_EVALUATED(tail().without("stall.exposed.share"), "stall.exposed.share");
}

}  // namespace
}  // namespace proofline::tail_effect_test
