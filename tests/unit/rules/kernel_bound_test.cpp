// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::kernel_bound_test {
namespace {

TEST(KernelBound, IsFoundWhereNoOtherPartIsLarger) {
  const RuleCase base("kernel-bound", {{"timeline.kernels.share", 0.4},
                                       {"timeline.gpu_idle.share", 0.3},
                                       {"timeline.copy.exposed.share", 0.2},
                                       {"timeline.comm.exposed.share", 0.1}});
  EXPECT_FOUND_FROM(base, "timeline.kernels.share", 0.3);
  EXPECT_GAIN(base, 0, 0.4);
  EXPECT_SILENT(base.with("timeline.gpu_idle.share", 0.41));
  EXPECT_SILENT(base.with("timeline.copy.exposed.share", 0.41));
  EXPECT_SILENT(base.with("timeline.comm.exposed.share", 0.41));
  EXPECT_NOT_EVALUATED(base.without("timeline.kernels.share"), "timeline.kernels.share");
}

TEST(KernelBound, NamesTheLongestUnlessKernelsRanInGraphs) {
  const RuleCase base("kernel-bound", {{"timeline.kernels.share", 0.9},
                                       {"timeline.gpu_idle.share", 0.1},
                                       {"timeline.copy.exposed.share", 0.0},
                                       {"timeline.comm.exposed.share", 0.0}});
  EXPECT_ADVISES(base, "--cuda-graph-trace=node");
  EXPECT_SAYS(base.with("timeline.kernels.longest.share", 0.5), "the longest takes 50 %");
  EXPECT_ADVISES(base.with("timeline.kernels.longest.share", 0.5), "proofline profile");
  // Launches that run side by side add up to more than the time.
  EXPECT_SAYS(base.with("timeline.kernels.longest.share", 1.5), "busy 90 % of the time");
}

}  // namespace
}  // namespace proofline::kernel_bound_test
