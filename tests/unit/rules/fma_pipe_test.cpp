// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::fma_pipe_test {
namespace {

TEST(FmaPipe, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("fma-pipe", "fma");
  EXPECT_FOUND_FROM(base, "throughput.fma.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "integer"));
  EXPECT_GAIN(base, 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.fma.share"), "throughput.fma.share");
}

TEST(FmaPipe, IsReachedFromThreeQuarters) {
  const RuleCase base = roof_case("fma-pipe", "fma");
  EXPECT_SAYS(base.with("throughput.fma.share", 0.75),
              "The FMA pipe is at 75 % of its peak: the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.fma.share", 0.74), "The FMA pipe is the nearest roof, at 74 %");
  EXPECT_ADVISES(base.with("throughput.fma.share", 0.74), "keep more work in flight");
}

TEST(FmaPipe, LeavesAPipeFullOfIntegerWorkToIntegerPipe) {
  const RuleCase base = roof_case("fma-pipe", "fma").with("instructions.imad_of_fma.share", 0.1);
  EXPECT_FOUND_UP_TO(base, "instructions.imad_of_fma.share", 0.5);
}

TEST(FmaPipe, TakesItsHeavyHalfAsWell) {
  const RuleCase base = roof_case("fma-pipe", "fma-heavy");
  EXPECT_FOUND_FROM(base, "throughput.fma-heavy.share", 0.6);
}

}  // namespace
}  // namespace proofline::fma_pipe_test
