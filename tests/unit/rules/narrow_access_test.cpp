// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::narrow_access_test {
namespace {

TEST(NarrowAccess, IsFoundUpToTwoBytesAThreadAwayFromTheDramRoof) {
  const RuleCase base("narrow-access", {{"memory.global.width", 1},
                                        {"memory.global.instructions.share", 0.1},
                                        {"stall.group.memory.share", 0.9},
                                        {"throughput.dram.share", 0.3}});
  EXPECT_FOUND_UP_TO(base, "memory.global.width", 2);
  EXPECT_FOUND_FROM(base, "memory.global.instructions.share", 0.04);
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.75);
  EXPECT_GAIN(base, 0.4, 0.68);
  for (const char* fact : {"memory.global.width", "memory.global.instructions.share",
                           "stall.group.memory.share", "throughput.dram.share"}) {
    EXPECT_NOT_EVALUATED(base.without(fact), fact);
  }
  // No pipe at its roof is relieved by wider accesses, and no more goes than they cost.
  EXPECT_FOUND_UP_TO(base, "throughput.fp64.share", 0.883);
  EXPECT_FOUND_FROM(base, "stall.group.memory.share", 0.05);
}

}  // namespace
}  // namespace proofline::narrow_access_test
