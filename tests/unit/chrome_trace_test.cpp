// SPDX-License-Identifier: Apache-2.0
//
// Traces that we write of a timeline: read back, they give the same figures, and no slice crosses
// another on its row.
#include "views/timeline/chrome_trace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/output.h"
#include "readers/format.h"
#include "readers/timeline/read_timeline.h"
#include "support/sqlite_builder.h"
#include "support/temp_dir.h"
#include "support/timeline_figures.h"
#include "workflow/timeline/chrome_export.h"

namespace proofline::chrome_trace_test {
namespace {

namespace fs = std::filesystem;

std::string trace_of(const Timeline& timeline) {
  std::string text;
  Output output(text);
  write_chrome_trace(timeline, output);
  return text;
}

Result<Timeline> read_back(const Timeline& timeline) {
  const TempDir folder;
  return read_timeline(folder.write("trace.json", trace_of(timeline)));
}

// Two kernels of one stream that overlap, and a call for the second.
Timeline overlapping() {
  Timeline timeline;
  timeline.names = {"a \"kernel\"", "b", "cudaLaunchKernel"};
  timeline.devices.push_back({3, "NVIDIA H200", "9.0", 132});
  timeline.processes.push_back({77, 77, "program"});
  timeline.threads.push_back({0, 78, "main"});
  timeline.streams.push_back({0, 0, 1, 7});
  GpuOp op;
  op.start_ns = 1000;
  op.end_ns = 2001;
  op.shape = 0;
  timeline.shapes.push_back({{1, 2, 3}, {4, 5, 6}, 32, 64});
  timeline.ops.push_back(op);
  op.start_ns = 1500;
  op.end_ns = 1600;
  op.name = 1;
  op.correlation = 9;
  timeline.ops.push_back(op);
  timeline.calls.push_back({-500, 100, 2, 0, 9});
  return timeline;
}

TEST(ChromeTrace, WhatOverlapsOnOneStreamHasLanesOfItsOwn) {
  const std::string text = trace_of(overlapping());
  EXPECT_NE(text.find(R"("name": "a \"kernel\"", "pid": 3, "tid": 7, "ts": 1.000, "dur": 1.001)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("name": "b", "pid": 3, "tid": 16777223, "ts": 1.500, "dur": 0.100)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"x("tid": 16777223, "args": {"name": "stream 7 (2)"})x"), std::string::npos);
}

TEST(ChromeTrace, AnArrowLeadsFromTheCallToItsKernel) {
  const std::string text = trace_of(overlapping());
  EXPECT_NE(
      text.find(R"({"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 77, "tid": 78, )"
                R"("ts": -0.500})"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 3, "tid": )"
                      R"(16777223, "ts": 1.500, "bp": "e"})"),
            std::string::npos)
      << text;
}

TEST(ChromeTrace, IsReadBackAsItWas) {
  const auto timeline = read_back(overlapping());
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_TRUE(timeline->notes.empty());
  ASSERT_EQ(timeline->ops.size(), 2U);
  ASSERT_EQ(timeline->devices.size(), 1U);
  EXPECT_EQ(timeline->devices[0].id, 3U);
  EXPECT_EQ(timeline->devices[0].name, "NVIDIA H200");
  EXPECT_EQ(timeline->devices[0].compute_capability, "9.0");
  ASSERT_EQ(timeline->streams.size(), 1U);
  EXPECT_EQ(timeline->streams[0].id, 7U);
  ASSERT_EQ(timeline->shapes.size(), 1U);
  EXPECT_EQ(timeline->shapes[0], overlapping().shapes[0]);
  EXPECT_EQ(test::timeline_figures(*timeline), test::timeline_figures(overlapping()));
}

// Processes with the same correlations stay apart.
TEST(ChromeTrace, CorrelationsOfSeveralProcessesAreNotMixedUp) {
  Timeline timeline = overlapping();
  timeline.processes.push_back({88, 88, "other"});
  timeline.threads.push_back({1, 89, ""});
  timeline.streams.push_back({1, 0, 1, 8});
  timeline.calls.push_back({-900, -800, 2, 1, 9});
  GpuOp op = timeline.ops[1];
  op.stream = 1;
  timeline.ops.push_back(op);
  const auto back = read_back(timeline);
  ASSERT_TRUE(back) << back.error().message;
  auto expected = test::timeline_figures(timeline);
  EXPECT_EQ(expected.at("ops.joined"), "2");
  EXPECT_EQ(test::timeline_figures(*back), expected);
}

void expect_same_figures(const std::string& path) {
  SCOPED_TRACE(path);
  const auto timeline = read_timeline(path);
  ASSERT_TRUE(timeline) << timeline.error().message;
  const auto back = read_back(*timeline);
  ASSERT_TRUE(back) << back.error().message;
  auto expected = test::timeline_figures(*timeline);
  auto figures = test::timeline_figures(*back);
  std::set<std::uint32_t> processes;
  for (const TimelineStream& stream : timeline->streams) processes.insert(stream.process);
  if (processes.size() > 1) {
    // Which process it was that waited for a GPU is not in such a trace.
    const auto is_idle = [](const auto& row) {
      return row.first.find(".idle.") != std::string::npos;
    };
    std::erase_if(expected, is_idle);
    std::erase_if(figures, is_idle);
  }
  EXPECT_EQ(figures, expected);
}

TEST(ChromeTrace, EveryFixtureKeepsItsFigures) {
  const TempDir folder;
  expect_same_figures(
      folder.write("export", test_support::nsys_export(test_support::NsysAge::k3_25)));
  std::size_t files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/timeline")) {
    if (entry.path().extension() != ".gz" && entry.path().extension() != ".json") continue;
    expect_same_figures(entry.path().string());
    ++files;
  }
  EXPECT_GT(files, 5U);
}

TEST(ChromeTrace, IsWrittenWholeOrNotAtAll) {
  const TempDir folder;
  const std::string out = folder.path("out.json");
  EXPECT_FALSE(export_chrome_trace(folder.write("text", "no timeline"), out));
  EXPECT_FALSE(fs::exists(out));
  const std::string source =
      folder.write("export", test_support::nsys_export(test_support::NsysAge::k3_25));
  EXPECT_FALSE(export_chrome_trace(source, folder.path("missing/out.json")));
  const auto notes = export_chrome_trace(source, out);
  ASSERT_TRUE(notes) << notes.error().message;
  const auto timeline = read_timeline(out);
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(timeline->ops.size(), 4U);
}

TEST(ChromeTrace, EveryFileOfTheCorpusKeepsItsFigures) {
  const char* corpus = std::getenv("PROOFLINE_CORPUS");
  if (corpus == nullptr || *corpus == '\0') {
    GTEST_SKIP() << "PROOFLINE_CORPUS is not set: no real files to try";
  }
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() != ".sqlite") continue;
    expect_same_figures(entry.path().string());
    ++files;
  }
  EXPECT_GE(files, 12U);
}

}  // namespace
}  // namespace proofline::chrome_trace_test
