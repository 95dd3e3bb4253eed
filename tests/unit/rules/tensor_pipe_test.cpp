// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::tensor_pipe_test {
namespace {

TEST(TensorPipe, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("tensor-pipe", "tensor");
  EXPECT_FOUND_FROM(base, "throughput.tensor.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "shared"));
  EXPECT_GAIN(base, 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.tensor.share"), "throughput.tensor.share");
}

TEST(TensorPipe, IsReachedFromThreeQuarters) {
  const RuleCase base = roof_case("tensor-pipe", "tensor");
  EXPECT_SAYS(base.with("throughput.tensor.share", 0.75),
              "The tensor pipe is at 75 % of its peak: the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.tensor.share", 0.74),
              "The tensor pipe is the nearest roof, at 74 %");
  EXPECT_ADVISES(base.with("throughput.tensor.share", 0.74), "keep more work in flight");
}

TEST(TensorPipe, IsFoundWhereItAndTheSpecialFunctionsTakeTurns) {
  const RuleCase base("tensor-pipe", {{"throughput.tensor.share", 0.48},
                                      {"throughput.special-function.share", 0.49},
                                      {"roof.level", "issue"}});
  EXPECT_FOUND_FROM(base, "throughput.tensor.share", 0.36);
  EXPECT_FOUND_FROM(base, "throughput.special-function.share", 0.37);
  EXPECT_SAYS(base, "they work in turns rather than at once");
  EXPECT_GAIN(base, 0, 0.47);
}

}  // namespace
}  // namespace proofline::tensor_pipe_test
