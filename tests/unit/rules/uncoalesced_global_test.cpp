// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::uncoalesced_global_test {
namespace {

RuleCase scattered() {
  return RuleCase("uncoalesced-global", {{"memory.global.excess.share", 0.75},
                                         {"memory.global.overfetch.share", 0.7},
                                         {"throughput.dram.share", 0.6}});
}

TEST(UncoalescedGlobal, IsFoundFromThreeTenthsOfTheSectors) {
  const RuleCase base = scattered();
  EXPECT_FOUND_FROM(base, "memory.global.excess.share", 0.3);
  EXPECT_GAIN(base, 0.18, 0.46);
  // DRAM moves as many bytes as before where a cache absorbed the waste.
  EXPECT_GAIN(base.with("memory.dram.overfetch.share", 0.7), 0.52, 0.8);
  EXPECT_NOT_EVALUATED(base.without("memory.global.excess.share"), "memory.global.excess.share");
}

TEST(UncoalescedGlobal, WantsATenthOfTheTimeToBeGained) {
  const RuleCase idle = scattered().without("throughput.dram.share");
  EXPECT_SILENT(idle);
  // What is moved for nothing beyond L1, as far as a level there is busy.
  EXPECT_FOUND_FROM(idle, "throughput.dram.share", 0.08575);
  EXPECT_FOUND_FROM(idle, "throughput.l2.share", 0.08575);
  // What is moved for nothing in L1, as far as warps queue for it.
  EXPECT_FOUND_FROM(idle, "throughput.l1.share", 0.10005);
  EXPECT_FOUND_FROM(idle, "stall.lg_throttle.share", 0.10005);
}

TEST(UncoalescedGlobal, GainsNothingWhereALevelThatTheSectorsDoNotPassIsFull) {
  const RuleCase base = scattered();
  EXPECT_FOUND_UP_TO(base, "throughput.tensor.share", 0.8365);
  EXPECT_SILENT(base.with("throughput.dram.share", 0.99).with("memory.dram.overfetch.share", 0));
  EXPECT_NOT_EVALUATED(base.with("throughput.dram.share", 0.99), "memory.dram.overfetch.share");
  EXPECT_FOUND(base.with("throughput.dram.share", 0.99).with("memory.dram.overfetch.share", 0.3));
  for (const char* passed :
       {"throughput.l2.share", "throughput.l1.share", "throughput.lsu.share"}) {
    EXPECT_FOUND(base.with(passed, 0.99));
  }
}

TEST(UncoalescedGlobal, TakesTheUsedShareOfSectorsWhereTheyWereNotCounted) {
  for (const std::string op : {"load", "store"}) {
    const std::string use = "memory.global." + op + ".sector_use.share";
    const std::string sectors = "memory.global." + op + ".sectors_per_request";
    const RuleCase base("uncoalesced-global", {{use, 0.25},
                                               {sectors, 16},
                                               {"memory.global.overfetch.share", 0.7},
                                               {"throughput.dram.share", 0.6}});
    EXPECT_NOT_EVALUATED(base.without("memory.global.overfetch.share"),
                         "memory.global.overfetch.share");
    EXPECT_FOUND_UP_TO(base, use, 0.7);
    // Lanes that share an address use little of a sector too.
    EXPECT_FOUND_FROM(base, sectors, 8);
  }
}

TEST(UncoalescedGlobal, CostsNothingInAnL1ThatOthersOutpace) {
  const RuleCase absorbed = RuleCase("uncoalesced-global", {{"memory.global.excess.share", 0.55},
                                                            {"memory.global.overfetch.share", 0},
                                                            {"throughput.l1.share", 0.5}});
  EXPECT_FOUND(absorbed);
  EXPECT_SILENT(absorbed.with("throughput.issue.share", 0.6));
}

TEST(UncoalescedGlobal, CountsWhereAFullSmOnlyWaitsForIt) {
  const RuleCase slow = scattered().with("throughput.dram.share", 0.25);
  EXPECT_GAIN(slow, 0.117, 0.392);
  EXPECT_GAIN(slow.with("stall.long_scoreboard.share", 0.95).with("occupancy.achieved", 1), 0.48,
              0.76);
}

}  // namespace
}  // namespace proofline::uncoalesced_global_test
