// SPDX-License-Identifier: Apache-2.0
//
// The reader of PyTorch's traces: every layout and age of them, and what is wrong with some.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "readers/format.h"
#include "readers/timeline/json_scan.h"
#include "readers/timeline/read_timeline.h"
#include "tests/support/timeline_figures.h"

namespace proofline::kineto_trace_test {
namespace {

Result<Timeline> read(std::string_view text, std::string name = "trace.json") {
  auto input = Input::from_memory(text, std::move(name));
  if (!input) return tl::make_unexpected(input.error());
  const auto format = identify(*input, {InputKind::kTimeline});
  if (!format) return tl::make_unexpected(format.error());
  return (*format)->read_timeline(*input);
}

std::uint64_t lost(const Timeline& timeline) {
  std::uint64_t count = 0;
  for (const Note& note : timeline.notes) count += note.kind == NoteKind::kLoss ? note.count : 0;
  return count;
}

std::string kernel(std::string_view name, std::string_view ts, std::string_view dur,
                   std::string_view correlation = "1") {
  return fmt::format(
      R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7, "ts": {}, "dur": {}, )"
      R"("args": {{"device": 0, "context": 1, "stream": 7, "correlation": {}, )"
      R"("grid": [4, 2, 1], "block": [128, 1, 1], "registers per thread": 32, )"
      R"("shared memory": 400}}}})",
      name, ts, dur, correlation);
}

std::string launch(std::string_view ts, std::string_view dur, std::string_view correlation = "1") {
  return fmt::format(
      R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": "9", )"
      R"("ts": {}, "dur": {}, "args": {{"cbid": 211, "correlation": {}}}}})",
      ts, dur, correlation);
}

std::string document(const std::vector<std::string>& events, std::string_view tail = "") {
  std::string text = R"({"schemaVersion": 1, "traceEvents": [)";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ", " : "") + events[i];
  return text + "]" + std::string(tail) + "}";
}

TEST(KinetoTrace, ReadsTimesOfEveryAgeExactly) {
  const struct {
    std::string_view text;
    std::int64_t ns;
  } kCases[] = {
      {"1623142623529248", 1623142623529248000},      // whole microseconds
      {"1712195495505543.232", 1712195495505543232},  // since 1970, with nanoseconds
      {"4458676983543.183", 4458676983543183},        // from a base
      {"4.96", 4960},
      {"68.0", 68000},
      {"0", 0},
      {"-1.5", -1500},
      {"41.4074", 41407},
      {"41.4075", 41408},
      {"1.5e3", 1500000},
  };
  for (const auto& one : kCases) {
    std::int64_t ns = 0;
    EXPECT_TRUE(parse_microseconds(one.text, ns)) << one.text;
    EXPECT_EQ(ns, one.ns) << one.text;
  }
  for (const std::string_view text : {"", "-", "nan", "NaN", "inf", "-inf", "1e308", "1e300",
                                      "\"12\"", "12x", "99999999999999999999"}) {
    std::int64_t ns = 0;
    EXPECT_FALSE(parse_microseconds(text, ns)) << text;
  }
}

TEST(KinetoTrace, ReadsAKernelAndItsLaunch) {
  const auto timeline = read(document({launch("10.5", "2"), kernel("add", "20.001", "3.002")},
                                      R"(, "distributedInfo": {"rank": 3}, )"
                                      R"("baseTimeNanoseconds": 1000000000000)"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(lost(*timeline), 0U);
  EXPECT_EQ(timeline->rank, 3U);
  EXPECT_EQ(timeline->unix_ns, 1000000000000);
  ASSERT_EQ(timeline->ops.size(), 1U);
  const GpuOp& op = timeline->ops[0];
  EXPECT_EQ(op.start_ns, 20001);
  EXPECT_EQ(op.end_ns, 23003);
  EXPECT_EQ(timeline->names[op.name], "add");
  EXPECT_EQ(op.correlation, 1U);
  ASSERT_LT(op.shape, timeline->shapes.size());
  EXPECT_EQ(timeline->shapes[op.shape].grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(timeline->shapes[op.shape].registers, 32U);
  EXPECT_EQ(timeline->shapes[op.shape].shared_bytes, 400U);
  ASSERT_EQ(timeline->calls.size(), 1U);
  EXPECT_EQ(timeline->names[timeline->calls[0].name], "cudaLaunchKernel");
  EXPECT_EQ(timeline->threads[timeline->calls[0].thread].id, 9U);
}

TEST(KinetoTrace, LayoutsAreAllTheSame) {
  std::map<std::string, std::string> first;
  for (const std::string_view name : {"minified", "indented", "bare_list"}) {
    const auto timeline = read_timeline(fmt::format("tests/fixtures/timeline/{}.json", name));
    ASSERT_TRUE(timeline) << timeline.error().message;
    EXPECT_EQ(lost(*timeline), 0U) << name;
    const auto figures = test::timeline_figures(*timeline);
    EXPECT_EQ(figures.at("kernel.count"), "4");
    if (first.empty()) first = figures;
    EXPECT_EQ(figures, first) << name;
  }
}

TEST(KinetoTrace, KeysComeInAnyOrder) {
  const auto timeline = read(
      R"({"traceEvents": [{"args": {"correlation": 5, "stream": 8, "device": 1, "bytes": 64},)"
      R"j("cat": "gpu_memcpy", "dur": 2, "name": "Memcpy DtoH (Device -> Pageable)", "ph": "X",)j"
      R"("pid": 1, "tid": 8, "ts": 1}]})");
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_EQ(timeline->ops.size(), 1U);
  const GpuOp& op = timeline->ops[0];
  EXPECT_EQ(op.bytes, 64U);
  EXPECT_EQ(op.direction, CopyDirection::kDeviceToHost);
  EXPECT_EQ(op.to, MemoryKind::kPageable);
  EXPECT_EQ(timeline->streams[op.stream].id, 8U);
  EXPECT_EQ(timeline->devices[timeline->streams[op.stream].device].id, 1U);
}

TEST(KinetoTrace, TakesTheRankFromTheNameOfTheFile) {
  const std::string text = document({kernel("k", "1", "1")});
  EXPECT_EQ(read(text, "/jobs/3/rank-34.Jul_15.pt.trace.json")->rank, 34U);
  EXPECT_EQ(read(text, "worker2.pt.trace.json")->rank, 2U);
  EXPECT_EQ(read(text, "frank.json")->rank, std::nullopt);
}

TEST(KinetoTrace, CountsWhatItCannotRead) {
  const std::string good = kernel("k", "1", "1");
  const struct {
    std::string event;
    std::uint64_t lost;
    std::size_t ops;
  } kCases[] = {
      {kernel("a \"quoted\" name", "2", "1"), 1, 2},  // pytorch#146900
      {kernel("k", "nan", "1"), 1, 2},
      {kernel("k", "2", "NaN"), 1, 2},
      {kernel("k", "2", "-1"), 1, 2},
      {kernel("k", "\"2\"", "1"), 1, 2},
      {kernel("k", "1e308", "1"), 1, 2},
      {kernel("bad \\q escape", "2", "1"), 1, 2},
      {kernel("a line\nbreak", "2", "1"), 1, 2},
      {R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1})", 1, 2},
      {R"({"ph": "X" "cat")", 1, 2},
      {R"({"ph": "B", "cat": "cpu_op", "name": "k", "ts": 1})", 1, 2},
      {"17", 1, 2},
      {kernel("k", "2", "1", "99999999999"), 1, 3},  // kept, but its launch is not known
      {kernel("k", "2", "1", "1000000000"), 0, 3},
      {kernel("k", "2", "1", "nan"), 0, 3},
      {R"({"ph": "C", "name": "counter", "ts": 1})", 0, 2},
  };
  for (const auto& one : kCases) {
    const auto timeline = read(document({good, one.event, good}));
    ASSERT_TRUE(timeline) << timeline.error().message;
    EXPECT_EQ(lost(*timeline), one.lost) << one.event;
    EXPECT_EQ(timeline->ops.size(), one.ops) << one.event;
  }
}

TEST(KinetoTrace, TheLastOfTwoKeysCounts) {
  const auto timeline = read(
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "name": "b", "ts": 1, "ts": 2,)"
      R"("dur": 1, "pid": 0, "tid": 1}]})");
  ASSERT_TRUE(timeline);
  ASSERT_EQ(timeline->ops.size(), 1U);
  EXPECT_EQ(timeline->ops[0].start_ns, 2000);
  EXPECT_EQ(timeline->names[timeline->ops[0].name], "b");
}

TEST(KinetoTrace, NestingCostsNothing) {
  constexpr std::size_t kDeep = 1'000'000;
  const std::string deep =
      R"({"ph": "X", "cat": "cpu_op", "name": "k", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": )" +
      std::string(kDeep, '[') + std::string(kDeep, ']') + "}";
  const auto timeline = read(document({deep, kernel("k", "1", "1")}));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->ranges.size(), 1U);
  EXPECT_EQ(timeline->ops.size(), 1U);
}

// Whatever is cut off is said, and nothing is made up.
TEST(KinetoTrace, CutOffAnywhere) {
  const std::string whole =
      document({launch("1", "1"), kernel("one", "2", "1"), kernel("two", "4", "1")},
               R"(, "distributedInfo": {"rank": 3})");
  const auto complete = read(whole);
  ASSERT_TRUE(complete);
  ASSERT_EQ(lost(*complete), 0U);
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto timeline = read(whole.substr(0, size));
    if (!timeline) continue;
    EXPECT_GE(lost(*timeline), 1U) << size;
    const std::size_t events = timeline->ops.size() + timeline->calls.size();
    EXPECT_GE(events, most) << size;
    EXPECT_LE(events, 3U);
    most = events;
  }
  EXPECT_EQ(most, 3U);
}

// Pieces end where an event seems to end. Lists of objects within an event look the same.
TEST(KinetoTrace, PiecesThatEndWithinAnEventAreReadAgain) {
  const std::string inner = R"({"ph": "X", "cat": "kernel", "name": "no", "ts": 1, "dur": 1})";
  std::string list = inner;
  for (int i = 0; i < 2'000; ++i) list += ", " + inner;
  std::vector<std::string> events;
  constexpr int kEvents = 120;  // of about 130 KB: several pieces
  for (int i = 0; i < kEvents; ++i) {
    events.push_back(fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "op{}", "pid": 1, "tid": 1, "ts": {}, )"
        R"("dur": 1, "args": {{"list": [{}]}}}})",
        i, i, list));
  }
  const auto timeline = read(document(events));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(lost(*timeline), 0U);
  EXPECT_EQ(timeline->ops.size(), 0U);
  ASSERT_EQ(timeline->ranges.size(), static_cast<std::size_t>(kEvents));
  for (int i = 0; i < kEvents; ++i) {
    const HostRange& range = timeline->ranges[static_cast<std::size_t>(i)];
    EXPECT_EQ(range.start_ns, i * 1000);
    EXPECT_EQ(timeline->names[range.name], fmt::format("op{}", i));
  }
}

TEST(KinetoTrace, UndoesEscapes) {
  const auto timeline = read(document({kernel(R"(a \"b\" \\ \u00e9 \ud83d\ude00)", "1", "1")}));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->names[timeline->ops[0].name], "a \"b\" \\ \u00e9 \U0001F600");
}

// Older traces say of a collective only at the operator that launches it what it is.
TEST(KinetoTrace, ReadsCollectivesOfKernelsAndOfOperators) {
  const std::string told = R"("Collective name": "allreduce", "In msg nelems": 1000, )"
                           R"("Out msg nelems": 1000, "dtype": "Half", "Group size": 8, )"
                           R"("Process Group Name": "3", "Seq": 5)";
  const auto timeline = read(document(
      {R"({"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 9, "tid": 9, "ts": 1, "dur": 2,
           "args": {"Collective name": "no"}})",
       R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 9, "tid": 9, "ts": 5,
           "dur": 20, "args": {)" +
           told + "}}",
       R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "pid": 0, "tid": 7, "ts": 30,
           "dur": 2, "args": {"stream": 7, )" +
           told + "}}"}));
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_EQ(timeline->collectives.size(), 1U);
  ASSERT_EQ(timeline->asked_collectives.size(), 1U);
  EXPECT_EQ(timeline->collectives[0].op, 0U);
  EXPECT_EQ(timeline->asked_collectives[0].op, 1U);
  for (const Collective& one : {timeline->collectives[0], timeline->asked_collectives[0]}) {
    EXPECT_EQ(timeline->names[one.name], "allreduce");
    EXPECT_EQ(timeline->names[one.group], "3");
    EXPECT_EQ(one.ranks, 8U);
    EXPECT_EQ(one.bytes, 2000U);
    EXPECT_EQ(one.sequence, 5U);
  }
}

// Chrome's own traces and those of JAX have the same layout, and nothing in them is read.
TEST(KinetoTrace, SaysWhereATraceIsOfAnotherProgram) {
  const auto timeline = read(
      R"({"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1.0, "dur": 3.0, "name": "fusion"},
                          {"ph": "X", "cat": "toplevel", "pid": 1, "tid": 1, "ts": 5, "dur": 1,
                           "name": "RunTask"}]})");
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(lost(*timeline), 2U);
  EXPECT_EQ(timeline->producer, "");
  EXPECT_EQ(lost(*read(R"({"traceEvents": []})")), 0U);
}

// What nobody knows may be the GPU's work: it must not read as a GPU that does nothing.
TEST(KinetoTrace, NamesCategoriesThatItDoesNotKnow) {
  std::string other = kernel("k", "1", "1");
  other.replace(other.find("\"kernel\""), 8, "\"xpu_kernel\"");
  const auto without = read(document({launch("0", "1"), other, other}));
  ASSERT_TRUE(without);
  EXPECT_EQ(lost(*without), 2U);
  EXPECT_EQ(without->ops_missing, "2 events of a category that is not known");
  EXPECT_NE(without->notes.at(0).what.find("\"xpu_kernel\""), std::string::npos);
  const auto beside = read(document({kernel("k", "1", "1"), other}));
  ASSERT_TRUE(beside);
  EXPECT_EQ(lost(*beside), 0U);
  EXPECT_EQ(beside->notes.size(), 1U);
  EXPECT_EQ(beside->ops_missing, "");
  std::string annotation = kernel("step", "1", "1");
  annotation.replace(annotation.find("\"kernel\""), 8, "\"gpu_user_annotation\"");
  EXPECT_TRUE(read(document({kernel("k", "1", "1"), annotation}))->notes.empty());
}

TEST(KinetoTrace, SaysWhereWorkOfTheGpuIsMissing) {
  const std::string good = kernel("k", "1", "1");
  EXPECT_EQ(read(document({good, kernel("k", "2", "-1")}))->ops_missing,
            "1 event could not be read");
  const std::string whole = document({good, good});
  EXPECT_EQ(read(whole)->ops_missing, "");
  EXPECT_EQ(read(whole.substr(0, whole.size() - 20))->ops_missing, "the file breaks off");
  // One in a hundred does not matter.
  std::vector<std::string> many(100, good);
  many.push_back(kernel("k", "2", "-1"));
  EXPECT_EQ(read(document(many))->ops_missing, "");
}

TEST(KinetoTrace, SaysWhatIsNoTimeline) {
  const auto execution =
      read(R"({"schema": "1.0.1", "pid": 1, "nodes": [{"name": "x", "op_schema": ""}]})");
  ASSERT_FALSE(execution);
  EXPECT_NE(execution.error().message.find("execution trace"), std::string::npos);
  const auto report = read("NVIDIA Tegra Profiler Report 2024.1");
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("nsys export -t sqlite"), std::string::npos);
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read(R"({"schemaVersion": 1, "deviceProperties": []})"));
}

}  // namespace
}  // namespace proofline::kineto_trace_test
