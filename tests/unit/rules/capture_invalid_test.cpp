// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::capture_invalid_test {
namespace {

RuleCase good_capture() {
  return RuleCase("capture-invalid", {{"capture.cycles", 1e6},
                                      {"duration", 6e5},
                                      {"execution.instructions", 1e6},
                                      {"roof.level", "dram"},
                                      {"roof.share", 0.5},
                                      {"capture.samples", 1000},
                                      {"capture.clock_spread.share", 0.02}});
}

TEST(CaptureInvalid, IsSilentOnAGoodCapture) { EXPECT_SILENT(good_capture()); }

TEST(CaptureInvalid, IsFoundWhereNothingRan) {
  const RuleCase base = good_capture();
  for (const char* fact : {"capture.cycles", "duration", "execution.instructions"}) {
    EXPECT_FOUND(base.with(fact, 0));
    EXPECT_SILENT(base.with(fact, 1));
    EXPECT_SILENT(base.without(fact));
  }
}

TEST(CaptureInvalid, IsFoundWhereTheCaptureHasCountersButNoThroughput) {
  const RuleCase base = good_capture().without("roof.level").without("roof.share");
  EXPECT_FOUND(base);
  EXPECT_NOT_EVALUATED(base.with("capture.counters", "none"), "roof.share");
}

TEST(CaptureInvalid, IsFoundWhereSamplingTookNoSampleOfALongLaunch) {
  const RuleCase base = good_capture().with("capture.samples", 0);
  EXPECT_FOUND_FROM(base, "duration", 20e3);
  EXPECT_SILENT(base.with("capture.samples", 1));
  EXPECT_SILENT(base.without("capture.samples"));
}

TEST(CaptureInvalid, IsFoundFromAQuarterBetweenTheClocksOfTwoPasses) {
  const RuleCase base = good_capture().with("capture.clock_spread.share", 0.4);
  EXPECT_FOUND_FROM(base, "capture.clock_spread.share", 0.25);
  EXPECT_FOUND_FROM(base, "duration", 20e3);
  EXPECT_GAIN(base, 0, 0);
}

TEST(CaptureInvalid, SaysThatOnlySetupWasRecorded) {
  const RuleCase base("capture-invalid", {{"capture.only_setup", "yes"}, {"roof.level", "dram"}});
  EXPECT_SAYS(base, "not the one that was meant");
  EXPECT_SILENT(base.without("capture.only_setup"));
}

}  // namespace
}  // namespace proofline::capture_invalid_test
