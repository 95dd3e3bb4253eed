// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::register_spills_test {
namespace {

TEST(RegisterSpills, IsFoundFromAHundredthOfTheInstructions) {
  const RuleCase base("register-spills", {{"memory.spill_instructions.share", 0.1},
                                          {"memory.local.sectors.share", 0.8},
                                          {"stall.group.memory.share", 0.5}});
  EXPECT_FOUND_FROM(base, "memory.spill_instructions.share", 0.01);
  EXPECT_GAIN(base, 0.18, 0.46);
  EXPECT_NOT_EVALUATED(base.without("memory.spill_instructions.share"),
                       "memory.spill_instructions.share");
}

TEST(RegisterSpills, CostsItsIssueSlotsOrItsPartOfTheWaiting) {
  const RuleCase base("register-spills", {{"memory.spill_instructions.share", 0.02},
                                          {"memory.local.sectors.share", 0},
                                          {"stall.group.memory.share", 0}});
  EXPECT_SILENT(base);
  EXPECT_FOUND_FROM(base, "memory.spill_instructions.share", 0.05);
  EXPECT_FOUND_FROM(base.with("memory.local.sectors.share", 0.5), "stall.group.memory.share", 0.1);
  EXPECT_NOT_EVALUATED(base.without("memory.local.sectors.share"), "memory.local.sectors.share");
}

TEST(RegisterSpills, AdvisesMoreRegistersOnlyWhereThereAreSome) {
  const RuleCase base("register-spills", {{"memory.spill_instructions.share", 0.1},
                                          {"memory.local.sectors.share", 0.8},
                                          {"stall.group.memory.share", 0.5}});
  EXPECT_ADVISES(base.with("occupancy.registers_per_thread", 254),
                 "give the kernel more registers");
  EXPECT_ADVISES(base.with("occupancy.registers_per_thread", 255),
                 "a thread has all its registers already");
}

TEST(RegisterSpills, SaysWhereTheRegistersToldIt) {
  const RuleCase base("register-spills", {{"memory.spill_instructions.share", 0.2},
                                          {"memory.local.sectors.share", 0.5},
                                          {"stall.group.memory.share", 0.6},
                                          {"occupancy.registers_per_thread", 64}});
  EXPECT_SAYS(base.with("memory.local.unmarked", "yes"),
              "told by its 64 registers: the capture does not mark spills");
}

}  // namespace
}  // namespace proofline::register_spills_test
