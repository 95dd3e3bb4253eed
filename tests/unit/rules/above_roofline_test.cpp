// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::above_roofline_test {
namespace {

TEST(AboveRoofline, IsFoundAboveOneHundredAndTwoPercentOfARoofline) {
  for (const char* fact :
       {"roofline.dram.fraction", "roofline.l2.fraction", "roofline.l1.fraction"}) {
    const RuleCase base("above-roofline", {{fact, 1.5}});
    EXPECT_SILENT(base.with(fact, 1.02));
    EXPECT_FOUND(base.with(fact, 1.021));
    EXPECT_GAIN(base, 0, 0);
  }
}

TEST(AboveRoofline, IsFoundAboveOneHundredAndFivePercentOfAPeak) {
  const RuleCase base("above-roofline", {{"roofline.dram.fraction", 0.5}, {"roof.share", 1.5}});
  EXPECT_SILENT(base.with("roof.share", 1.05));
  EXPECT_FOUND(base.with("roof.share", 1.051));
}

TEST(AboveRoofline, NeedsARooflineOrARoof) {
  EXPECT_NOT_EVALUATED(RuleCase("above-roofline", {}), "roof.share");
  EXPECT_SILENT(RuleCase("above-roofline", {{"roof.share", 0.8}}));
  EXPECT_SILENT(RuleCase("above-roofline", {{"roofline.l2.fraction", 0.8}}));
}

}  // namespace
}  // namespace proofline::above_roofline_test
