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

TEST(L2Bandwidth, NamesWhoFillsItOnTheWayIn) {
  const RuleCase base =
      roof_case("l2-bandwidth", "l2").with("throughput.l2.path", "lts__xbar2lts_cycles_active");
  EXPECT_SAYS(base, "(stores, atomics, local memory)");
  EXPECT_SAYS(base.with("memory.l2.inbound.global.share", 0.6), "(mostly stores)");
  EXPECT_SAYS(base.with("memory.l2.inbound.local.share", 0.6), "(mostly local memory)");
  EXPECT_ADVISES(base.with("memory.l2.inbound.atomic.share", 0.6), "send fewer atomics");
}

TEST(L2Bandwidth, AdvisesMulticastWhereThereAreClusters) {
  const RuleCase base = roof_case("l2-bandwidth", "l2").with("throughput.l2.share", 0.9);
  EXPECT_ADVISES(base.with("device.compute_capability", 9.0), "multicast");
  EXPECT_ADVISES(base.with("device.compute_capability", 8.9), "or registers) so that");
}

}  // namespace
}  // namespace proofline::l2_bandwidth_test
