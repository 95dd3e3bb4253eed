// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::instruction_cache_test {
namespace {

TEST(InstructionCache, IsFoundFromFifteenPercentOfTheTimeInAWarmLaunch) {
  const RuleCase base(
      "instruction-cache",
      {{"stall.no_instruction.share", 0.3}, {"duration", 1e5}, {"roof.headroom", 0.5}});
  EXPECT_FOUND_FROM(base, "stall.no_instruction.share", 0.15);
  EXPECT_FOUND_FROM(base, "duration", 20e3);
  EXPECT_FOUND_FROM(base, "roof.headroom", 0.05);
  EXPECT_GAIN(base, 0.12, 0.4);
  EXPECT_SAYS(base.with("instructions.footprint", 65536), "the code that ran is 64 KiB");
  EXPECT_NOT_EVALUATED(base.without("stall.no_instruction.share"), "stall.no_instruction.share");
  EXPECT_NOT_EVALUATED(base.without("duration"), "duration");
}

}  // namespace
}  // namespace proofline::instruction_cache_test
