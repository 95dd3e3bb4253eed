// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::communication_bound_test {
namespace {

TEST(CommunicationBound, IsFoundFromATenthOfTheSpan) {
  const RuleCase base("communication-bound", {{"timeline.comm.exposed.share", 0.3}});
  EXPECT_FOUND_FROM(base, "timeline.comm.exposed.share", 0.1);
  EXPECT_GAIN(base, 0, 0.3);
  EXPECT_SAYS(base, "collectives that no kernel hides take 30 %");
  EXPECT_NOT_EVALUATED(base.without("timeline.comm.exposed.share"), "timeline.comm.exposed.share");
}

TEST(CommunicationBound, LooksForTheLateRankFirst) {
  const RuleCase base("communication-bound", {{"timeline.comm.exposed.share", 0.3}});
  EXPECT_ADVISES(base, "give all ranks' files");
  EXPECT_ADVISES(base.with("timeline.ranks", 4), "or send less");
  EXPECT_ADVISES(base.with("timeline.ranks", 4).with("timeline.straggler", 2), "rank 2");
}

}  // namespace
}  // namespace proofline::communication_bound_test
