// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::launch_gaps_test {
namespace {

TEST(LaunchGaps, IsFoundFromATenthOfTheSpan) {
  const RuleCase base("launch-gaps", {{"timeline.launch_gaps.share", 0.4},
                                      {"timeline.launch_gaps.short.share", 0.3}});
  EXPECT_FOUND_FROM(base, "timeline.launch_gaps.share", 0.1);
  EXPECT_GAIN(base, 0.3, 0.4);
  EXPECT_SAYS(base, "waits for the host 40 %");
  EXPECT_ADVISES(base, "CUDA graph");
  EXPECT_NOT_EVALUATED(base.without("timeline.launch_gaps.share"), "timeline.launch_gaps.share");
}

TEST(LaunchGaps, SaysWhenTheHostWaitsForData) {
  const RuleCase base("launch-gaps",
                      {{"timeline.launch_gaps.share", 0.4}, {"timeline.idle.loader.share", 0.3}});
  EXPECT_SAYS(base, "waits for the host 40 % of the time, most of it for data");
  EXPECT_ADVISES(base, "more workers");
  EXPECT_GAIN(base, 0, 0.4);
}

TEST(LaunchGaps, IsNoAnswerToWhatIsNotExplained) {
  const RuleCase base("launch-gaps", {{"timeline.launch_gaps.share", 0.05},
                                      {"timeline.idle.unexplained.share", 0.3}});
  EXPECT_NOT_EVALUATED(base, "timeline.launch_gaps.share");
  EXPECT_SILENT(base.with("timeline.idle.unexplained.share", 0.02));
}

}  // namespace
}  // namespace proofline::launch_gaps_test
