// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::atomic_contention_test {
namespace {

TEST(AtomicContention, IsFoundWhereOneSliceIsBusyAndTheOthersAreNot) {
  const RuleCase base("atomic-contention", {{"memory.atomic.busiest_slice.share", 0.8},
                                            {"memory.atomic.mean_slice.share", 0.01},
                                            {"stall.group.memory.share", 0.5}});
  EXPECT_FOUND_FROM(base, "memory.atomic.busiest_slice.share", 0.2);
  EXPECT_GAIN(base, 0.77, 0.99);
  EXPECT_NOT_EVALUATED(base.without("memory.atomic.busiest_slice.share"),
                       "memory.atomic.busiest_slice.share");
  EXPECT_NOT_EVALUATED(base.without("memory.atomic.mean_slice.share"),
                       "memory.atomic.mean_slice.share");
}

TEST(AtomicContention, WantsASliceTwiceAsBusyAsTheMeanOrAllOfThemBusy) {
  const RuleCase base("atomic-contention", {{"memory.atomic.busiest_slice.share", 0.6},
                                            {"memory.atomic.mean_slice.share", 0.01}});
  EXPECT_FOUND_UP_TO(base, "memory.atomic.mean_slice.share", 0.3);
  EXPECT_FOUND_FROM(base, "memory.atomic.mean_slice.share", 0.5);
}

TEST(AtomicContention, GainsNothingWhereAnotherLevelIsFull) {
  const RuleCase base("atomic-contention", {{"memory.atomic.busiest_slice.share", 0.8},
                                            {"memory.atomic.mean_slice.share", 0.01}});
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.883);
  // These are busy with the atomics themselves.
  EXPECT_FOUND(base.with("throughput.l2.share", 0.99).with("throughput.lsu.share", 0.99));
}

TEST(AtomicContention, IsFoundWhereAtomicsQueueInSharedMemory) {
  const RuleCase base("atomic-contention", {{"memory.shared.atomic.share", 0.6},
                                            {"memory.shared.excess.share", 0.5},
                                            {"execution.active_threads.share", 1},
                                            {"stall.short_scoreboard.share", 0.4},
                                            {"stall.mio_throttle.share", 0.1},
                                            {"stall.lg_throttle.share", 0},
                                            {"memory.atomic.busiest_slice.share", 0}});
  EXPECT_FOUND_FROM(base, "memory.shared.atomic.share", 0.3);
  EXPECT_FOUND_FROM(base, "memory.shared.excess.share", 0.3);
  EXPECT_GAIN(base, 0.1, 0.35);
  EXPECT_SAYS(base, "queue for the same address");
  EXPECT_NOT_EVALUATED(base.without("memory.shared.excess.share"), "memory.shared.excess.share");
  const RuleCase idle =
      base.with("stall.short_scoreboard.share", 0).with("stall.mio_throttle.share", 0);
  for (const char* fact :
       {"stall.short_scoreboard.share", "stall.mio_throttle.share", "stall.lg_throttle.share"}) {
    EXPECT_FOUND_FROM(idle, fact, 0.1);
    EXPECT_NOT_EVALUATED(idle.without(fact), fact);
  }
  EXPECT_FOUND_FROM(idle, "throughput.shared.share", 0.1);
}

TEST(AtomicContention, IsFoundWhereLanesRetryAnAtomicInSharedMemory) {
  const RuleCase base("atomic-contention", {{"memory.shared.atomic.share", 0.6},
                                            {"memory.shared.excess.share", 0.1},
                                            {"execution.active_threads.share", 0.6},
                                            {"instructions.atomic.share", 0.08},
                                            {"stall.short_scoreboard.share", 0.4}});
  EXPECT_FOUND_UP_TO(base, "execution.active_threads.share", 0.75);
  EXPECT_FOUND_FROM(base, "instructions.atomic.share", 0.05);
  EXPECT_FOUND_FROM(base, "stall.short_scoreboard.share", 0.2);
  EXPECT_GAIN(base, 0.22, 0.5);
  EXPECT_SAYS(base, "lanes that lost an address try again");
  // Lanes that wait for DRAM anyway lose little.
  EXPECT_SILENT(base.with("throughput.dram.share", 0.9));
}

TEST(AtomicContention, AdvisesWhatTheGpuHas) {
  const RuleCase base("atomic-contention", {{"memory.shared.atomic.share", 0.6},
                                            {"memory.shared.excess.share", 0.5},
                                            {"stall.short_scoreboard.share", 0.4},
                                            {"stall.mio_throttle.share", 0.1},
                                            {"stall.lg_throttle.share", 0}});
  EXPECT_ADVISES(base.with("device.compute_capability", 8.6), "__reduce_add_sync");
  EXPECT_ADVISES(base.with("device.compute_capability", 7.5), "(__match_any_sync, shuffles)");
  EXPECT_ADVISES(base.with("device.compute_capability", 6.1), "(shuffles)");
}

}  // namespace
}  // namespace proofline::atomic_contention_test
