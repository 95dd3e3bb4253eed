// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::shared_bank_conflicts_test {
namespace {

TEST(SharedBankConflicts, IsFoundFromAQuarterOfTheWavefronts) {
  const RuleCase base("shared-bank-conflicts",
                      {{"memory.shared.excess.share", 0.5}, {"throughput.shared.share", 0.6}});
  EXPECT_FOUND_FROM(base, "memory.shared.excess.share", 0.25);
  EXPECT_GAIN(base, 0.22, 0.5);
  EXPECT_NOT_EVALUATED(base.without("memory.shared.excess.share"), "memory.shared.excess.share");
}

TEST(SharedBankConflicts, WantsSharedMemoryToMatter) {
  const RuleCase base("shared-bank-conflicts", {{"memory.shared.excess.share", 0.5}});
  EXPECT_SILENT(base);
  EXPECT_FOUND_FROM(base, "throughput.shared.share", 0.1501);
  EXPECT_FOUND_FROM(base, "stall.short_scoreboard.share", 0.2);
  EXPECT_FOUND_FROM(base, "stall.mio_throttle.share", 0.2);
}

TEST(SharedBankConflicts, GainsNoMoreThanTheNextRoofLeaves) {
  const RuleCase base("shared-bank-conflicts",
                      {{"memory.shared.excess.share", 0.5}, {"throughput.shared.share", 0.6}});
  EXPECT_GAIN(base.with("throughput.fma.share", 0.837), 0.04, 0.16);
  EXPECT_GAIN(base.with("throughput.l1.share", 0.99).with("throughput.lsu.share", 0.99), 0.22, 0.5);
}

}  // namespace
}  // namespace proofline::shared_bank_conflicts_test
