// SPDX-License-Identifier: Apache-2.0
//
// That every way in which ncu has been seen to end is told apart: first our own recordings
// (tests/fixtures/tools/ncu), then failures that could not be brought about on the machine they
// were made on, in the words of other people's logs.
#include "tools/ncu/ncu_outcome.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace proofline::ncu_outcome_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRecordings = fs::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/tools/ncu";

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// The number after "KEY": in a scenario.json; nothing where there is none or it is null.
std::optional<int> number(const std::string& scenario, const std::string& key) {
  const std::size_t at = scenario.find("\"" + key + "\": ");
  if (at == scenario.npos) return std::nullopt;
  const std::string value = scenario.substr(at + key.size() + 4, 12);
  if (value.starts_with("null")) return std::nullopt;
  return std::stoi(value);
}

Result<NcuOutcome> judge_recording(const std::string& name, const char* log_file = "log") {
  const std::string scenario = contents(kRecordings / name / "scenario.json");
  const std::string log = contents(kRecordings / name / log_file);
  const std::string output = contents(kRecordings / name / "stdout");
  NcuRun run{log, output, {}, {}, std::nullopt};
  if (const auto code = number(scenario, "exit_code")) {
    run.end.exit_code = *code;
  } else {
    run.end.ending = Ending::kTimeLimit;
  }
  if (const auto bytes = number(scenario, "report_bytes")) {
    run.report_bytes = static_cast<std::uint64_t>(*bytes);
  }
  return judge_ncu_run(run);
}

struct Recorded {
  const char* name;
  ErrorKind kind;
  const char* part;  // of the message
};

constexpr Recorded kFailed[] = {
    {"bad-metric", ErrorKind::kUsage, "no_such_metric"},
    {"bad-option", ErrorKind::kTool, "cannot be specified more than once"},
    {"bad-section", ErrorKind::kUsage, "--section NoSuch"},
    {"big-memory", ErrorKind::kTimeLimit, "replay_mode application needs no saving"},
    {"hang", ErrorKind::kTimeLimit, "does not end under ncu"},
    {"misaligned", ErrorKind::kInput, "proofline sanitize"},
    {"no-cuda", ErrorKind::kInput, "without using CUDA"},
    {"no-kernel", ErrorKind::kInput, "launched no kernel"},
    {"no-match", ErrorKind::kInput, "no kernel matched; the program ran scale, shift"},
    {"not-found", ErrorKind::kInput, "/home/user/absent"},
    {"output-exists", ErrorKind::kStorage, "report.ncu-rep already exists"},
    {"output-unwritable", ErrorKind::kStorage, "Unable to write to file report.ncu-rep"},
};

constexpr const char* kProfiled[] = {"child", "exit-code", "normal", "segfault"};
// Made without --log-file.
constexpr const char* kPrinted[] = {"id-mangled", "name-mangled", "normal-stdout"};

TEST(NcuOutcome, OfEachRecordedFailure) {
  for (const Recorded& recorded : kFailed) {
    const auto outcome = judge_recording(recorded.name);
    ASSERT_FALSE(outcome) << recorded.name;
    EXPECT_EQ(outcome.error().kind, recorded.kind) << recorded.name << outcome.error().message;
    EXPECT_NE(outcome.error().message.find(recorded.part), std::string::npos)
        << recorded.name << ": " << outcome.error().message;
  }
}

TEST(NcuOutcome, OfEachRecordedSuccess) {
  for (const char* name : kProfiled) {
    const auto outcome = judge_recording(name);
    ASSERT_TRUE(outcome) << name << ": " << outcome.error().message;
    EXPECT_GE(outcome->profiled, 1U) << name;
  }
  for (const char* name : kPrinted) {
    const auto outcome = judge_recording(name, "stdout");
    ASSERT_TRUE(outcome) << name << ": " << outcome.error().message;
    EXPECT_GE(outcome->profiled, 1U) << name;
  }
  EXPECT_EQ(judge_recording("child")->profiled, 2U);
  EXPECT_FALSE(judge_recording("normal")->program_code);
  EXPECT_EQ(judge_recording("exit-code")->program_code, 3);
  EXPECT_EQ(judge_recording("segfault")->program_code, 11);
}

TEST(NcuOutcome, EveryRecordingIsJudged) {
  std::set<std::string> judged(std::begin(kProfiled), std::end(kProfiled));
  judged.insert(std::begin(kPrinted), std::end(kPrinted));
  for (const Recorded& recorded : kFailed) judged.insert(recorded.name);
  for (const auto& entry : fs::directory_iterator(kRecordings)) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(judged.contains(entry.path().filename().string())) << entry.path();
  }
}

TEST(NcuOutcome, NotesWhatTheReportLacksAndHowTheProgramEnded) {
  const auto normal = judge_recording("normal");
  ASSERT_EQ(normal->notes.size(), 1U);
  EXPECT_EQ(normal->notes[0].kind, NoteKind::kInfo);
  EXPECT_TRUE(normal->notes[0].what.starts_with("Unable to access the following 6 metrics: ctc__"));
  EXPECT_EQ(judge_recording("exit-code")->notes.back().what, "the program returned exit code 3");
  EXPECT_EQ(judge_recording("segfault")->notes.back().what, "the program died, with code 11");
}

struct Reported {
  const char* source;  // where such a log was found
  const char* log;
  ErrorKind kind;
  const char* part;
};

constexpr Reported kReported[] = {
    {"huggingface/hub-docs#2714, deepseek-ai/DeepGEMM#46",
     "==PROF== Connected to process 9012 (/usr/local/bin/my-benchmark)\n"
     "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
     "Performance Counters on the target device 0. For instructions on enabling permissions and to "
     "get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n"
     "==PROF== Disconnected from process 9012\n",
     ErrorKind::kPermission, "proofline doctor"},
    {"a log of ncu 2021, whose message has another beginning",
     "==PROF== Connected to process 20238 (/home/user/app)\n"
     "==ERROR== Error: ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
     "Performance Counters on the target device 0.\n"
     "==PROF== Disconnected from process 20238\n"
     "==ERROR== An error occurred while trying to profile.\n"
     "==WARNING== No kernels were profiled.\n",
     ErrorKind::kPermission, "counters"},
    {"a log on a cluster whose nodes run DCGM",
     "==PROF== Connected to process 7508 (/usr/bin/python3)\n\n"
     "==ERROR== An error was reported by the driver:\n"
     "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other "
     "tool (like DCGM) is concurrently collecting profiling data. See https://docs.nvidia.com/"
     "nsight-compute/ProfilingGuide/index.html#faq for more details.\n"
     "==ERROR== Failed to profile \"flash_fwd_kernel\" in process 7508\n"
     "==PROF== Trying to shutdown target application\n"
     "==ERROR== The application returned an error code (9).\n",
     ErrorKind::kTool, "dcgmi profile --pause"},
    {"a log on a shared machine; madgraph5/madgraph4gpu#603 is about the same file",
     "==ERROR== Failed to open/create lock file /tmp/nsight-compute-lock. Please check that this "
     "process has write permissions on this file. See https://docs.nvidia.com/nsight-compute/"
     "ProfilingGuide/index.html#faq for more details.\n"
     "==ERROR== Failed to profile \"vectorized_elementwise_kernel\" in process 2323392\n"
     "==PROF== Trying to shutdown target application\n"
     "==ERROR== The application returned an error code (9).\n"
     "==ERROR== An error occurred while trying to profile.\n"
     "==WARNING== No kernels were profiled.\n",
     ErrorKind::kTool, "/tmp/nsight-compute-lock"},
    {"the same with an older ncu", "==ERROR== InterprocessLockFailed\n", ErrorKind::kTool,
     "TMPDIR"},
    {"meta-pytorch/tritonbench#632",
     "==ERROR== An error was reported by the driver:\n"
     "==ERROR== Cuda driver is not compatible with Nsight Compute.\n"
     "==PROF== Connected to process 2305223 (/usr/bin/python3.11)\n"
     "==ERROR== The application returned an error code (11).\n",
     ErrorKind::kTool, "does not fit the installed driver"},
    {"logs under WSL and in containers",
     "==PROF== Connected to process 162 (/usr/bin/python3.13)\n\n"
     "==ERROR== An error was reported by the counter measurement library:\n"
     "==ERROR== Failed to initialize the profiler: LibraryNotLoaded. Check that a compatible "
     "driver library is loaded.\n"
     "==PROF== Trying to shutdown target application\n"
     "==ERROR== The application returned an error code (9).\n",
     ErrorKind::kTool, "does not fit the installed driver"},
    {"ncu 2024.1 on a GPU of compute capability 12.0",
     "==PROF== Connected to process 45256 (/home/user/gemv)\n"
     "==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer "
     "--list-chips option.\n"
     "==PROF== Disconnected from process 45256\n"
     "==WARNING== No kernels were profiled.\n",
     ErrorKind::kTool, "--list-chips"},
    {"a log on a MIG instance",
     "==PROF== Profiling \"pi\" - 0: 0%\n"
     "==ERROR== An error was reported by the driver\n\n"
     "==ERROR== Cannot lock GPU clock frequencies on MIG! Try locking the clocks externally (e.g. "
     "using 'nvidia-smi --lock-gpu-clocks=tdp,tdp') or profile without fixed frequencies (see "
     "'--clock-control').\n"
     "==ERROR== Failed to profile \"pi\" in process 2119298\n"
     "==PROF== Trying to shutdown target application\n"
     "==ERROR== The application returned an error code (9).\n",
     ErrorKind::kTool, "--clock-control none"},
    {"a model of 21 GB on a card of 24",
     "==PROF== Profiling \"sparse_moe\" - 0: 0%\n"
     "==WARNING== Backing up device memory in system memory. Kernel replay might be slow.\n"
     "==ERROR== Unhandled C++ exception: bad allocation\n"
     "==ERROR== Failed to profile \"sparse_moe\"\n",
     ErrorKind::kTool, "--replay-mode application"},
    {"symmetric memory of eight GPUs",
     "==WARNING== Backing up device memory in system memory. Kernel replay might be slow.\n"
     "==ERROR== Failed to save memory for replay.\n",
     ErrorKind::kTool, "--replay-mode application"},
    {"intel/llvm#17007",
     "==ERROR== Failed to prepare kernel for profiling\n"
     "==ERROR== Unknown Error on device 0.\n"
     "==ERROR== Failed to profile \"const:\" in process 77\n"
     "==PROF== Trying to shutdown target application\n"
     "==ERROR== The application returned an error code (9).\n"
     "==ERROR== An error occurred while trying to profile.\n"
     "==WARNING== No kernels were profiled.\n",
     ErrorKind::kTool, "Failed to prepare kernel for profiling"},
};

TEST(NcuOutcome, OfFailuresThatOthersReported) {
  for (const Reported& reported : kReported) {
    NcuRun run{reported.log, {}, {}, {}, std::nullopt};
    run.end.exit_code = 9;
    const auto outcome = judge_ncu_run(run);
    ASSERT_FALSE(outcome) << reported.source;
    EXPECT_EQ(outcome.error().kind, reported.kind) << reported.source;
    EXPECT_NE(outcome.error().message.find(reported.part), std::string::npos)
        << reported.source << ": " << outcome.error().message;
  }
}

// The program went on without ncu until its time was over; that is not what went wrong.
TEST(NcuOutcome, NamesTheCauseBeforeTheTimeLimit) {
  NcuRun run{kReported[0].log, {}, {}, {}, std::nullopt};
  run.end.ending = Ending::kTimeLimit;
  EXPECT_EQ(judge_ncu_run(run).error().kind, ErrorKind::kPermission);
}

constexpr const char* kGood =
    "==PROF== Connected to process 1 (/home/user/app)\n"
    "==PROF== Profiling \"k\" - 0: 0%....50%....100% - 3 passes\n"
    "==PROF== Disconnected from process 1\n"
    "==PROF== Report: /home/user/run/report.ncu-rep\n";

TEST(NcuOutcome, AReportThatIsMissingOrEmptyIsAFailure) {
  NcuRun run{kGood, {}, {}, {}, std::nullopt};
  EXPECT_EQ(judge_ncu_run(run).error().kind, ErrorKind::kTool);
  run.report_bytes = 0;
  EXPECT_EQ(judge_ncu_run(run).error().kind, ErrorKind::kTool);
  run.report_bytes = 40'000;
  EXPECT_TRUE(judge_ncu_run(run));
}

// Another version may word its progress in another way; the report is what counts.
TEST(NcuOutcome, TakesAReportThatTheLogDoesNotTellOf) {
  NcuRun run{"==PROF== Connected to process 1 (/home/user/app)\n", {}, {}, {}, 40'000};
  EXPECT_TRUE(judge_ncu_run(run));
}

TEST(NcuOutcome, DoesNotTakeTheProgramsWordsForThoseOfNcu) {
  NcuRun run{kGood, "==ERROR== ERR_NVGPUCTRPERM\n==ERROR== LaunchFailed\n", {}, {}, 40'000};
  EXPECT_TRUE(judge_ncu_run(run));
}

TEST(NcuOutcome, OfACrashOrAnInterruption) {
  NcuRun run{"==PROF== Connected to process 1 (/home/user/app)\n", {}, {}, {}, std::nullopt};
  run.end.ending = Ending::kSignal;
  run.end.signal = 11;
  const auto crashed = judge_ncu_run(run);
  EXPECT_EQ(crashed.error().kind, ErrorKind::kTool);
  EXPECT_EQ(crashed.error().message, "ncu crashed (signal 11) and does not say why");
  run.end.ending = Ending::kInterrupted;
  EXPECT_EQ(judge_ncu_run(run).error().kind, ErrorKind::kInterrupted);
}

TEST(NcuOutcome, OfAProgramThatFailsBeforeItsFirstKernel) {
  NcuRun run{"==ERROR== The application returned an error code (2).\n", {}, {}, {}, std::nullopt};
  run.end.exit_code = 2;
  const auto outcome = judge_ncu_run(run);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kInput);
  EXPECT_NE(outcome.error().message.find("exit code 2"), std::string::npos);
}

// One launch of several could not be profiled, the others are in the report.
TEST(NcuOutcome, KeepsWhatWasProfiledAndCountsTheLoss) {
  const std::string log = std::string(kGood) + "==ERROR== UnknownError\n";
  NcuRun run{log, {}, {}, {}, 40'000};
  const auto outcome = judge_ncu_run(run);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->notes.back().kind, NoteKind::kLoss);
}

TEST(NcuOutcome, EscapesWhatAStrangerWrote) {
  NcuRun run{"==ERROR== \x1b[31mred\n", {}, {}, {}, std::nullopt};
  run.end.exit_code = 1;
  EXPECT_EQ(judge_ncu_run(run).error().message.find('\x1b'), std::string::npos);
  run.log = "==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. \x1b[31mred\n";
  run.end.exit_code = 0;
  EXPECT_EQ(judge_ncu_run(run).error().message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace proofline::ncu_outcome_test
