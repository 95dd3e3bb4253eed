// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::host_memory_test {
namespace {

TEST(HostMemory, IsFoundFromAGigabyteASecondAndAHundredthOfTheSectors) {
  const RuleCase base("host-memory",
                      {{"memory.host.bytes_per_second", 5e9}, {"memory.host.share", 0.1}});
  EXPECT_FOUND_FROM(base, "memory.host.bytes_per_second", 1e9);
  EXPECT_FOUND_FROM(base, "memory.host.share", 0.01);
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.883);
  EXPECT_GAIN(base, 0.79, 0.99);
  EXPECT_SAYS(base, "10 % of the sectors come from or go to host memory, at 5 GB/s");
  EXPECT_NOT_EVALUATED(base.without("memory.host.bytes_per_second"),
                       "memory.host.bytes_per_second");
  EXPECT_NOT_EVALUATED(base.without("memory.host.share"), "memory.host.share");
}

}  // namespace
}  // namespace proofline::host_memory_test
