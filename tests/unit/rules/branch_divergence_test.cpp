// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::branch_divergence_test {
namespace {

TEST(BranchDivergence, IsFoundUpToThreeQuartersOfTheThreads) {
  const RuleCase base("branch-divergence", {{"execution.active_threads.share", 0.5}});
  EXPECT_FOUND_UP_TO(base, "execution.active_threads.share", 0.75);
  EXPECT_GAIN(base, 0.32, 0.6);
  EXPECT_SAYS(base, "16.0 of 32 threads");
  EXPECT_NOT_EVALUATED(base.without("execution.active_threads.share"),
                       "execution.active_threads.share");
}

TEST(BranchDivergence, GainsNothingWhereFarMemoryIsFull) {
  const RuleCase base("branch-divergence", {{"execution.active_threads.share", 0.5}});
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.883);
  EXPECT_FOUND_UP_TO(base, "throughput.l2.share", 0.883);
}

TEST(BranchDivergence, TellsPartialWarpsFromDifferentPaths) {
  const RuleCase base("branch-divergence", {{"execution.active_threads.share", 0.5}});
  EXPECT_ADVISES(base.with("launch.lanes.share", 0.74), "launch whole warps");
  EXPECT_ADVISES(base.with("launch.lanes.share", 0.75), "take the same path");
}

}  // namespace
}  // namespace proofline::branch_divergence_test
