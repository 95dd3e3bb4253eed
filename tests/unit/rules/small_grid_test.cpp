// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::small_grid_test {
namespace {

TEST(SmallGrid, IsFoundFromATenthOfTheSms) {
  const RuleCase base("small-grid", {{"launch.sms_idle.share", 0.5}, {"roof.headroom", 0.6}});
  EXPECT_FOUND_FROM(base, "launch.sms_idle.share", 0.1);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.305, 0.585);
  EXPECT_NOT_EVALUATED(base.without("launch.sms_idle.share"), "launch.sms_idle.share");
}

}  // namespace
}  // namespace proofline::small_grid_test
