// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::peer_memory_test {
namespace {

TEST(PeerMemory, IsFoundFromAGigabyteASecondAndAHundredthOfTheSectors) {
  const RuleCase base("peer-memory",
                      {{"memory.peer.bytes_per_second", 5e9}, {"memory.peer.share", 0.1}});
  EXPECT_FOUND_FROM(base, "memory.peer.bytes_per_second", 1e9);
  EXPECT_FOUND_FROM(base, "memory.peer.share", 0.01);
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.883);
  EXPECT_GAIN(base, 0.79, 0.99);
  EXPECT_SAYS(base, "10 % of the sectors come from or go to another GPU's memory, at 5 GB/s");
  EXPECT_NOT_EVALUATED(base.without("memory.peer.bytes_per_second"),
                       "memory.peer.bytes_per_second");
  EXPECT_NOT_EVALUATED(base.without("memory.peer.share"), "memory.peer.share");
}

}  // namespace
}  // namespace proofline::peer_memory_test
