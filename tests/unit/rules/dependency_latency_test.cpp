// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::dependency_latency_test {
namespace {

TEST(DependencyLatency, IsFoundFromAThirdOfTheTimeWhereSlotsStayEmpty) {
  const RuleCase base("dependency-latency", {{"warps.dependency.share", 0.6},
                                             {"issue.active.share", 0.3},
                                             {"roof.share", 0.3},
                                             {"roof.headroom", 0.68}});
  EXPECT_FOUND_FROM(base, "warps.dependency.share", 0.35);
  EXPECT_FOUND_UP_TO(base, "issue.active.share", 0.6);
  EXPECT_FOUND_UP_TO(base, "roof.share", 0.6);
  EXPECT_GAIN(base, 0.36, 0.64);
  for (const char* fact : {"warps.dependency.share", "issue.active.share", "roof.share"}) {
    EXPECT_NOT_EVALUATED(base.without(fact), fact);
  }
}

}  // namespace
}  // namespace proofline::dependency_latency_test
