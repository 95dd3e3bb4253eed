// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::constant_cache_test {
namespace {

TEST(ConstantCache, IsFoundFromAFifthOfTheTimeInAWarmLaunch) {
  const RuleCase base("constant-cache", {{"stall.imc_miss.share", 0.4}, {"duration", 1e5}});
  EXPECT_FOUND_FROM(base, "stall.imc_miss.share", 0.2);
  EXPECT_FOUND_FROM(base, "duration", 20e3);
  EXPECT_GAIN(base, 0.22, 0.5);
  EXPECT_NOT_EVALUATED(base.without("stall.imc_miss.share"), "throughput.constant.share");
}

TEST(ConstantCache, IsFoundFromHalfOfTheCachesPeak) {
  const RuleCase base("constant-cache", {{"throughput.constant.share", 0.8}, {"duration", 1e3}});
  EXPECT_FOUND_FROM(base, "throughput.constant.share", 0.5);
  EXPECT_GAIN(base, 0.62, 0.9);
  EXPECT_SAYS(base, "indexed constant loads");
}

TEST(ConstantCache, CountsQueuesWhereTheCacheIsBusy) {
  const RuleCase base("constant-cache", {{"throughput.constant.share", 0.5}});
  EXPECT_GAIN(base.with("stall.mio_throttle.share", 0.3).with("stall.short_scoreboard.share", 0.5),
              0.62, 0.9);
}

TEST(ConstantCache, GainsNothingWhereALevelIsFull) {
  const RuleCase base("constant-cache", {{"stall.imc_miss.share", 0.4}, {"duration", 1e5}});
  EXPECT_FOUND_UP_TO(base, "throughput.fma.share", 0.883);
}

}  // namespace
}  // namespace proofline::constant_cache_test
