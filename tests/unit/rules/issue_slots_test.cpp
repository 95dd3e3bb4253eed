// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::issue_slots_test {
namespace {

TEST(IssueSlots, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("issue-slots", "issue");
  EXPECT_FOUND_FROM(base, "throughput.issue.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "fma"));
  EXPECT_GAIN(base.with("throughput.dram.share", 0.465), 0, 0.5);
  // Where the work itself fills the level, that level is what it needs.
  EXPECT_GAIN(base.with("throughput.dram.share", 0.8), 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.issue.share"), "throughput.issue.share");
}

TEST(IssueSlots, IsReachedFromThreeQuarters) {
  const RuleCase base = roof_case("issue-slots", "issue");
  EXPECT_SAYS(base.with("throughput.issue.share", 0.75),
              "Instruction issue is at 75 % of its peak: the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.issue.share", 0.74),
              "Instruction issue is the nearest roof, at 74 %");
}

}  // namespace
}  // namespace proofline::issue_slots_test
