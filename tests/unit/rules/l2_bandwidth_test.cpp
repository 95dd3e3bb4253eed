// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::l2_bandwidth_test {
namespace {

TEST(L2Bandwidth, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("l2-bandwidth", "l2");
  EXPECT_FOUND_FROM(base, "throughput.l2.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "dram"));
  EXPECT_GAIN(base, 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.l2.share"), "throughput.l2.share");
}

TEST(L2Bandwidth, IsReachedFromThreeQuarters) {
  const RuleCase base =
      roof_case("l2-bandwidth", "l2").with("throughput.l2.bytes_per_second", 4.1e12);
  EXPECT_SAYS(base.with("throughput.l2.share", 0.75),
              "L2 is at 75 % of its peak (4.1 TB/s): the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.l2.share", 0.74), "L2 is the nearest roof, at 74 %");
  EXPECT_ADVISES(base.with("throughput.l2.share", 0.74), "keep more work in flight");
}

}  // namespace
}  // namespace proofline::l2_bandwidth_test
