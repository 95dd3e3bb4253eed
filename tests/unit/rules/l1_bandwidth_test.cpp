// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::l1_bandwidth_test {
namespace {

TEST(L1Bandwidth, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("l1-bandwidth", "l1");
  EXPECT_FOUND_FROM(base, "throughput.l1.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "l2"));
  EXPECT_GAIN(base.with("throughput.dram.share", 0.465), 0, 0.5);
  // Where the work itself fills the level, that level is what it needs.
  EXPECT_GAIN(base.with("throughput.dram.share", 0.8), 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.l1.share"), "throughput.l1.share");
}

TEST(L1Bandwidth, IsReachedFromThreeQuarters) {
  const RuleCase base =
      roof_case("l1-bandwidth", "l1").with("throughput.l1.bytes_per_second", 4.1e12);
  EXPECT_SAYS(base.with("throughput.l1.share", 0.75),
              "L1 is at 75 % of its peak (4.1 TB/s): the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.l1.share", 0.74), "L1 is the nearest roof, at 74 %");
}

}  // namespace
}  // namespace proofline::l1_bandwidth_test
