// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::memory_fence_test {
namespace {

TEST(MemoryFence, IsFoundFromATenthOfTheTime) {
  const RuleCase base("memory-fence", {{"stall.membar.share", 0.3}, {"roof.headroom", 0.6}});
  EXPECT_FOUND_FROM(base, "stall.membar.share", 0.1);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.12, 0.4);
  EXPECT_NOT_EVALUATED(base.without("stall.membar.share"), "stall.membar.share");
}

}  // namespace
}  // namespace proofline::memory_fence_test
