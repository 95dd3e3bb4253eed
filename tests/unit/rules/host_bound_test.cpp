// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::host_bound_test {
namespace {

TEST(HostBound, IsFoundFromATenthOfTheSpan) {
  const RuleCase base("host-bound",
                      {{"timeline.gpu_idle.share", 0.4}, {"timeline.idle.host.share", 0.3}});
  EXPECT_FOUND_FROM(base, "timeline.gpu_idle.share", 0.1);
  EXPECT_GAIN(base, 0, 0.4);
  EXPECT_SAYS(base, "idle 40 % of the time, 75 % of it because nothing was queued");
  EXPECT_ADVISES(base, "CUDA graph");
  EXPECT_NOT_EVALUATED(base.without("timeline.gpu_idle.share"), "timeline.gpu_idle.share");
}

TEST(HostBound, BlamesTheLargestClass) {
  const RuleCase base("host-bound",
                      {{"timeline.gpu_idle.share", 0.4}, {"timeline.idle.host.share", 0.1}});
  EXPECT_ADVISES(base.with("timeline.idle.load.share", 0.2), "warm up");
  EXPECT_ADVISES(base.with("timeline.idle.alloc.share", 0.2), "pool");
  EXPECT_SILENT(base.with("timeline.idle.unattributed.share", 0.2));
}

// Launch gaps that no launch takes are the host's fault no more than those without a call.
TEST(HostBound, DoesNotBlameTheHostForLongLaunchGaps) {
  const RuleCase base("host-bound",
                      {{"timeline.gpu_idle.share", 0.4}, {"timeline.idle.launch.share", 0.4}});
  EXPECT_FOUND(base.with("timeline.idle.unexplained.share", 0.1));
  EXPECT_SILENT(base.with("timeline.idle.unexplained.share", 0.3));
}

}  // namespace
}  // namespace proofline::host_bound_test
