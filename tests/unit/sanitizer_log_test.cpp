// SPDX-License-Identifier: Apache-2.0
//
// What the sanitizers' logs are read as: real ones, those of older versions, and damaged ones.
#include "readers/sanitizer/sanitizer_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "readers/format.h"

namespace proofline::sanitizer_log_test {
namespace {

using Kind = SanitizerKind;
using Level = SanitizerLevel;
using Outcome = SanitizerOutcome;

SanitizerToolResult judged(SanitizerLog log) {
  SanitizerToolResult result;
  result.log = std::move(log);
  judge_log(result);
  return result;
}

bool is_log(std::string_view prefix) {
  const Format* format = identify(prefix);
  return format != nullptr && format->offers(InputKind::kSanitizerLog);
}

SanitizerToolResult read_text(std::string_view text) {
  EXPECT_TRUE(is_log(text.substr(0, kSniffBytes))) << text.substr(0, 200);
  auto input = Input::from_memory(text, "text");
  return judged(*read_sanitizer_log(*input));
}

std::string fixture_path(std::string_view name) {
  return (std::filesystem::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/sanitizer" / name).string();
}

SanitizerToolResult read_fixture(std::string_view name) {
  auto input = Input::open(fixture_path(name));
  if (!input) {
    ADD_FAILURE() << input.error().message;
    return {};
  }
  EXPECT_TRUE(is_log(*input->peek(kSniffBytes))) << name;
  return judged(*read_sanitizer_log(*input));
}

std::string fixture_text(std::string_view name) {
  auto input = Input::open(fixture_path(name));
  return input ? std::string(*input->take_rest()) : "";
}

const SanitizerFinding& only(const SanitizerToolResult& result) {
  static const SanitizerFinding kNone{};
  EXPECT_EQ(result.log.findings.size(), 1U);
  return result.log.findings.empty() ? kNone : result.log.findings.front();
}

std::uint64_t lost(const SanitizerLog& log) {
  std::uint64_t count = 0;
  for (const Note& note : log.notes) count += note.kind == NoteKind::kLoss ? 1 : 0;
  return count;
}

// A PyTorch program never frees its pool, which memcheck takes for leaks.
TEST(SanitizerLog, MemoryOfAFrameworksPoolIsNoFault) {
  constexpr std::string_view kPooled =
      "========= COMPUTE-SANITIZER\n"
      "========= Leaked 4,000 bytes at 0x7fa9a0800000\n"
      "=========     Saved host backtrace up to driver entry point at allocation time\n"
      "=========         Host Frame: cudaMalloc [0x50c56] in libcudart.so.13\n"
      "=========         Host Frame: c10::cuda::CUDACachingAllocator::Native::"
      "NativeCachingAllocator::allocate(unsigned long) [0x44beb] in libc10_cuda.so\n"
      "========= \n";
  constexpr std::string_view kOwn =
      "========= Leaked 256 bytes at 0x7fa9a0900000\n"
      "=========     Saved host backtrace up to driver entry point at allocation time\n"
      "=========         Host Frame: main [0x8d26] in leak\n"
      "========= \n";
  const SanitizerToolResult pooled = read_text(
      std::string(kPooled) + "========= LEAK SUMMARY: 4,000 bytes leaked in 1 allocations\n" +
      "========= ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(only(pooled).level, Level::kWarning);
  EXPECT_EQ(pooled.outcome, Outcome::kClean);

  const SanitizerToolResult both =
      read_text(std::string(kPooled) + std::string(kOwn) +
                "========= LEAK SUMMARY: 4,256 bytes leaked in 2 allocations\n" +
                "========= ERROR SUMMARY: 2 errors\n");
  ASSERT_EQ(both.log.findings.size(), 2U) << "a leak of its own is not hidden by the pool's";
  EXPECT_EQ(both.outcome, Outcome::kFindings);
}

TEST(SanitizerLog, MergesTheMessagesOfAllThreads) {
  const SanitizerToolResult result = read_fixture("out-of-bounds.log.gz");
  EXPECT_EQ(result.outcome, Outcome::kFindings);
  EXPECT_EQ(result.log.producer, "compute-sanitizer");
  EXPECT_EQ(result.log.tool, "memcheck");
  EXPECT_TRUE(result.log.notes.empty());
  ASSERT_EQ(result.log.findings.size(), 4U);
  const SanitizerFinding& write = result.log.findings[0];
  EXPECT_EQ(write.kind, Kind::kOutOfBounds);
  EXPECT_EQ(write.level, Level::kError);
  EXPECT_EQ(write.count, 24U);
  EXPECT_EQ(write.words, "Invalid __global__ write of size 4 bytes");
  EXPECT_EQ(write.space, "global");
  EXPECT_EQ(write.access, "write");
  EXPECT_EQ(write.size, 4U);
  EXPECT_EQ(write.kernel(), "write_past_end(float *, int)");
  EXPECT_EQ(write.at.file, "out_of_bounds.cu");
  EXPECT_EQ(write.at.line, 8U);
  EXPECT_EQ(write.at.offset, 0x90U);
  EXPECT_EQ(write.threads->first, (Dim3{104, 0, 0}));
  EXPECT_EQ(write.threads->last, (Dim3{127, 0, 0}));
  EXPECT_EQ(write.blocks->first, (Dim3{7, 0, 0}));
  EXPECT_EQ(write.address->first, 0x7fedf2800fa0U);
  EXPECT_EQ(write.address->last, 0x7fedf2800ffcU);
  EXPECT_EQ(write.allocation->relation, "after");
  EXPECT_EQ(write.allocation->distance, 1U);
  EXPECT_EQ(write.allocation->size, 4000U);
  ASSERT_EQ(write.stacks.size(), 1U);
  EXPECT_EQ(write.stacks[0].when, "at kernel launch time");
  EXPECT_EQ(write.stacks[0].frames.front(), "main [0x8d26] in out_of_bounds");
  EXPECT_EQ(result.log.findings[1].kind, Kind::kApiError);
  EXPECT_EQ(result.log.findings[3].kind, Kind::kLeak);
  EXPECT_EQ(result.log.summary->errors, 27U);
  EXPECT_EQ(result.log.counts().errors, 27U);
}

TEST(SanitizerLog, ReadsEveryTool) {
  const SanitizerFinding misaligned = read_fixture("misaligned.log.gz").log.findings.front();
  EXPECT_EQ(misaligned.kind, Kind::kMisaligned);
  EXPECT_EQ(misaligned.count, 64U);
  EXPECT_EQ(misaligned.allocation->relation, "inside");

  const SanitizerFinding leak = only(read_fixture("leak.log"));
  EXPECT_EQ(leak.kind, Kind::kLeak);
  EXPECT_EQ(leak.total_size, 256U);
  EXPECT_EQ(leak.stacks[0].when, "at allocation time");

  const SanitizerFinding unwritten = only(read_fixture("uninitialised.log.gz"));
  EXPECT_EQ(unwritten.tool, "initcheck");
  EXPECT_EQ(unwritten.kind, Kind::kUninitialisedRead);
  EXPECT_EQ(unwritten.count, 64U);

  const SanitizerFinding race = only(read_fixture("shared-race.log"));
  EXPECT_EQ(race.tool, "racecheck");
  EXPECT_EQ(race.kind, Kind::kSharedRace);
  EXPECT_EQ(race.hazards(), 512U);
  ASSERT_EQ(race.sides.size(), 2U);
  EXPECT_EQ(race.sides[0].access, "write");
  EXPECT_EQ(race.sides[0].at.line, 8U);
  EXPECT_EQ(race.sides[1].access, "read");
  EXPECT_EQ(race.sides[1].at.line, 10U);
  EXPECT_EQ(race.kernel(), "reverse_block(int *)");
}

TEST(SanitizerLog, CountsWhatThePrintLimitKeptBack) {
  const SanitizerToolResult result = read_fixture("race-hazards.log.gz");
  EXPECT_EQ(only(result).count, 100U);
  EXPECT_EQ(only(result).hazards(), 100U);
  EXPECT_EQ(only(result).address->last, 0x463U);
  EXPECT_EQ(result.log.summary->not_printed, 413U);
  EXPECT_EQ(lost(result.log), 0U) << "the summary explains the difference";
}

TEST(SanitizerLog, TellsTheProgramsLinesFromTheTools) {
  const SanitizerToolResult result = read_fixture("with-output.log.gz");
  EXPECT_EQ(result.log.findings.size(), 3U);
  EXPECT_EQ(result.log.counts().errors, 26U);
  EXPECT_EQ(lost(result.log), 0U);
}

TEST(SanitizerLog, DeadlockNamesThePlace) {
  const SanitizerToolResult result = read_fixture("deadlock.log");
  const SanitizerFinding& deadlock = only(result);
  EXPECT_EQ(deadlock.kind, Kind::kDeadlock);
  EXPECT_EQ(deadlock.at.file, "barrier_block_scope.h");
  EXPECT_EQ(deadlock.at.line, 192U);
  EXPECT_EQ(deadlock.address->first, 0x400U);
  EXPECT_FALSE(result.log.complete);
}

TEST(SanitizerLog, OnlyASummaryWithoutErrorsIsClean) {
  EXPECT_EQ(read_fixture("memcheck-clean.log").outcome, Outcome::kClean);
  EXPECT_EQ(read_fixture("racecheck-clean.log").outcome, Outcome::kClean);
  EXPECT_EQ(read_fixture("hang.log").outcome, Outcome::kFailed);
  EXPECT_EQ(read_fixture("no-cuda.log").outcome, Outcome::kFailed);
  EXPECT_EQ(read_fixture("not-found.log").outcome, Outcome::kFailed);
  EXPECT_EQ(read_fixture("exit-code.log").outcome, Outcome::kApplicationFailed);
  EXPECT_EQ(read_fixture("segfault.log").outcome, Outcome::kApplicationFailed);
  EXPECT_EQ(read_text("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 3 errors\n").outcome,
            Outcome::kFindings);
}

TEST(SanitizerLog, NoCutMakesALogClean) {
  for (const std::string_view name : {"leak.log", "shared-race.log", "segfault.log"}) {
    const std::string whole = fixture_text(name);
    for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
      auto input = Input::from_memory(std::string_view(whole).substr(0, size), "cut");
      const SanitizerToolResult result = judged(*read_sanitizer_log(*input));
      ASSERT_NE(result.outcome, Outcome::kClean) << name << " cut at " << size;
    }
  }
}

TEST(SanitizerLog, SecondRunWithoutSummaryIsMissed) {
  const std::string clean = fixture_text("memcheck-clean.log");
  const SanitizerToolResult result = read_text(clean + "========= COMPUTE-SANITIZER\n");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(lost(result.log), 1U);
  EXPECT_EQ(read_text(clean + clean).outcome, Outcome::kClean);
}

TEST(SanitizerLog, CompressedLogThatIsCutIsIncomplete) {
  const auto path = fixture_path("out-of-bounds.log.gz");
  const auto size = std::filesystem::file_size(path);
  InputLimits limits;
  auto stored = Input::open(path, limits);
  ASSERT_TRUE(stored && size > 100);
  std::string bytes(size, '\0');
  std::FILE* file = std::fopen(path.c_str(), "rb");
  ASSERT_EQ(std::fread(bytes.data(), 1, size, file), size);
  std::fclose(file);
  auto input = Input::from_memory(std::string_view(bytes).substr(0, size / 2), "cut.gz");
  const auto log = read_sanitizer_log(*input);
  ASSERT_TRUE(log);
  EXPECT_FALSE(log->complete);
  EXPECT_GE(lost(*log), 1U);
}

// cuda-memcheck put offset, file and line before the name, and repeated the place as a frame.
constexpr std::string_view kOldLog =
    "========= CUDA-MEMCHECK\r\n"
    "========= This tool is deprecated and will be removed in a future release\r\n"
    "========= Invalid __global__ write of size 4\r\n"
    "=========     at 0x00000070 in /src/old.cu:12:inner(int*)\r\n"
    "=========     by thread (3,0,0) in block (1,2,0)\r\n"
    "=========     Address 0x703a00100 is out of bounds\r\n"
    "=========     Device Frame:/src/old.cu:20:outer(int*) (outer(int*) : 0x148)\r\n"
    "=========     Saved host backtrace up to driver entry point at kernel launch time\r\n"
    "=========     Host Frame:/usr/lib/libcuda.so.1 (cuLaunchKernel + 0x2cd) [0x22b40d]\r\n"
    "=========     Host Frame:./old [0x1a2b]\r\n"
    "=========\r\n"
    "========= Program hit invalid copy direction for memcpy (error 21) on CUDA API call to "
    "cudaMemcpy.\r\n"
    "=========     Saved host backtrace up to driver entry point at error\r\n"
    "=========     Host Frame: [0x1a2b]\r\n"
    "=========                in /home/user/./old\r\n"
    "=========\r\n"
    "========= ERROR SUMMARY: 2 errors\r\n";

TEST(SanitizerLog, ReadsOldVersions) {
  const SanitizerToolResult result = read_text(kOldLog);
  EXPECT_EQ(result.log.producer, "cuda-memcheck");
  ASSERT_EQ(result.log.findings.size(), 2U);
  const SanitizerFinding& write = result.log.findings[0];
  EXPECT_EQ(write.kind, Kind::kOutOfBounds);
  EXPECT_EQ(write.at.function, "inner(int*)");
  EXPECT_EQ(write.at.file, "/src/old.cu");
  EXPECT_EQ(write.at.line, 12U);
  EXPECT_EQ(write.kernel(), "outer(int*)");
  EXPECT_EQ(write.stacks[0].frames.size(), 2U);
  EXPECT_EQ(result.log.findings[1].stacks[0].frames[0], "[0x1a2b] in /home/user/./old");
  EXPECT_EQ(lost(result.log), 0U);
}

TEST(SanitizerLog, KnowsTheHeadings) {
  struct Case {
    std::string_view heading;
    Kind kind;
    Level level = Level::kError;
  };
  const Case cases[] = {
      {"Barrier error detected. Divergent thread(s) in warp.", Kind::kDivergentBarrier},
      {"Barrier error detected. Divergent thread(s) in block", Kind::kDivergentBarrier},
      {"Barrier error detected. Invalid arguments.", Kind::kInvalidBarrier},
      {"Barrier error detected. Missing wait.", Kind::kInvalidBarrier},
      {"Warpgroup MMA sequence error detected. Something", Kind::kWarpgroupSequence},
      {"Malloc/Free error encountered : Double free", Kind::kInvalidFree},
      {"Free-before-alloc on allocation of size 256 bytes at 0x3366000000",
       Kind::kUseBeforeAllocation},
      {"Leaked 16 bytes at 0x4012ffff6 on the device heap", Kind::kLeak},
      {"Unused __global__ memory in allocation 0x7fed9f400000 of size 100 bytes",
       Kind::kUnusedMemory},
      {" Unused memory in allocation 0x7fed9f400000 of size 100", Kind::kUnusedMemory},
      {"Uninitialized __shared__ memory read of size 4 bytes", Kind::kUninitialisedRead},
      {"Potential invalid __shared__ read of size 4 bytes", Kind::kSharedRace},
      {"WARN:(Warp Level Programming) Potential RAW hazard detected at __shared__ 0x3 in block "
       "(0, 0, 0) :",
       Kind::kSharedRace, Level::kWarning},
      {"Warning: Race reported between Read access at f()+0x10", Kind::kSharedRace,
       Level::kWarning},
      {"Out-of-range Shared or Local Address", Kind::kDeviceException},
      {"Fatal UVM CPU fault due to invalid operation", Kind::kDeviceException},
      {"Internal Sanitizer Error: The Sanitizer encountered an error while launching f",
       Kind::kNotChecked},
      {"Warning: Detected overflow of tracked cuda::barrier structures.", Kind::kNotChecked,
       Level::kWarning},
      {"Error: Something that nobody has seen", Kind::kUnknown},
      {"Info: Something that nobody has seen", Kind::kUnknown, Level::kInfo},
  };
  for (const Case& one : cases) {
    const std::string text =
        "========= COMPUTE-SANITIZER\n========= " + std::string(one.heading) + "\n";
    const SanitizerToolResult result = read_text(text);
    const SanitizerFinding& finding = only(result);
    EXPECT_EQ(finding.kind, one.kind) << one.heading;
    EXPECT_EQ(finding.level, one.level) << one.heading;
    EXPECT_NE(result.outcome, Outcome::kClean) << one.heading;
  }
}

TEST(SanitizerLog, UnknownWordsCountAsTheSummaryDoes) {
  const std::string text =
      "========= COMPUTE-SANITIZER\n========= Session of somebody\n========= \n";
  const SanitizerToolResult quiet = read_text(text + "========= ERROR SUMMARY: 0 errors\n");
  EXPECT_EQ(only(quiet).kind, Kind::kUnknown);
  EXPECT_EQ(quiet.outcome, Outcome::kClean);
  const SanitizerToolResult counted = read_text(text + "========= ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(only(counted).level, Level::kError);
  EXPECT_EQ(counted.outcome, Outcome::kFindings);
}

TEST(SanitizerLog, UncheckedLaunchesAreNoPass) {
  const SanitizerToolResult result = read_text(
      "========= COMPUTE-SANITIZER\n"
      "========= Internal Sanitizer Error: The Sanitizer encountered an error while launching f "
      "and didn't track the launch.\n"
      "========= \n"
      "========= ERROR SUMMARY: 0 errors\n");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
}

TEST(SanitizerLog, KeepsProcessesApart) {
  const SanitizerToolResult result = read_text(
      "[1,0]<stdout>:========= COMPUTE-SANITIZER\n"
      "[1,1]<stdout>:========= COMPUTE-SANITIZER\n"
      "[1,0]<stdout>:========= Invalid __global__ read of size 4 bytes\n"
      "[1,1]<stdout>:========= Invalid __shared__ write of size 8 bytes\n"
      "[1,0]<stdout>:=========     at first()+0x10\n"
      "[1,1]<stdout>:=========     at second()+0x20\n"
      "[1,0]<stdout>:=========     Address 0x10 is out of bounds\n"
      "[1,1]<stdout>:=========     Address 0x21 is misaligned\n"
      "[1,0]<stdout>:========= \n"
      "[1,1]<stdout>:========= \n"
      "[1,0]<stdout>:========= ERROR SUMMARY: 1 error\n"
      "[1,1]<stdout>:========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(result.log.findings.size(), 2U);
  EXPECT_EQ(result.log.findings[0].kernel(), "first()");
  EXPECT_EQ(result.log.findings[0].kind, Kind::kOutOfBounds);
  EXPECT_EQ(result.log.findings[1].kernel(), "second()");
  EXPECT_EQ(result.log.findings[1].kind, Kind::kMisaligned);
  EXPECT_TRUE(result.log.complete);
}

TEST(SanitizerLog, TakesAnotherPrefixAndLostIndentation) {
  const SanitizerToolResult prefixed = read_text(
      "@@ COMPUTE-SANITIZER\n"
      "@@ Uninitialized __global__ memory read of size 4 bytes\n"
      "@@     at f()+0x10 in a.cu:3\n"
      "@@ ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(only(prefixed).at.line, 3U);
  const SanitizerToolResult flat = read_text(
      "> ========= Invalid __local__ write of size 4 bytes\n"
      "> ========= at f()+0x10 in a.cu:3\n"
      "> ========= by thread (0,0,0) in block (0,0,0)\n"
      "> ========= Address 0x1 is misaligned\n");
  EXPECT_EQ(only(flat).kind, Kind::kMisaligned);
  EXPECT_EQ(only(flat).space, "local");
}

TEST(SanitizerLog, SaysWhatHasLostItsHeading) {
  const SanitizerToolResult result = read_text(
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "========= \n"
      "========= ERROR SUMMARY: 0 errors\n");
  EXPECT_EQ(lost(result.log), 1U);
}

TEST(SanitizerLog, MemoryIsBoundedHoweverManyMessagesDiffer) {
  std::string text = "========= COMPUTE-SANITIZER\n";
  const std::string name(20000, 'k');
  for (int i = 0; i < 2000; ++i) {
    text += "========= Invalid __global__ read of size 4 bytes\n=========     at " + name +
            std::to_string(i) + "()+0x10\n========= \n";
  }
  const SanitizerToolResult result = read_text(text + "========= ERROR SUMMARY: 2000 errors\n");
  EXPECT_LT(result.log.findings.size(), 2000U);
  EXPECT_EQ(result.outcome, Outcome::kFindings);
  EXPECT_EQ(lost(result.log), 1U);
}

TEST(SanitizerLog, CountsHeadingsThatComeAgainWithAndWithoutDetails) {
  const std::string heading = "========= Invalid __global__ write of size 4 bytes\n";
  const std::string other = "========= Invalid __global__ read of size 2 bytes\n";
  const std::string place = "=========     at f(int)+0x90 in a.cu:8\n";
  std::string text = "========= COMPUTE-SANITIZER\n";
  for (int i = 0; i < 100; ++i) text += other + heading + place + heading;
  const SanitizerToolResult result = read_text(text + "========= ERROR SUMMARY: 300 errors\n");
  ASSERT_EQ(result.log.findings.size(), 3U);
  for (const SanitizerFinding& finding : result.log.findings) EXPECT_EQ(finding.count, 100U);
  EXPECT_EQ(result.log.findings[0].total_size, 200U);
  EXPECT_EQ(result.log.findings[1].at.function, "f(int)");
  EXPECT_EQ(result.log.findings[2].total_size, 400U);
  EXPECT_TRUE(result.log.notes.empty());
}

TEST(SanitizerLog, OthersTextsAreNoLogs) {
  for (const std::string_view text :
       {"", "# COMPUTE-SANITIZER\n# another heading\n", "==PROF== Connected to process 1\n",
        "============ test session starts =============\n", "========= RUN something\n"}) {
    EXPECT_FALSE(is_log(text)) << text;
  }
}

}  // namespace
}  // namespace proofline::sanitizer_log_test
