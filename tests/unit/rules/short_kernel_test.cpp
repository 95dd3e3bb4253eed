// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::short_kernel_test {
namespace {

TEST(ShortKernel, IsFoundUpToSixMicroseconds) {
  const RuleCase base("short-kernel", {{"duration", 4000}, {"roof.share", 0.2}});
  EXPECT_FOUND_UP_TO(base, "duration", 6000);
  EXPECT_FOUND_UP_TO(base, "roof.share", 0.6);
  EXPECT_GAIN(base, 0.27, 0.55);
  EXPECT_SAYS(base, "the kernel takes 4.0 us");
  EXPECT_NOT_EVALUATED(base.without("duration"), "duration");
  EXPECT_NOT_EVALUATED(base.without("roof.share"), "roof.share");
}

TEST(ShortKernel, LeavesALaunchOfNoTimeToCaptureInvalid) {
  EXPECT_SILENT(RuleCase("short-kernel", {{"duration", 0}, {"roof.share", 0.2}}));
}

TEST(ShortKernel, IsFoundUpToTwelveMicrosecondsWhereStartAndEndAreTheTime) {
  const RuleCase base("short-kernel", {{"duration", 9000},
                                       {"roof.share", 0.5},
                                       {"stall.imc_miss.share", 0.2},
                                       {"stall.drain.share", 0.15}});
  EXPECT_FOUND_UP_TO(base, "duration", 12000);
  EXPECT_FOUND_UP_TO(base, "roof.share", 0.6);
  EXPECT_FOUND_FROM(base, "stall.imc_miss.share", 0.15);
  EXPECT_GAIN(base, 0.17, 0.45);
  EXPECT_SAYS(base, "first instructions and constants");
}

}  // namespace
}  // namespace proofline::short_kernel_test
