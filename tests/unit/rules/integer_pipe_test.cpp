// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::integer_pipe_test {
namespace {

TEST(IntegerPipe, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("integer-pipe", "integer");
  EXPECT_FOUND_FROM(base, "throughput.integer.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "tensor"));
  EXPECT_GAIN(base, 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.integer.share"), "throughput.integer.share");
}

TEST(IntegerPipe, IsReachedFromThreeQuarters) {
  const RuleCase base = roof_case("integer-pipe", "integer");
  EXPECT_SAYS(base.with("throughput.integer.share", 0.75),
              "The integer pipe is at 75 % of its peak: the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.integer.share", 0.74),
              "The integer pipe is the nearest roof, at 74 %");
  EXPECT_ADVISES(base.with("throughput.integer.share", 0.74), "keep more work in flight");
}

TEST(IntegerPipe, TakesAnFmaPipeThatIsMostlyBusyWithIntegers) {
  for (const std::string level : {"fma", "fma-heavy"}) {
    const RuleCase base =
        roof_case("integer-pipe", level).with("instructions.imad_of_fma.share", 0.9);
    EXPECT_FOUND_FROM(base, "instructions.imad_of_fma.share", 0.5);
    EXPECT_FOUND_FROM(base, "throughput." + level + ".share", 0.6);
    EXPECT_NOT_EVALUATED(base.without("instructions.imad_of_fma.share"),
                         "instructions.imad_of_fma.share");
  }
}

}  // namespace
}  // namespace proofline::integer_pipe_test
