// SPDX-License-Identifier: Apache-2.0
//
// Launches of one kernel in one shape, taken together.
#include "diagnosis/group.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/made_captures.h"

namespace proofline::group_test {
namespace {

TEST(Groups, TheMedianLaunchStandsForAll) {
  Capture capture;
  for (const double time : {50.0, 10.0, 40.0, 20.0}) {
    capture.add("k()", kGrid, kBlock, time_of(time));
  }
  capture.add("k()", {1, 1, 1}, kBlock, time_of(5));
  const std::vector<LaunchGroup> groups = group_launches(capture.profile());
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].launches, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(groups[0].representative, 3U);
  EXPECT_EQ(groups[0].spread.count, 4U);
  EXPECT_EQ(groups[0].spread.min_ns, 10);
  EXPECT_EQ(groups[0].spread.median_ns, 30);
  EXPECT_EQ(groups[0].spread.max_ns, 50);
  EXPECT_EQ(groups[0].spread.total_ns, 120);
  EXPECT_EQ(groups[1].representative, 4U);
}

TEST(Groups, LaunchesWithoutADurationCountButDoNotSpread) {
  Capture capture;
  capture.add("k()", kGrid, kBlock, {{"launch__grid_size", 64}});
  capture.add("k()", kGrid, kBlock, time_of(7));
  const std::vector<LaunchGroup> groups = group_launches(capture.profile());
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].spread.count, 2U);
  EXPECT_EQ(groups[0].representative, 1U);
  EXPECT_EQ(groups[0].spread.median_ns, 7);
  Capture none;
  none.add("k()", kGrid, kBlock, {});
  EXPECT_FALSE(group_launches(none.profile())[0].spread.median_ns);
}

}  // namespace
}  // namespace proofline::group_test
