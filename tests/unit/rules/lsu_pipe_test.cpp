// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::lsu_pipe_test {
namespace {

TEST(LsuPipe, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("lsu-pipe", "lsu");
  EXPECT_FOUND_FROM(base, "throughput.lsu.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "l1"));
  EXPECT_GAIN(base.with("throughput.dram.share", 0.465), 0, 0.5);
  // Where the work itself fills the level, that level is what it needs.
  EXPECT_GAIN(base.with("throughput.dram.share", 0.8), 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.lsu.share"), "throughput.lsu.share");
}

TEST(LsuPipe, IsReachedFromThreeQuarters) {
  const RuleCase base = roof_case("lsu-pipe", "lsu");
  EXPECT_SAYS(base.with("throughput.lsu.share", 0.75),
              "The load/store unit is at 75 % of its peak: the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.lsu.share", 0.74),
              "The load/store unit is the nearest roof, at 74 %");
}

}  // namespace
}  // namespace proofline::lsu_pipe_test
