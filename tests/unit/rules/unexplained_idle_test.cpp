// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::unexplained_idle_test {
namespace {

TEST(UnexplainedIdle, IsFoundWhereMostOfTheIdleTimeHasNoReason) {
  const RuleCase base("unexplained-idle", {{"timeline.gpu_idle.share", 0.4},
                                           {"timeline.idle.host.share", 0.1},
                                           {"timeline.idle.unattributed.share", 0.3}});
  EXPECT_FOUND_FROM(base, "timeline.gpu_idle.share", 0.1);
  EXPECT_GAIN(base, 0, 0.4);
  EXPECT_SAYS(base, "75 % of it for reasons that the timeline does not tell");
  EXPECT_ADVISES(base, "record the whole program");
  EXPECT_SILENT(base.with("timeline.idle.unattributed.share", 0.05));
  EXPECT_NOT_EVALUATED(base.without("timeline.gpu_idle.share"), "timeline.gpu_idle.share");
}

}  // namespace
}  // namespace proofline::unexplained_idle_test
