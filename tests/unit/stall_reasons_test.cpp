// SPDX-License-Identifier: Apache-2.0
//
// Every spelling of a stall reason leads to the same row.
#include "vocabulary/stall_reasons.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "vocabulary/metric_catalogue.h"

namespace proofline::stall_reasons_test {
namespace {

std::string_view name_of(std::string_view spelling) {
  const StallReason* reason = find_stall_reason(spelling);
  return reason != nullptr ? reason->name : "none";
}

TEST(StallReasons, AreFoundByEverySpelling) {
  EXPECT_EQ(name_of("long_scoreboard"), "long_scoreboard");
  EXPECT_EQ(name_of("Stall Long Scoreboard"), "long_scoreboard");
  EXPECT_EQ(name_of("stall_long_sb"), "long_scoreboard");
  EXPECT_EQ(name_of("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"),
            "long_scoreboard");
  EXPECT_EQ(name_of("smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct"),
            "long_scoreboard");
  EXPECT_EQ(name_of("smsp__average_warp_latency_issue_stalled_wait.ratio"), "wait");
  EXPECT_EQ(name_of("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"),
            "long_scoreboard");
}

TEST(StallReasons, SamplesSpellTwoDifferently) {
  EXPECT_EQ(name_of("smsp__pcsamp_warps_issue_stalled_no_instructions"), "no_instruction");
  EXPECT_EQ(name_of("smsp__pcsamp_warps_issue_stalled_warpgroup_arrive"), "gmma");
}

TEST(StallReasons, NotSelectedIsNoSuffix) {
  EXPECT_EQ(name_of("smsp__pcsamp_warps_issue_stalled_not_selected_not_issued"), "not_selected");
  EXPECT_EQ(name_of("smsp__pcsamp_warps_issue_stalled_selected_not_issued"), "selected");
}

TEST(StallReasons, OtherNamesAreNone) {
  for (const char* name : {"", "stall", "stalled_", "dram", "smsp__inst_executed.sum",
                           "lts__ltcfabric2lts_cycles_stalled", "stall_memory_dependency"}) {
    EXPECT_EQ(find_stall_reason(name), nullptr) << name;
  }
}

// Whatever counter of a stall reason ncu has on some chip, the table knows the reason.
TEST(StallReasons, CoverEveryCounterOfNcu) {
  std::set<std::string_view> seen;
  for (const std::string_view metric : known_metric_names()) {
    if (metric.find("issue_stalled_") == metric.npos) continue;
    const StallReason* reason = find_stall_reason(metric);
    ASSERT_NE(reason, nullptr) << metric;
    seen.insert(reason->name);
  }
  EXPECT_EQ(seen.size(), stall_reasons().size());
}

TEST(StallReasons, GroupsAreThoseOfTheDiagnosis) {
  const auto group = [](std::string_view name) {
    return to_string(find_stall_reason(name)->group);
  };
  EXPECT_EQ(group("long_scoreboard"), "memory");
  EXPECT_EQ(group("short_scoreboard"), "memory");
  EXPECT_EQ(group("mio_throttle"), "memory");
  EXPECT_EQ(group("barrier"), "synchronisation");
  EXPECT_EQ(group("gmma"), "synchronisation");
  EXPECT_EQ(group("math_pipe_throttle"), "compute");
  EXPECT_EQ(group("selected"), "compute");
  EXPECT_EQ(group("no_instruction"), "other");
}

}  // namespace
}  // namespace proofline::stall_reasons_test
