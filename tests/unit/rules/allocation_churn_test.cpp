// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::allocation_churn_test {
namespace {

TEST(AllocationChurn, IsFoundFromATwentiethAndTenCalls) {
  const RuleCase base("allocation-churn",
                      {{"timeline.allocation.share", 0.4}, {"timeline.allocations", 120.0}});
  EXPECT_FOUND_FROM(base, "timeline.allocation.share", 0.05);
  EXPECT_FOUND_FROM(base, "timeline.allocations", 10);
  EXPECT_GAIN(base, 0.2, 0.4);
  EXPECT_SAYS(base, "120 calls");
  EXPECT_NOT_EVALUATED(base.without("timeline.allocation.share"), "timeline.allocation.share");
  EXPECT_NOT_EVALUATED(base.without("timeline.allocations"), "timeline.allocations");
}

}  // namespace
}  // namespace proofline::allocation_churn_test
