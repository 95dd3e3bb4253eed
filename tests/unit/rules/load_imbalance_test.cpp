// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::load_imbalance_test {
namespace {

TEST(LoadImbalance, IsFoundFromAnEighthOfTheTime) {
  const RuleCase base("load-imbalance", {{"launch.imbalance.share", 0.3}, {"roof.headroom", 0.6}});
  EXPECT_FOUND_FROM(base, "launch.imbalance.share", 0.12);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.12, 0.4);
  EXPECT_NOT_EVALUATED(base.without("launch.imbalance.share"), "launch.imbalance.share");
}

}  // namespace
}  // namespace proofline::load_imbalance_test
