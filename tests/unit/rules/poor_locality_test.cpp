// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::poor_locality_test {
namespace {

TEST(PoorLocality, IsFoundFromThirteenTenthsOfTheDistinctBytesWhereDramIsBusy) {
  const RuleCase base("poor-locality",
                      {{"memory.dram.over_unique", 3}, {"throughput.dram.share", 0.8}});
  EXPECT_FOUND_FROM(base, "memory.dram.over_unique", 1.3);
  EXPECT_FOUND_FROM(base, "throughput.dram.share", 0.4);
  EXPECT_GAIN(base, 0.49, 0.77);
  EXPECT_NOT_EVALUATED(base.without("memory.dram.over_unique"), "memory.dram.over_unique");
  EXPECT_NOT_EVALUATED(base.without("throughput.dram.share"), "throughput.dram.share");
}

TEST(PoorLocality, GainsNothingWhereALevelThatTheBytesDoNotPassIsFull) {
  const RuleCase base("poor-locality",
                      {{"memory.dram.over_unique", 3}, {"throughput.dram.share", 0.8}});
  EXPECT_FOUND_UP_TO(base, "throughput.tensor.share", 0.883);
  for (const char* passed :
       {"throughput.l2.share", "throughput.l1.share", "throughput.lsu.share"}) {
    EXPECT_FOUND(base.with(passed, 0.99));
  }
}

}  // namespace
}  // namespace proofline::poor_locality_test
