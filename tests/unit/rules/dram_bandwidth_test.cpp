// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::dram_bandwidth_test {
namespace {

TEST(DramBandwidth, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("dram-bandwidth", "dram");
  EXPECT_FOUND_FROM(base, "throughput.dram.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "l2"));
  EXPECT_GAIN(base, 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.dram.share"), "throughput.dram.share");
}

TEST(DramBandwidth, IsReachedFromThreeQuarters) {
  const RuleCase base =
      roof_case("dram-bandwidth", "dram").with("throughput.dram.bytes_per_second", 4.1e12);
  EXPECT_SAYS(base.with("throughput.dram.share", 0.75),
              "DRAM is at 75 % of its peak (4.1 TB/s): the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.dram.share", 0.74), "DRAM is the nearest roof, at 74 %");
  EXPECT_ADVISES(base.with("throughput.dram.share", 0.74), "keep more work in flight");
}

}  // namespace
}  // namespace proofline::dram_bandwidth_test
