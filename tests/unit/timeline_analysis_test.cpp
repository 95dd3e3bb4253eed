// SPDX-License-Identifier: Apache-2.0
//
// The pieces of a timeline's analysis, on made timelines: joining by correlation, sweeps, and what
// is left out as start-up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/collectives.h"
#include "analysis/timeline/device_time.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/launches.h"
#include "analysis/timeline/memory_peak.h"
#include "analysis/timeline/ranks.h"
#include "analysis/timeline/start_up.h"
#include "analysis/timeline/timeline_report.h"
#include "base/interned.h"
#include "support/made_timeline.h"

namespace proofline::timeline_analysis_test {
namespace {

TEST(TimelineLaunches, JoinsWhateverNumbersThereAre) {
  for (const std::uint32_t step : {1U, 3U, 40'000'000U}) {
    Timeline timeline = empty_timeline();
    for (std::uint32_t i = 0; i < 100; ++i) {
      // In another order than that of their numbers.
      const std::uint32_t number = i * 37 % 100;
      add_launch(timeline, 10 * i, 10 * i + 5, 10 * i + 8, 1 + number * step);
    }
    timeline.ops[7].correlation = 0;                                         // not known
    timeline.ops[8].correlation = 4'294'967'295U;                            // of no call
    timeline.calls.push_back({0, 1, 1, 0, timeline.calls[50].correlation});  // earlier than it
    const Launches launches = join_launches(timeline);
    for (std::uint32_t i = 0; i < 100; ++i) {
      const std::uint32_t expected = i == 7 || i == 8 ? kNoPosition : i == 50 ? 100 : i;
      EXPECT_EQ(launches.call_of_op[i], expected) << i << ", step " << step;
    }
    EXPECT_EQ(launches.launches_without_op, 2) << step;
  }
}

// By the innermost operator of the call's own thread, whatever order the file has them in.
TEST(TimelineLaunches, AreOfTheInnermostOperatorOfTheirThread) {
  for (const bool is_reversed : {false, true}) {
    Timeline timeline = empty_timeline();
    timeline.names = {"kernel", "cudaLaunchKernel", "outer", "inner", "other"};
    timeline.threads.resize(2);
    add_launch(timeline, 12, 20, 30, 1);  // in both
    add_launch(timeline, 18, 30, 40, 2);  // in the outer one
    add_launch(timeline, 12, 40, 50, 3);
    timeline.calls[2].thread = 1;
    add_launch(timeline, 90, 95, 99, 4);  // in none
    timeline.ranges = {{10, 20, 2, 0}, {10, 15, 3, 0}, {5, 50, 4, 1}};
    if (is_reversed) std::reverse(timeline.ranges.begin(), timeline.ranges.end());
    const Launches launches = join_launches(timeline);
    const auto name_of = [&](std::size_t op) {
      const std::uint32_t range = launches.range_of_op[op];
      return range == kNoPosition ? "" : timeline.names[timeline.ranges[range].name];
    };
    EXPECT_EQ(name_of(0), "inner");
    EXPECT_EQ(name_of(1), "outer");
    EXPECT_EQ(name_of(2), "other");
    EXPECT_EQ(name_of(3), "");
  }
}

TEST(StretchSweep, AnswersAsStretchesDo) {
  const Stretches stretches({{10, 20}, {30, 30}, {40, 50}, {45, 60}, {60, 61}});
  StretchSweep before(stretches);
  StretchSweep inside(stretches);
  for (std::int64_t time = 0; time < 70; ++time) {
    EXPECT_EQ(before.length_before(time), stretches.length_within(0, time)) << time;
    EXPECT_EQ(inside.contains(time), stretches.contains(time)) << time;
  }
}

TEST(Interned, NumbersKeysInTheOrderOfTheirFirstUse) {
  InternedTexts texts;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 5000; ++i) {
      EXPECT_EQ(texts.position(std::string_view("name " + std::to_string(i))), i);
    }
  }
  Interned<std::uint64_t> numbers;
  // That differ in their high bits alone.
  for (std::uint64_t i = 0; i < 5000; ++i) EXPECT_EQ(numbers.position(i << 48U), i);
  EXPECT_EQ(numbers.size(), 5000);
}

// `before` operations of which each waits, then 300 that follow each other.
Timeline started(std::uint32_t before, std::int64_t wait_ns, std::int64_t later_gap_ns) {
  Timeline timeline = empty_timeline();
  timeline.from_program_start = true;
  std::int64_t now = 0;
  for (std::uint32_t i = 0; i < before + 300; ++i) {
    now += i < before ? wait_ns : later_gap_ns;
    add_launch(timeline, now - 1, now, now + 10'000, i + 1);
    now += 10'000;
  }
  return timeline;
}

TEST(StartUp, IsLeftOutWhereMostOfTheIdleTimeIsInIt) {
  Timeline timeline = started(5, 1'000'000, 1'000);
  const auto end = end_of_start_up(timeline, device_times(timeline));
  ASSERT_TRUE(end);
  EXPECT_GT(*end, 5'000'000);
  EXPECT_LT(*end, 5'400'000);
  const auto report = analyse_timeline(timeline, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_NE(report->selected.find("start-up"), std::string::npos) << report->selected;
  EXPECT_GT(report->devices[0].time.share(report->devices[0].time.parts.compute_ns), 0.9);
  TimelineFilter all;
  all.from_ns = 0;
  const auto whole = analyse_timeline(timeline, all);
  const TimeShares& time = whole->devices[0].time;
  EXPECT_LT(time.share(time.parts.compute_ns), 0.5);
}

TEST(StartUp, IsNoneWhereTheRestIsLikeIt) {
  EXPECT_FALSE(
      end_of_start_up(started(5, 50'000, 50'000), device_times(started(5, 50'000, 50'000))));
  // A profiler's window begins where somebody wanted it to.
  Timeline window = started(5, 1'000'000, 1'000);
  window.from_program_start = false;
  EXPECT_FALSE(end_of_start_up(window, device_times(window)));
  EXPECT_FALSE(end_of_start_up(empty_timeline(), {}));
}

TEST(MemoryPeak, IsTheMostThatWasHeldAtOnce) {
  Timeline timeline = empty_timeline();
  EXPECT_EQ(memory_peak(timeline), 0);
  const auto change = [&](std::int64_t time, std::uint64_t address, std::uint64_t bytes,
                          bool is_release, MemoryKind kind = MemoryKind::kDevice) {
    timeline.memory.push_back({time, address, bytes, 0, 0, kind, is_release});
  };
  change(30, 1, 100, true);
  change(10, 1, 100, false);
  change(20, 2, 50, false);
  change(40, 3, 120, false);
  change(15, 4, 1'000, false, MemoryKind::kPinned);  // of the host
  change(50, 9, 70, true);                           // taken before the recording
  EXPECT_EQ(memory_peak(timeline), 170);
}

TEST(Collectives, HaveTheBandwidthOfTheBus) {
  EXPECT_EQ(bus_factor("allreduce", 4), 1.5);
  EXPECT_EQ(bus_factor("_allgather_base", 4), 0.75);
  EXPECT_EQ(bus_factor("_reduce_scatter_base", 4), 0.75);
  EXPECT_EQ(bus_factor("all_to_allv", 4), 0.75);
  EXPECT_EQ(bus_factor("broadcast", 4), 1);
  EXPECT_FALSE(bus_factor("barrier", 4));
  EXPECT_FALSE(bus_factor("allreduce", 1));  // nothing goes over a bus
  Timeline timeline = empty_timeline();
  timeline.names = {"ncclDevKernel_AllReduce",
                    "cudaLaunchKernel",
                    "record_param_comms",
                    "allreduce",
                    "0",
                    "copy_kernel"};
  add_launch(timeline, 10, 1000, 2000, 1);   // told by itself
  add_launch(timeline, 110, 2000, 6000, 2);  // told by its operator
  add_launch(timeline, 120, 6000, 7000, 3);  // launched by it too, but no communication
  timeline.ops[2].name = 5;
  add_launch(timeline, 300, 7000, 9000, 4);  // not told
  timeline.ranges.push_back({100, 200, 2, 0, HostWork::kOperator});
  timeline.collectives.push_back({0, 3, 4, 4, 8'000'000, std::nullopt});
  timeline.asked_collectives.push_back({0, 3, 4, 4, 8'000'000, std::nullopt});
  const auto all = collective_times(timeline, join_launches(timeline));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "allreduce");
  EXPECT_EQ(all[0].ranks, 4U);
  EXPECT_EQ(all[0].size, CopySize::kLarge);
  EXPECT_EQ(all[0].count, 2U);
  EXPECT_EQ(all[0].sum_ns, 5000);
  EXPECT_EQ(all[0].bytes, 16'000'000U);
  EXPECT_DOUBLE_EQ(*all[0].best_rate, 1.5 * 8'000'000 / 1000);
  EXPECT_DOUBLE_EQ(*all[0].median_rate, 1.5 * 8'000'000 / 4000);
}

TEST(Collectives, StayWithTheirKernelsWhereAStreamIsChosen) {
  Timeline timeline = empty_timeline();
  timeline.names = {"ncclDevKernel_AllReduce", "cudaLaunchKernel", "allreduce", "broadcast", "0"};
  timeline.streams.resize(2);
  timeline.streams[1].id = 20;
  for (std::uint32_t i = 0; i < 4; ++i) {
    add_launch(timeline, 10 * i, 100 * i + 50, 100 * i + 100, i + 1);
    timeline.ops.back().stream = i % 2;
    timeline.collectives.push_back({i, 2 + i % 2, 4, 4, 100, std::nullopt});
  }
  TimelineFilter filter;
  filter.stream = 20;
  const auto report = analyse_timeline(std::move(timeline), filter);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->collectives.size(), 1U);
  EXPECT_EQ(report->collectives[0].name, "broadcast");
  EXPECT_EQ(report->collectives[0].count, 2U);
}

TEST(TimelineReport, HasNoSharesWithoutASpan) {
  Timeline timeline = empty_timeline();
  timeline.calls.push_back({0, 1000, 1, 0, 1});
  const auto report = analyse_timeline(std::move(timeline));
  ASSERT_EQ(report->calls.size(), 1U);
  EXPECT_EQ(report->calls[0].share, std::nullopt);
}

TEST(Ranks, NobodyIsLastWhereAllComeAtOnce) {
  std::vector<std::vector<RankCollective>> collectives(2);
  for (std::vector<RankCollective>& rank : collectives) rank = {{"a", 0, 100}, {"b", 200, 300}};
  std::vector<RankRow> rows(2);
  compare_ranks(collectives, rows);
  EXPECT_EQ(straggler(rows), nullptr);
  EXPECT_EQ(rows[0].collectives, 2U);
  collectives[1][1].start_ns = 250;
  rows = std::vector<RankRow>(2);
  compare_ranks(collectives, rows);
  EXPECT_EQ(straggler(rows), &rows[1]);
  EXPECT_EQ(rows[1].came_last, 1U);
  EXPECT_EQ(rows[0].wait_ns, 50);
}

TEST(TimelineReport, NamesTheSlowestStepOnlyWhereOneIs) {
  for (const std::int64_t longer : {0, 50}) {
    Timeline timeline = empty_timeline();
    std::int64_t at = 0;
    for (std::uint32_t i = 0; i < 5; ++i) {
      timeline.names.push_back("ProfilerStep#" + std::to_string(i));
      const std::int64_t length = 1000 + (i == 3 ? longer : 0);
      timeline.ranges.push_back({at, at + length, 2 + i, 0, HostWork::kAnnotation});
      add_launch(timeline, at, at + 10, at + length - 10, i + 1);
      at += length;
    }
    const auto report = analyse_timeline(std::move(timeline));
    ASSERT_TRUE(report);
    ASSERT_EQ(report->steps.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(report->steps[i].slowest, longer > 0 && i == 3) << i << ", longer " << longer;
    }
  }
}

// Annotations that repeat have one name, so they are chosen by their place.
TEST(TimelineReport, ChoosesStepsByNumberOrName) {
  const auto selected = [](bool is_numbered, const std::string& step) {
    Timeline timeline = empty_timeline();
    for (std::uint32_t i = 0; i < 3; ++i) {
      timeline.names.push_back(is_numbered ? "ProfilerStep#" + std::to_string(i + 7) : "train");
      const std::int64_t start = 1000 * i;
      timeline.ranges.push_back(
          {start, start + 900, is_numbered ? 2 + i : 2, 0, HostWork::kAnnotation});
      add_launch(timeline, start, start + 10, start + 500, i + 1);
    }
    TimelineFilter filter;
    filter.step = step;
    const auto report = analyse_timeline(std::move(timeline), filter);
    return report ? report->selected : report.error().message;
  };
  EXPECT_EQ(selected(true, "8"), "ProfilerStep#8");
  EXPECT_EQ(selected(true, "ProfilerStep#8"), "ProfilerStep#8");
  EXPECT_NE(selected(true, "1").find("no such step; there are 3"), std::string::npos);
  EXPECT_EQ(selected(false, "2"), "train (2 of 3)");
  EXPECT_NE(selected(false, "train").find("3 steps have that name"), std::string::npos);
}

TEST(TimelineReport, CountsOnlyWhatIsSelected) {
  Timeline timeline = empty_timeline();
  timeline.names.emplace_back("cudaMalloc");
  timeline.names.emplace_back("late");
  // The gap before the second operation is all allocation; the window holds the rest.
  add_launch(timeline, 0, 10, 1'000, 1);
  timeline.calls.push_back({1'000, 9'000, 2, 0, 0});
  add_launch(timeline, 9'000, 9'010, 12'000, 2);
  add_launch(timeline, 9'020, 11'000, 13'000, 3);
  add_launch(timeline, 13'500, 14'000, 15'000, 4);
  timeline.ranges.push_back({12'500, 15'000, 3, 0, HostWork::kAnnotation});
  const auto whole = analyse_timeline(timeline, {});
  EXPECT_GT(whole->devices[0].under_allocation_ns, 7'000);
  EXPECT_EQ(whole->devices[0].concurrent_ns, 1'000);
  TimelineFilter late;
  late.range = "late";
  const auto part = analyse_timeline(timeline, late);
  EXPECT_EQ(part->devices[0].under_allocation_ns, 0);
  EXPECT_EQ(part->devices[0].concurrent_ns, 0);
}

}  // namespace
}  // namespace proofline::timeline_analysis_test
