// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::fp64_pipe_test {
namespace {

TEST(Fp64Pipe, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("fp64-pipe", "fp64");
  EXPECT_FOUND_FROM(base, "throughput.fp64.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "fma"));
  EXPECT_GAIN(base, 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.fp64.share"), "throughput.fp64.share");
}

TEST(Fp64Pipe, IsReachedFromThreeQuarters) {
  const RuleCase base = roof_case("fp64-pipe", "fp64");
  EXPECT_SAYS(base.with("throughput.fp64.share", 0.75),
              "The FP64 pipe is at 75 % of its peak: the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.fp64.share", 0.74),
              "The FP64 pipe is the nearest roof, at 74 %");
  EXPECT_ADVISES(base.with("throughput.fp64.share", 0.74), "keep more work in flight");
}

TEST(Fp64Pipe, IsFoundBehindAnotherRoofWhereTheDataIsNoDouble) {
  const RuleCase base =
      roof_case("fp64-pipe", "fp64").with("instructions.fp64_conversion.share", 0.03);
  EXPECT_GAIN(base, 0.5, 1);
  EXPECT_GAIN(base.with("throughput.dram.share", 0.465), 0.25, 0.5);
  EXPECT_ADVISES(base, "compute in FP32");
  EXPECT_FOUND(base.with("roof.level", "issue"));
  EXPECT_SILENT(base.with("roof.level", "issue").with("instructions.fp64_conversion.share", 0.029));
}

TEST(Fp64Pipe, CountsDivisionsAsWorkThatCanGo) {
  const RuleCase base =
      roof_case("fp64-pipe", "fp64").with("instructions.fp64_division.share", 0.5);
  EXPECT_GAIN(base, 0.285, 0.57);
  EXPECT_ADVISES(base, "divide less");
  EXPECT_GAIN(base.with("instructions.fp64_division.share", 0.1499), 0, 0.14);
}

}  // namespace
}  // namespace proofline::fp64_pipe_test
