// SPDX-License-Identifier: Apache-2.0
//
// Two timelines compared: what changed, by how much, and in which words.
#include "diagnosis/comparison/compare_timelines.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/record_json.h"
#include "views/timeline/timeline_comparison.h"

namespace proofline::compare_timelines_test {
namespace {

// 6 ms of kernels and 4 ms in which the host had queued nothing.
TimelineReport slow() {
  TimelineReport report;
  report.path = "slow.json";
  report.wall_ns = 11'000'000;
  DeviceRow device;
  device.name = "NVIDIA H200";
  device.time.span_ns = 10'000'000;
  device.time.parts.compute_ns = 6'000'000;
  device.time.parts.idle_ns = 4'000'000;
  device.time.idle[static_cast<std::size_t>(IdleClass::kHost)] = 4'000'000;
  report.devices.push_back(device);
  report.kernels = {{.name = "add", .count = 10, .sum_ns = 4'000'000},
                    {.name = "mul", .count = 2, .sum_ns = 2'000'000}};
  return report;
}

TimelineReport quick() {
  TimelineReport report = slow();
  report.path = "quick.json";
  report.devices[0].time.span_ns = 7'000'000;
  report.devices[0].time.parts.idle_ns = 1'000'000;
  report.devices[0].time.idle[static_cast<std::size_t>(IdleClass::kHost)] = 1'000'000;
  report.kernels = {{.name = "add", .count = 10, .sum_ns = 4'000'000},
                    {.name = "mul_v2", .count = 1, .sum_ns = 2'000'000}};
  return report;
}

TimelineComparison compared(TimelineReport a, TimelineReport b) {
  return compare_timelines(diagnose_timeline(std::move(a)), diagnose_timeline(std::move(b)));
}

const TimelineChange* find(const std::vector<TimelineChange>& changes, std::string_view name) {
  for (const TimelineChange& change : changes) {
    if (change.name == name) return &change;
  }
  return nullptr;
}

TEST(CompareTimelines, PartsAddUpToTheSpan) {
  const TimelineComparison comparison = compared(slow(), quick());
  EXPECT_FALSE(comparison.by_step);
  double a = 0;
  double b = 0;
  for (const TimelineChange& part : comparison.parts) {
    a += part.a_ns;
    b += part.b_ns;
  }
  EXPECT_EQ(a, comparison.a.span_ns);
  EXPECT_EQ(b, comparison.b.span_ns);
  ASSERT_NE(find(comparison.parts, "idle: host"), nullptr);
  EXPECT_EQ(find(comparison.parts, "idle: host")->change_ns(), -3'000'000);
}

TEST(CompareTimelines, TheHeadlineNamesWhatChangedMost) {
  EXPECT_EQ(
      timeline_comparison_headline(compared(slow(), quick())),
      "B takes 30 % less time: 7.00 ms instead of 10.00 ms; most of that is idle: host (-3.00 "
      "ms)");
  EXPECT_EQ(
      timeline_comparison_headline(compared(quick(), slow())),
      "B takes 42.9 % more time: 10.00 ms instead of 7.00 ms; most of that is idle: host (+3.00 "
      "ms)");
  EXPECT_EQ(timeline_comparison_headline(compared(slow(), slow())),
            "B takes as long as A: 10.00 ms and 10.00 ms");
  EXPECT_EQ(timeline_comparison_headline(compared(slow(), TimelineReport{})),
            "nothing to compare: one of the timelines has no GPU work");
}

// Half of a file takes half of the time.
TEST(CompareTimelines, WhatIsIncompleteIsNotFaster) {
  TimelineReport cut = quick();
  cut.ops_missing = "the file breaks off";
  EXPECT_EQ(timeline_comparison_headline(compared(slow(), cut)),
            "nothing to compare: B is no whole timeline (the file breaks off)");
  cut = slow();
  cut.devices[0].time.span_ns *= 1'000'000'000;
  EXPECT_EQ(timeline_comparison_headline(compared(cut, quick())),
            "nothing to compare: A is no whole timeline (a time in it is wrong)");
}

TEST(CompareTimelines, KernelsOfOneSideAreThereToo) {
  const TimelineComparison comparison = compared(slow(), quick());
  ASSERT_EQ(comparison.kernels.size(), 3U);
  EXPECT_EQ(comparison.kernels[0].name, "mul");  // the largest change first
  EXPECT_EQ(comparison.kernels[0].b_ns, 0);
  EXPECT_EQ(comparison.kernels[1].name, "mul_v2");
  EXPECT_EQ(comparison.kernels[2].change_ns(), 0);
}

TEST(CompareTimelines, UnequalNumbersOfStepsAreComparedByStep) {
  TimelineReport two = slow();
  two.steps.resize(2);
  TimelineReport one = quick();
  one.steps.resize(1);
  const TimelineComparison comparison = compared(two, one);
  EXPECT_TRUE(comparison.by_step);
  EXPECT_EQ(comparison.a.span_ns, 5'000'000);
  EXPECT_EQ(find(comparison.kernels, "add")->a_ns, 2'000'000);
  EXPECT_EQ(find(comparison.kernels, "add")->a_count, 5);
  EXPECT_NE(timeline_comparison_headline(comparison).find("7.00 ms per step"), std::string::npos);
}

TEST(CompareTimelines, NotesSayWhichSideTheyAreAbout) {
  TimelineReport b = quick();
  b.notes.push_back({NoteKind::kLoss, "", "cut"});
  b.devices[0].name = "NVIDIA L4";
  const TimelineComparison comparison = compared(slow(), b);
  ASSERT_EQ(comparison.notes.size(), 2U);
  EXPECT_EQ(comparison.notes[0].side, NoteSide::kB);
  EXPECT_EQ(comparison.notes[1].what, "the GPUs differ: A ran on NVIDIA H200, B on NVIDIA L4");
}

TEST(CompareTimelines, JsonHasBothSidesAndEveryRow) {
  const std::string json =
      json_text([](JsonWriter& writer) { write_record(compared(slow(), quick()), writer); });
  for (const char* part : {R"("sources":[{"path":"slow.json")", R"("by_step":false)",
                           R"({"name":"mul","a_ns":2000000.0,"b_ns":0.0,"change_ns":-2000000.0)"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << json;
  }
}

}  // namespace
}  // namespace proofline::compare_timelines_test
