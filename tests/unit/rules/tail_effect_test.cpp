// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::tail_effect_test {
namespace {

TEST(TailEffect, IsFoundFromATenthOfTheTime) {
  const RuleCase base("tail-effect", {{"launch.tail.share", 0.3},
                                      {"launch.balance.share", 0.7},
                                      {"launch.waves", 2.3},
                                      {"roof.headroom", 0.6}});
  EXPECT_FOUND_FROM(base, "launch.tail.share", 0.1);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.12, 0.4);
  EXPECT_SAYS(base, "the grid is 2.30 waves");
  EXPECT_NOT_EVALUATED(base.without("launch.tail.share"), "launch.tail.share");
}

TEST(TailEffect, BelievesSmsThatWereBusyToTheEnd) {
  const RuleCase base("tail-effect", {{"launch.tail.share", 0.3}});
  EXPECT_FOUND(base);
  EXPECT_FOUND_UP_TO(base, "launch.balance.share", 0.95);
  // Between what the grid's shape says and what the SMs waited.
  EXPECT_GAIN(base.with("launch.balance.share", 0.9), 0.08, 0.3);
}

}  // namespace
}  // namespace proofline::tail_effect_test
