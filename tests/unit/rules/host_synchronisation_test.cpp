// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::host_synchronisation_test {
namespace {

TEST(HostSynchronisation, IsFoundFromATwentieth) {
  const RuleCase base("host-synchronisation", {{"timeline.synchronisation.share", 0.2}});
  EXPECT_FOUND_FROM(base, "timeline.synchronisation.share", 0.05);
  EXPECT_GAIN(base, 0.1, 0.2);
  EXPECT_ADVISES(base, ".item()");
  EXPECT_NOT_EVALUATED(base.without("timeline.synchronisation.share"),
                       "timeline.synchronisation.share");
}

TEST(HostSynchronisation, TellsCopiesFromSynchronisation) {
  const RuleCase base("host-synchronisation", {{"timeline.synchronisation.share", 0.2},
                                               {"timeline.idle.block.share", 0.15}});
  EXPECT_SAYS(base, "copies to end");
  EXPECT_ADVISES(base, "pinned memory");
}

}  // namespace
}  // namespace proofline::host_synchronisation_test
