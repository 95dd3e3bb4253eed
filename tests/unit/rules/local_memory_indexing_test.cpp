// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::local_memory_indexing_test {
namespace {

TEST(LocalMemoryIndexing, IsFoundFromAHundredthOfTheInstructions) {
  const RuleCase base("local-memory-indexing", {{"memory.indexing_instructions.share", 0.1},
                                                {"memory.local.sectors.share", 0.8},
                                                {"stall.group.memory.share", 0.5}});
  EXPECT_FOUND_FROM(base, "memory.indexing_instructions.share", 0.01);
  EXPECT_GAIN(base, 0.18, 0.46);
  EXPECT_NOT_EVALUATED(base.without("memory.indexing_instructions.share"),
                       "memory.indexing_instructions.share");
}

TEST(LocalMemoryIndexing, CostsItsIssueSlotsOrItsPartOfTheWaiting) {
  const RuleCase base("local-memory-indexing", {{"memory.indexing_instructions.share", 0.02},
                                                {"memory.local.sectors.share", 0},
                                                {"stall.group.memory.share", 0}});
  EXPECT_SILENT(base);
  EXPECT_FOUND_FROM(base, "memory.indexing_instructions.share", 0.05);
  EXPECT_FOUND_FROM(base.with("memory.local.sectors.share", 0.5), "stall.group.memory.share", 0.1);
  EXPECT_NOT_EVALUATED(base.without("memory.local.sectors.share"), "memory.local.sectors.share");
}

}  // namespace
}  // namespace proofline::local_memory_indexing_test
