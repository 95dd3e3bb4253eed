// SPDX-License-Identifier: Apache-2.0
//
// The recorder in programs that behave and in programs that do not: it gets what there is to get,
// says what it could not get, and the program never notices. fake_cuda_program means a CUDA
// program and fake_cupti for NVIDIA's library, so none of this needs a GPU.
#include "tools/recorder/recorder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/recorded_program.h"

namespace proofline::recorder_test {
namespace {

namespace fs = std::filesystem;

// How many records fit into one buffer; only full ones are certain to be written before a crash.
constexpr std::uint64_t kBuffer = (1U << 20U) / 216;
// Of 20,000 launches, in the buffers before the one that is being written at the end.
constexpr std::uint64_t kWritten = (20000 / kBuffer - 1) * kBuffer;

using RecorderTest = RecordedProgramTest;

bool says(const Recording& recording, std::string_view part) {
  for (const Note& note : recording.notes) {
    if (note.what.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST_F(RecorderTest, RecordsEveryLaunch) {
  const auto recording = record({"--print=hello", "_Z5scalePff*30000:5000@264x256",
                                 "_Z5shiftPff*20:3000", "_Z5scalePff:7000@1x32", "--exit=3"});
  EXPECT_EQ(exit_code(), 3);
  EXPECT_EQ(output_, "hello\n");
  EXPECT_TRUE(recording.notes.empty());
  ASSERT_EQ(recording.processes.size(), 1U);
  const RecordedProcess& process = recording.processes[0];
  EXPECT_EQ(fs::path(process.executable).filename(), "fake_cuda_program");
  EXPECT_EQ(process.cupti_version, 130000U);
  ASSERT_EQ(process.devices.size(), 1U);
  EXPECT_EQ(process.devices[0].name, "Fake H200");
  EXPECT_EQ(process.devices[0].attributes[0].second, 132U);
  ASSERT_EQ(process.launches.size(), 30021U);
  EXPECT_EQ(process.names, (std::vector<std::string>{"_Z5scalePff", "_Z5shiftPff"}));
  const RecordedLaunch& last = process.launches.back();
  EXPECT_EQ(last.name, 0U);
  EXPECT_EQ(last.invocation, 30001U);
  EXPECT_EQ(last.end_ns - last.start_ns, 7000U);
  EXPECT_EQ(process.launches[0].grid, (Dim3{264, 1, 1}));
  EXPECT_EQ(process.launches[0].block, (Dim3{256, 1, 1}));
  EXPECT_EQ(process.launches[0].dynamic_shared, 1024U);
  EXPECT_EQ(process.launches[0].shared_config, 32768U);
}

TEST_F(RecorderTest, MoreShapesThanItRemembersAreStillRight) {
  std::vector<std::string> words;
  words.reserve(40000);
  for (int i = 0; i < 20000; ++i) words.push_back("a:100@" + std::to_string(i + 1) + "x32");
  for (int i = 0; i < 20000; ++i) words.push_back("a:100@" + std::to_string(i + 1) + "x32");
  const auto recording = record(words);
  ASSERT_EQ(recording.processes.size(), 1U);
  const auto& launches = recording.processes[0].launches;
  ASSERT_EQ(launches.size(), 40000U);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    ASSERT_EQ(launches[i].grid[0], i % 20000 + 1);
  }
}

TEST_F(RecorderTest, ProgramThatUsesNoCudaLeavesNothing) {
  const auto recording = record({"--print=hello"});
  EXPECT_EQ(exit_code(), 0);
  EXPECT_TRUE(recording.processes.empty());
  EXPECT_TRUE(recording.notes.empty());
}

TEST_F(RecorderTest, ProgramThatLaunchesNothingIsAProcessWithoutLaunches) {
  const auto recording = record({"--init"});
  EXPECT_EQ(exit_code(), 0);
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_TRUE(recording.processes[0].launches.empty());
  EXPECT_TRUE(recording.notes.empty());
}

TEST_F(RecorderTest, CrashKeepsWhatWasHandedOver) {
  const auto recording = record({"a*20000", "--crash"});
  EXPECT_TRUE(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGSEGV) << status_;
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_GE(recording.processes[0].launches.size(), kWritten);
  EXPECT_TRUE(says(recording, "did not end in order"));
}

TEST_F(RecorderTest, QuickExitKeepsWhatWasHandedOver) {
  const auto recording = record({"a*20000", "--quit"});
  EXPECT_EQ(exit_code(), 0);
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_GE(recording.processes[0].launches.size(), kWritten);
  EXPECT_TRUE(says(recording, "did not end in order"));
}

TEST_F(RecorderTest, ForkedChildLeavesTheParentsFileAlone) {
  const auto recording = record({"a*3000", "--fork", "b*7000"});
  EXPECT_EQ(exit_code(), 0);
  EXPECT_TRUE(recording.notes.empty());
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_EQ(recording.processes[0].launches.size(), 10000U);
  EXPECT_EQ(recording.processes[0].names, (std::vector<std::string>{"a", "b"}));
}

TEST_F(RecorderTest, ForkBeforeCudaIsRecordedOnItsOwn) {
  const auto recording = record({"--fork", "b*10"});
  ASSERT_EQ(recording.processes.size(), 2U);
  EXPECT_EQ(recording.processes[0].names, std::vector<std::string>{"forked"});
  EXPECT_EQ(recording.processes[0].launches.size(), 20000U);
  EXPECT_EQ(recording.processes[1].launches.size(), 10U);
}

TEST_F(RecorderTest, EveryProcessHasItsOwnFile) {
  const auto recording =
      record({"a*5", "--child", "b*6", "--child", "c*7", "--child", "d*8", "--crash"});
  EXPECT_EQ(exit_code(), 0);
  ASSERT_EQ(recording.processes.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    const RecordedProcess& process = recording.processes[i];
    EXPECT_EQ(process.names[0], std::string(1, static_cast<char>('a' + i)));
    EXPECT_EQ(process.launches.size(), 5 + i);
  }
  EXPECT_EQ(recording.notes.size(), 1U);
}

TEST_F(RecorderTest, TakesTheCuptiThatTheProgramHasLoaded) {
  set("PROOFLINE_CUPTI", dir_.write("libcupti.so.13", "not a library"));
  const auto recording = record({std::string("--load=") + PROOFLINE_FAKE_CUPTI, "a*10"});
  EXPECT_TRUE(recording.notes.empty());
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_EQ(recording.processes[0].launches.size(), 10U);
}

// The program goes on as if nothing had happened, and the recording says why it is empty.
TEST_F(RecorderTest, WithoutCuptiItLeavesTheProgramAlone) {
  set("PROOFLINE_CUPTI", dir_.write("libcupti.so.13", "not a library"));
  const auto recording = record({"a*10", "--print=done", "--exit=4"});
  EXPECT_EQ(exit_code(), 4);
  EXPECT_EQ(output_, "done\n");
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_TRUE(recording.processes[0].launches.empty());
  EXPECT_TRUE(says(recording, "libcupti.so.13")) << recording.processes[0].trouble;
}

TEST_F(RecorderTest, RefusedItLeavesTheProgramAlone) {
  set("FAKE_CUPTI", "refuse");
  const auto recording = record({"a*10", "--print=done", "--exit=4"});
  EXPECT_EQ(exit_code(), 4);
  EXPECT_EQ(output_, "done\n");
  EXPECT_TRUE(says(recording, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_EQ(recording.processes[0].cupti_version, 130000U);
}

TEST_F(RecorderTest, TooOldCuptiIsNotTrusted) {
  set("FAKE_CUPTI", "old");
  const auto recording = record({"a*10"});
  EXPECT_TRUE(says(recording, "older than CUDA 9.0"));
  EXPECT_TRUE(recording.processes.at(0).launches.empty());
}

TEST_F(RecorderTest, CountsDroppedLaunches) {
  set("FAKE_CUPTI", "drop");
  const auto dropped = record({"a*10"});
  EXPECT_EQ(dropped.processes.at(0).launches.size(), 10U);
  EXPECT_GE(dropped.processes.at(0).dropped, 100U);
  EXPECT_TRUE(says(dropped, "dropped"));
}

TEST_F(RecorderTest, CountsLaunchesWithoutTime) {
  set("FAKE_CUPTI", "untimed");
  const auto untimed = record({"a*100"});
  EXPECT_EQ(untimed.processes.at(0).launches.size(), 90U);
  EXPECT_EQ(untimed.processes.at(0).untimed, 10U);
}

// A write beyond this limit would kill the program.
TEST_F(RecorderTest, FileSizeLimitCostsTheRecordingNotTheProgram) {
  const auto recording = record({"--file-limit=100000", "a*100000", "--print=done"});
  EXPECT_EQ(exit_code(), 0);
  EXPECT_EQ(output_, "done\n");
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_GT(recording.processes[0].launches.size(), 0U);
  EXPECT_LT(recording.processes[0].launches.size(), 100000U);
  EXPECT_TRUE(says(recording, "did not end in order"));
}

TEST_F(RecorderTest, FolderThatIsGoneCostsTheRecordingNotTheProgram) {
  auto recorder = Recorder::prepare(dir_.path(""));
  ASSERT_TRUE(recorder);
  auto variables = recorder->variables();
  for (auto& [name, value] : variables) {
    if (name == "PROOFLINE_RECORDING") value = dir_.path("gone");
  }
  run({"a*10000", "--print=done"}, variables);
  EXPECT_EQ(exit_code(), 0);
  EXPECT_EQ(output_, "done\n");
}

TEST_F(RecorderTest, FilesAreTheUsersAlone) {
  record({"a"});
  for (const auto& entry : fs::directory_iterator(dir_.path(""))) {
    struct stat status {};
    ::stat(entry.path().c_str(), &status);
    EXPECT_EQ(status.st_mode & 0077U, 0U) << entry.path();
  }
}

TEST_F(RecorderTest, NeverWritesOverAFile) {
  dir_.write("libproofline_recorder.so", "somebody's");
  const auto recorder = Recorder::prepare(dir_.path(""));
  ASSERT_FALSE(recorder);
  EXPECT_EQ(recorder.error().kind, ErrorKind::kStorage);
}

}  // namespace
}  // namespace proofline::recorder_test
