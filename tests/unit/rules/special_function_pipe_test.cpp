// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::special_function_pipe_test {
namespace {

TEST(SpecialFunctionPipe, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("special-function-pipe", "special-function");
  EXPECT_FOUND_FROM(base, "throughput.special-function.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "fma"));
  EXPECT_GAIN(base, 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.special-function.share"),
                       "throughput.special-function.share");
}

TEST(SpecialFunctionPipe, IsReachedFromThreeQuarters) {
  const RuleCase base = roof_case("special-function-pipe", "special-function");
  EXPECT_SAYS(base.with("throughput.special-function.share", 0.75),
              "The special-function pipe is at 75 % of its peak: the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.special-function.share", 0.74),
              "The special-function pipe is the nearest roof, at 74 %");
  EXPECT_ADVISES(base.with("throughput.special-function.share", 0.74), "keep more work in flight");
}

}  // namespace
}  // namespace proofline::special_function_pipe_test
