// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::copy_bound_test {
namespace {

TEST(CopyBound, IsFoundFromATenthOfTheSpan) {
  const RuleCase base("copy-bound",
                      {{"timeline.copy.exposed.share", 0.5}, {"timeline.kernels.share", 0.3}});
  EXPECT_FOUND_FROM(base, "timeline.copy.exposed.share", 0.1);
  // No more can be hidden than there are kernels.
  EXPECT_GAIN(base, 0.3, 0.5);
  EXPECT_GAIN(base.with("timeline.kernels.share", 0.9), 0.5, 0.5);
  EXPECT_ADVISES(base, "stream of its own");
  EXPECT_NOT_EVALUATED(base.without("timeline.copy.exposed.share"), "timeline.copy.exposed.share");
}

TEST(CopyBound, AdvisesPinnedMemoryWhereMostIsPageable) {
  const RuleCase base("copy-bound", {{"timeline.copy.exposed.share", 0.5},
                                     {"timeline.kernels.share", 0.3},
                                     {"timeline.copy.pageable.share", 0.5}});
  EXPECT_ADVISES(base, "pinned memory");
}

}  // namespace
}  // namespace proofline::copy_bound_test
