// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::lane_predication_test {
namespace {

TEST(LanePredication, IsFoundFromAQuarterOfTheActiveThreads) {
  const RuleCase base("lane-predication",
                      {{"execution.predicated_off.share", 0.4}, {"throughput.issue.share", 0.8}});
  EXPECT_FOUND_FROM(base, "execution.predicated_off.share", 0.25);
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.883);
  EXPECT_FOUND_UP_TO(base, "throughput.l2.share", 0.883);
  EXPECT_GAIN(base, 0.22, 0.5);
  // Where neither issue nor a pipe binds, lanes that are off cost nothing.
  EXPECT_FOUND_FROM(base, "throughput.issue.share", 0.48751);
  EXPECT_NOT_EVALUATED(base.without("execution.predicated_off.share"),
                       "execution.predicated_off.share");
}

}  // namespace
}  // namespace proofline::lane_predication_test
