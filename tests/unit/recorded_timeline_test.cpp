// SPDX-License-Identifier: Apache-2.0
//
// A recording as a timeline: clocks, what several files have in common, and what is cut, damaged or
// foreign, from bytes that are made here. That the recorder writes such bytes is tested in
// timeline_recorder_test.cpp.
#include "readers/timeline/recorded_timeline.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/input.h"
#include "readers/timeline/recording_format.h"
#include "support/temp_dir.h"

namespace proofline::recorded_timeline_test {
namespace {

std::string signed_leb(std::int64_t value) {
  std::string bytes;
  for (; value < -64 || value > 63; value >>= 7) {
    bytes.push_back(static_cast<char>((value & 0x7f) | 0x80));
  }
  bytes.push_back(static_cast<char>(value & 0x7f));
  return bytes;
}

std::string numbers(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (std::uint64_t value : values) {
    for (; value >= 0x80; value >>= 7U) bytes.push_back(static_cast<char>(value | 0x80U));
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

std::string differences(std::initializer_list<std::int64_t> values) {
  std::string bytes;
  for (const std::int64_t value : values) bytes += signed_leb(value);
  return bytes;
}

std::string record(RecordKind kind, std::string_view payload) {
  std::string bytes{static_cast<char>(kind), static_cast<char>(payload.size() & 0xffU),
                    static_cast<char>(payload.size() >> 8U)};
  return bytes.append(payload);
}

std::string begin(std::uint64_t pid) {
  return std::string(kRecordingMagic) +
         record(RecordKind::kProcess, numbers({pid, 5, 13000, 130001}) + "/opt/bin/train");
}

std::string clocks(std::uint64_t cupti, std::uint64_t real, std::uint64_t monotonic) {
  return record(RecordKind::kClock, numbers({cupti, real, monotonic}));
}

std::string shape(const std::string& name) {
  return record(RecordKind::kShape,
                numbers({0, 1, 7, 264, 2, 1, 256, 1, 1, 40, 16, 1024, 8, 32768, 2, 1, 1}) + name);
}

std::string launch(std::int64_t call, std::int64_t start, std::int64_t duration) {
  return record(RecordKind::kLaunch, numbers({0}) + differences({call, start, duration}));
}

std::string identity(std::uint64_t uuid) {
  return record(RecordKind::kIdentity, numbers({0, uuid, 0}));
}

// A call, a copy, a set, a range and a wait, one after the other.
std::string events() {
  return record(RecordKind::kName, "cudaMemcpyAsync_ptsz_v7000") +
         record(RecordKind::kCall, numbers({0}) + differences({42, 1, 5000, 100})) +
         record(RecordKind::kCopy,
                numbers({0, 1, 7, 1, 2, 3, 4096, 0}) + differences({0, 200, 50})) +
         record(RecordKind::kSet, numbers({0, 1, 7, 3, 64, 0}) + differences({1, 100, 10})) +
         record(RecordKind::kRangeStart,
                numbers({9}) + differences({0, -300}) + "aten::add, seq = 5, op_id = 7") +
         record(RecordKind::kRangeEnd, numbers({9}) + differences({400})) +
         record(RecordKind::kWait, numbers({3, 1, 7, 0}) + differences({1, 0, 20}));
}

std::string end() { return record(RecordKind::kEnd, ""); }

Timeline read(std::string_view bytes) {
  auto input = Input::from_memory(bytes, "file");
  EXPECT_TRUE(input);
  auto timeline = read_recorded_timeline(*input);
  EXPECT_TRUE(timeline) << timeline.error().message;
  return timeline ? *std::move(timeline) : Timeline{};
}

bool says(const Timeline& timeline, std::string_view part, std::uint64_t count = 1) {
  for (const Note& note : timeline.notes) {
    if (note.what.find(part) != std::string::npos && note.count == count) return true;
  }
  return false;
}

TEST(RecordedTimeline, IsOnTheMonotonicClock) {
  const auto timeline = read(begin(4711) + clocks(1000, 900'000, 400) + shape("_Z5scalePff") +
                             launch(3, 1500, 70) + events() + clocks(9000, 908'000, 8400) + end());
  EXPECT_TRUE(timeline.notes.empty());
  EXPECT_EQ(timeline.unix_ns, 899'600);
  EXPECT_EQ(timeline.processes.at(0).pid, 4711U);
  EXPECT_EQ(timeline.processes.at(0).name, "train");
  ASSERT_EQ(timeline.ops.size(), 3U);
  EXPECT_EQ(timeline.ops[0].start_ns, 900);
  EXPECT_EQ(timeline.ops[0].end_ns, 970);
  EXPECT_EQ(timeline.ops[0].correlation, 3U);
  EXPECT_EQ(timeline.ops[1].start_ns, 4600);
  EXPECT_EQ(timeline.ops[1].correlation, 1U);
  EXPECT_EQ(timeline.ops[2].start_ns, 4700);
  EXPECT_EQ(timeline.ops[2].correlation, 2U);
  ASSERT_EQ(timeline.calls.size(), 1U);
  EXPECT_EQ(timeline.calls[0].start_ns, 4400);
  EXPECT_EQ(timeline.calls[0].end_ns, 4500);
  EXPECT_EQ(timeline.names.at(timeline.calls[0].name), "cudaMemcpyAsync");
  EXPECT_EQ(timeline.threads.at(timeline.calls[0].thread).id, 42U);
  ASSERT_EQ(timeline.ranges.size(), 1U);
  EXPECT_EQ(timeline.ranges[0].start_ns, 4400);
  EXPECT_EQ(timeline.ranges[0].end_ns, 4800);
  EXPECT_EQ(timeline.names.at(timeline.ranges[0].name), "aten::add");
  EXPECT_EQ(timeline.ranges[0].work, HostWork::kOperator);
  ASSERT_EQ(timeline.waits.size(), 1U);
  EXPECT_EQ(timeline.waits[0].start_ns, 4800);
  EXPECT_EQ(timeline.waits[0].stream, timeline.ops[0].stream);
}

// What was recorded before timelines were has kernels and no clocks.
TEST(RecordedTimeline, KernelsAloneKeepCuptisTime) {
  const auto timeline = read(begin(1) + shape("a") + launch(1, 1000, 50) + end());
  EXPECT_TRUE(timeline.notes.empty());
  EXPECT_FALSE(timeline.unix_ns);
  EXPECT_EQ(timeline.ops.at(0).start_ns, 1000);
}

class RecordedFolder : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& bytes) {
    dir_.write(name + std::string(kRecordingExtension), bytes);
  }
  Timeline read() {
    auto timeline = read_recorded_timeline(dir_.path(""));
    EXPECT_TRUE(timeline);
    return timeline ? *std::move(timeline) : Timeline{};
  }
  static std::string process(std::uint64_t pid, const std::string& clocks, std::int64_t start,
                             std::uint64_t uuid = 7) {
    return begin(pid) + clocks + identity(uuid) + shape("k") + launch(1, start, 10) + end();
  }
  TempDir dir_;
};

TEST_F(RecordedFolder, ClocksOfProcessesBecomeOne) {
  add("1", process(1, clocks(1000, 1'000'400, 400), 1000));
  add("2", process(2, clocks(77'000, 1'000'500, 500), 77'000));
  dir_.write("notes.txt", "somebody's");
  const auto timeline = read();
  EXPECT_TRUE(timeline.notes.empty());
  ASSERT_EQ(timeline.ops.size(), 2U);
  EXPECT_EQ(timeline.ops[0].start_ns, 400);
  EXPECT_EQ(timeline.ops[1].start_ns, 500);
  EXPECT_EQ(timeline.unix_ns, 1'000'000);
  EXPECT_EQ(timeline.devices.size(), 1U);
  EXPECT_EQ(timeline.streams.size(), 2U) << "a stream is of one process";
}

TEST_F(RecordedFolder, MachinesAreJoinedByTheTimeOfDay) {
  constexpr std::uint64_t kDay = 86'400'000'000'000;
  add("1", process(1, clocks(1000, 9 * kDay, 400), 1000));
  add("2", process(2, clocks(77'000, 9 * kDay + 100, 400 + kDay), 77'000, 8));
  const auto timeline = read();
  EXPECT_TRUE(says(timeline, "several machines"));
  ASSERT_EQ(timeline.ops.size(), 2U);
  EXPECT_EQ(timeline.ops[1].start_ns - timeline.ops[0].start_ns, 100);
  EXPECT_EQ(timeline.unix_ns, 0);
  EXPECT_EQ(timeline.devices.size(), 2U);
}

TEST_F(RecordedFolder, SaysWhereClocksOrDevicesAreUnknown) {
  add("1", begin(1) + shape("k") + launch(1, 1000, 10) + end());
  add("2", begin(2) + shape("k") + launch(1, 1000, 10) + end());
  const auto timeline = read();
  EXPECT_TRUE(says(timeline, "clocks of the processes may be apart"));
  EXPECT_TRUE(says(timeline, "which GPU is which"));
  EXPECT_EQ(timeline.devices.size(), 2U);
}

TEST_F(RecordedFolder, OneBadFileLeavesTheOthers) {
  add("1", "");
  add("2", "something else");
  add("3", process(3, clocks(1000, 1'000'400, 400), 1000));
  const auto timeline = read();
  EXPECT_TRUE(says(timeline, "the file is empty"));
  EXPECT_TRUE(says(timeline, "not a recording"));
  EXPECT_EQ(timeline.ops.size(), 1U);
  EXPECT_EQ(timeline.ops[0].start_ns, 400);
}

// Whatever is missing, the rest is right, and it is said.
TEST(RecordedTimeline, CutAnywhereItKeepsWhatWasWritten) {
  const std::string whole = begin(1) + clocks(1000, 900'000, 400) + shape("a") +
                            launch(1, 1500, 70) + launch(1, 100, 70) + events() + end();
  const auto all = read(whole);
  ASSERT_TRUE(all.notes.empty());
  for (std::size_t size = kRecordingMagic.size(); size < whole.size(); ++size) {
    const auto cut = read(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(cut.notes.empty()) << size;
    ASSERT_LE(cut.ops.size(), all.ops.size());
    for (std::size_t i = 0; i < cut.ops.size(); ++i) {
      ASSERT_EQ(cut.ops[i].start_ns, all.ops[i].start_ns) << size;
    }
  }
}

TEST(RecordedTimeline, CountsWhatItCannotUse) {
  const auto timeline =
      read(begin(1) + shape("a") + launch(1, 1500, 70) + launch(1, -1500, 0) + launch(1, 9000, -5) +
           record(RecordKind::kLaunch, numbers({99}) + differences({1, 50, 5})) +
           record(RecordKind::kCall, numbers({99}) + differences({1, 1, 5, 5})) +
           record(RecordKind::kCopy, "\x01") + record(RecordKind::kRangeEnd, numbers({5, 1})) +
           record(static_cast<RecordKind>(200), "of a later version") + end());
  EXPECT_EQ(timeline.ops.size(), 1U);
  EXPECT_TRUE(timeline.calls.empty());
  EXPECT_TRUE(timeline.ranges.empty());
  EXPECT_TRUE(says(timeline, "damaged", 3));
  EXPECT_TRUE(says(timeline, "no time", 2));
  EXPECT_EQ(timeline.notes.size(), 2U);
}

TEST(RecordedTimeline, TroubleMakesItPartial) {
  const auto timeline = read(begin(1) + record(RecordKind::kTrouble, "no luck") + end());
  EXPECT_TRUE(timeline.partial);
  EXPECT_TRUE(says(timeline, "no luck"));
}

}  // namespace
}  // namespace proofline::recorded_timeline_test
