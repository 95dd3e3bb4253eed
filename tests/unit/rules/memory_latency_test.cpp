// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::memory_latency_test {
namespace {

RuleCase waits_for_loads() {
  return RuleCase(
      "memory-latency",
      {{"stall.long_scoreboard.share", 0.5}, {"roof.share", 0.3}, {"roof.headroom", 0.68}});
}

TEST(MemoryLatency, IsFoundFromThreeTenthsOfTheTimeWhereNoLevelIsBusy) {
  const RuleCase base = waits_for_loads();
  EXPECT_FOUND_FROM(base, "stall.long_scoreboard.share", 0.3);
  EXPECT_FOUND_UP_TO(base, "roof.share", 0.6);
  EXPECT_GAIN(base, 0.245, 0.525);
  EXPECT_ADVISES(base, "put more loads in flight");
  EXPECT_NOT_EVALUATED(base.without("stall.long_scoreboard.share"), "stall.long_scoreboard.share");
  EXPECT_NOT_EVALUATED(base.without("roof.share"), "roof.share");
}

TEST(MemoryLatency, AdvisesByWhatTheLoadsAreLike) {
  const RuleCase base = waits_for_loads();
  EXPECT_ADVISES(base.with("memory.global.excess.share", 0.3), "sort or bin the indices");
  EXPECT_ADVISES(base.with("memory.global.excess.share", 0.29), "put more loads in flight");
  EXPECT_SAYS(base.with("memory.l2.hit.share", 0.8), "the data is in L2");
  EXPECT_FALSE(says(base.with("memory.l2.hit.share", 0.79), "the data is in L2"));
  EXPECT_ADVISES(base.with("launch.waves", 0.5), "fills only 50 % of the block slots");
  EXPECT_FALSE(advises(base.with("launch.waves", 0.51), "block slots"));
}

TEST(MemoryLatency, AdvisesCopiesThatTheGpuHas) {
  const RuleCase base(
      "memory-latency",
      {{"stall.long_scoreboard.share", 0.6}, {"roof.share", 0.2}, {"roof.headroom", 0.7}});
  EXPECT_ADVISES(base.with("device.compute_capability", 9.0), "TMA stages");
  EXPECT_ADVISES(base.with("device.compute_capability", 8.6), "iteration, cp.async stages)");
  EXPECT_ADVISES(base.with("device.compute_capability", 7.5), "iteration into registers)");
}

}  // namespace
}  // namespace proofline::memory_latency_test
