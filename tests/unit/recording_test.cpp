// SPDX-License-Identifier: Apache-2.0
//
// That a recording is read as it was written, and that what is cut, damaged or foreign in it is
// said and not guessed.
#include "readers/timeline/recording.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "readers/timeline/recording_format.h"
#include "support/temp_dir.h"

namespace proofline::recording_test {
namespace {

std::string unsigned_leb(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes.push_back(static_cast<char>(value | 0x80U));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string signed_leb(std::int64_t value) {
  std::string bytes;
  for (; value < -64 || value > 63; value >>= 7) {
    bytes.push_back(static_cast<char>((value & 0x7f) | 0x80));
  }
  bytes.push_back(static_cast<char>(value & 0x7f));
  return bytes;
}

std::string record(RecordKind kind, std::string_view payload) {
  std::string bytes{static_cast<char>(kind), static_cast<char>(payload.size() & 0xffU),
                    static_cast<char>(payload.size() >> 8U)};
  return bytes.append(payload);
}

std::string numbers(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (const std::uint64_t value : values) bytes += unsigned_leb(value);
  return bytes;
}

std::string process(std::uint64_t pid, std::uint64_t unix_ns = 5) {
  return std::string(kRecordingMagic) +
         record(RecordKind::kProcess, numbers({pid, unix_ns, 13000, 130001}) + "/opt/bin/train");
}

std::string shape(const std::string& name, std::uint64_t grid = 264) {
  return record(RecordKind::kShape,
                numbers({0, 1, 7, grid, 2, 1, 256, 1, 1, 40, 16, 1024, 8, 32768, 2, 1, 1}) + name);
}

// Times and numbers of calls are less those of the launch before.
std::string launch(std::uint64_t shape, std::int64_t call, std::int64_t start,
                   std::int64_t duration) {
  return record(RecordKind::kLaunch,
                unsigned_leb(shape) + signed_leb(call) + signed_leb(start) + signed_leb(duration));
}

std::string end() { return record(RecordKind::kEnd, ""); }

Recording read(std::string_view bytes) {
  Recording recording;
  read_recording_bytes(bytes, "file", recording);
  return recording;
}

bool says(const Recording& recording, std::string_view part, std::uint64_t count = 1) {
  for (const Note& note : recording.notes) {
    const bool found = note.what.find(part) != std::string::npos;
    if (found && note.kind == NoteKind::kLoss && note.count == count) return true;
  }
  return false;
}

TEST(Recording, IsReadAsItWasWritten) {
  const std::string device =
      record(RecordKind::kDevice, numbers({0, 9, 0, 2, 132, 32}) + "NVIDIA H200");
  const auto recording = read(process(4711) + device + shape("_Z5scalePff") +
                              launch(0, 9, 1000, 50) + launch(0, 1, 100, 40) + end());
  EXPECT_TRUE(recording.notes.empty());
  ASSERT_EQ(recording.processes.size(), 1U);
  const RecordedProcess& read = recording.processes[0];
  EXPECT_EQ(read.pid, 4711U);
  EXPECT_EQ(read.executable, "/opt/bin/train");
  EXPECT_EQ(read.driver_version, 13000U);
  EXPECT_EQ(read.cupti_version, 130001U);
  ASSERT_EQ(read.devices.size(), 1U);
  EXPECT_EQ(read.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(read.devices[0].cc_major, 9U);
  ASSERT_EQ(read.devices[0].attributes.size(), 2U);
  EXPECT_EQ(read.devices[0].attributes[0].first, "multiprocessor_count");
  EXPECT_EQ(read.devices[0].attributes[0].second, 132U);
  ASSERT_EQ(read.launches.size(), 2U);
  const RecordedLaunch& second = read.launches[1];
  EXPECT_EQ(read.names[second.name], "_Z5scalePff");
  EXPECT_EQ(second.start_ns, 1100U);
  EXPECT_EQ(second.end_ns, 1140U);
  EXPECT_EQ(second.invocation, 2U);
  EXPECT_EQ(second.context, 1U);
  EXPECT_EQ(second.stream, 7U);
  EXPECT_EQ(second.grid, (Dim3{264, 2, 1}));
  EXPECT_EQ(second.block, (Dim3{256, 1, 1}));
  EXPECT_EQ(second.registers, 40U);
  EXPECT_EQ(second.static_shared, 16U);
  EXPECT_EQ(second.dynamic_shared, 1024U);
  EXPECT_EQ(second.local_bytes, 8U);
  EXPECT_EQ(second.shared_config, 32768U);
  EXPECT_EQ(second.cluster, (Dim3{2, 1, 1}));
}

// Two streams: what was called first may start last.
TEST(Recording, CountsInvocationsByCallsAndSortsByStart) {
  const auto recording = read(process(1) + shape("a") + shape("b") + launch(0, 3, 900, 10) +
                              launch(0, -2, -800, 10) + launch(1, 1, 100, 10) + end());
  const auto& launches = recording.processes[0].launches;
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[0].start_ns, 100U);
  EXPECT_EQ(launches[0].invocation, 1U);
  EXPECT_EQ(launches[1].start_ns, 200U);
  EXPECT_EQ(recording.processes[0].names[launches[1].name], "b");
  EXPECT_EQ(launches[1].invocation, 1U);
  EXPECT_EQ(launches[2].start_ns, 900U);
  EXPECT_EQ(launches[2].invocation, 2U);
}

TEST(Recording, SharesTheNamesOfShapes) {
  const auto recording = read(process(1) + shape("a", 1) + shape("a", 2) + end());
  EXPECT_EQ(recording.processes[0].names.size(), 1U);
}

TEST(Recording, LaunchesWithoutTimeAreCountedNotTimed) {
  const auto recording =
      read(process(1) + shape("a") + launch(0, 1, 500, 10) + launch(0, 1, -500, 0) +
           launch(0, 1, 700, -700) + launch(0, 1, 100, 10) + end());
  EXPECT_EQ(recording.processes[0].untimed, 2U);
  ASSERT_EQ(recording.processes[0].launches.size(), 2U);
  EXPECT_EQ(recording.processes[0].launches[1].invocation, 4U);
  EXPECT_TRUE(says(recording, "no time", 2));
}

TEST(Recording, SaysWhatWasLost) {
  const std::string begun = process(1) + shape("a") + launch(0, 1, 500, 10);
  EXPECT_TRUE(says(read(begun), "did not end in order"));
  const std::string dropped = record(RecordKind::kDropped, numbers({7}));
  EXPECT_TRUE(says(read(begun + dropped + dropped + end()), "dropped", 14));
  const auto refused = read(process(1) + record(RecordKind::kTrouble, "refused \x1b[31m"));
  EXPECT_TRUE(says(refused, "refused \\x1b[31m"));
  EXPECT_EQ(refused.processes[0].trouble, "refused \x1b[31m");
  EXPECT_EQ(refused.notes.size(), 1U);
  EXPECT_EQ(refused.notes[0].place, "process 1 (\"train\")");
}

TEST(Recording, RefusesWhatIsNone) {
  for (const std::string_view bytes : {"", "\x89PLREC\n\x02", "GIF89a and more", "\x89PL"}) {
    const auto recording = read(bytes);
    EXPECT_TRUE(recording.processes.empty());
    ASSERT_EQ(recording.notes.size(), 1U);
    EXPECT_EQ(recording.notes[0].place, "\"file\"");
  }
}

TEST(Recording, PassesOverKindsThatItDoesNotKnow) {
  const auto unknown = record(static_cast<RecordKind>(200), "whatever");
  const auto recording = read(process(1) + unknown + shape("a") + launch(0, 1, 5, 1) + end());
  EXPECT_TRUE(recording.notes.empty());
  EXPECT_EQ(recording.processes[0].launches.size(), 1U);
}

TEST(Recording, CountsDamagedRecords) {
  const auto recording = read(
      process(1) + shape("a") + launch(8, 1, 5, 1) + record(RecordKind::kLaunch, "\x80") +
      record(RecordKind::kDevice, numbers({0, 9, 0, 1'000'000'000'000})) +
      launch(0, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max(),
             std::numeric_limits<std::int64_t>::max()) +
      launch(0, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max(),
             std::numeric_limits<std::int64_t>::max()) +
      end());
  EXPECT_TRUE(says(recording, "damaged", 3));
  EXPECT_TRUE(recording.processes[0].devices.empty());
  for (const RecordedLaunch& launch : recording.processes[0].launches) {
    EXPECT_LE(launch.start_ns, launch.end_ns);
  }
}

TEST(Recording, CutAnywhereItGivesWhatWasWhole) {
  std::string whole = process(77) + shape("_Z5scalePff");
  for (int i = 0; i < 20; ++i) whole += launch(0, 1, 300, 200 + i);
  whole += end();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto recording = read(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(recording.notes.empty()) << length;
    ASSERT_EQ(recording.processes.size(), length < kRecordingMagic.size() ? 0U : 1U);
    if (recording.processes.empty()) continue;
    const auto& launches = recording.processes[0].launches;
    ASSERT_LE(launches.size(), 20U);
    for (std::size_t i = 0; i < launches.size(); ++i) {
      ASSERT_EQ(launches[i].end_ns - launches[i].start_ns, 200 + i);
    }
  }
  EXPECT_EQ(read(whole).processes[0].launches.size(), 20U);
}

TEST(Recording, FolderHasItsProcessesInTheOrderOfTheirStart) {
  const TempDir dir;
  dir.write("1-9.recording", process(1, 900) + end());
  dir.write("2-5.recording", process(2, 500) + end());
  dir.write("3.recording", "nonsense");
  dir.write("libproofline_recorder.so", "no recording");
  std::filesystem::create_directory(dir.path("4.recording"));
  const auto recording = read_recording(dir.path(""));
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_EQ(recording->processes.size(), 2U);
  EXPECT_EQ(recording->processes[0].pid, 2U);
  EXPECT_EQ(recording->processes[1].pid, 1U);
  EXPECT_EQ(recording->notes.size(), 2U);  // of the nonsense and of the folder
}

TEST(Recording, FolderMayBeEmptyButNotMissing) {
  const TempDir dir;
  EXPECT_TRUE(read_recording(dir.path(""))->processes.empty());
  const auto missing = read_recording(dir.path("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kInput);
}

}  // namespace
}  // namespace proofline::recording_test
