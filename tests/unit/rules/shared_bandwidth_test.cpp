// SPDX-License-Identifier: Apache-2.0
#include "support/roof_case.h"

namespace proofline::shared_bandwidth_test {
namespace {

TEST(SharedBandwidth, IsFoundFromThreeFifthsOfThePeakWhereItIsTheRoof) {
  const RuleCase base = roof_case("shared-bandwidth", "shared");
  EXPECT_FOUND_FROM(base, "throughput.shared.share", 0.6);
  EXPECT_SILENT(base.with("roof.level", "l1"));
  EXPECT_GAIN(base.with("throughput.dram.share", 0.465), 0, 0.5);
  // Where the work itself fills the level, that level is what it needs.
  EXPECT_GAIN(base.with("throughput.dram.share", 0.8), 0, 0.14);
  EXPECT_NOT_EVALUATED(base.without("roof.level"), "roof.level");
  EXPECT_NOT_EVALUATED(base.without("throughput.shared.share"), "throughput.shared.share");
}

TEST(SharedBandwidth, IsReachedFromThreeQuarters) {
  const RuleCase base =
      roof_case("shared-bandwidth", "shared").with("throughput.shared.bytes_per_second", 4.1e12);
  EXPECT_SAYS(base.with("throughput.shared.share", 0.75),
              "Shared memory is at 75 % of its peak (4.1 TB/s): the kernel is at this roof");
  EXPECT_SAYS(base.with("throughput.shared.share", 0.74),
              "Shared memory is the nearest roof, at 74 %");
}

}  // namespace
}  // namespace proofline::shared_bandwidth_test
