// SPDX-License-Identifier: Apache-2.0
//
// What a run of compute-sanitizer means: its log and how it ended, as they were recorded.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "readers/sanitizer/sanitizer_log.h"
#include "tools/sanitizer/sanitizer.h"

namespace proofline::sanitizer_run_test {
namespace {

using Outcome = SanitizerOutcome;
using std::chrono::seconds;

constexpr int kErrorCode = 86;

SanitizerLog log_of(std::string_view fixture) {
  if (fixture.empty()) return {};
  const auto path = std::filesystem::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/sanitizer";
  auto input = Input::open((path / fixture).string());
  if (!input) {
    ADD_FAILURE() << input.error().message;
    return {};
  }
  return *read_sanitizer_log(*input, "memcheck");
}

SanitizerToolResult judge(std::string_view fixture, const StepEnd& end,
                          const std::optional<AloneResult>& alone = std::nullopt) {
  SanitizerToolResult result;
  result.tool = "memcheck";
  result.limit_seconds = 60;
  result.log = log_of(fixture);
  judge_run(end, kErrorCode, alone, result);
  return result;
}

StepEnd exited(int code) {
  StepEnd end;
  end.end.exit_code = code;
  return end;
}

StepEnd ended(Ending ending, int signal = 0) {
  StepEnd end;
  end.end.ending = ending;
  end.end.signal = signal;
  return end;
}

TEST(SanitizerRun, LogAndExitCodeHaveToAgree) {
  EXPECT_EQ(judge("memcheck-clean.log", exited(0)).outcome, Outcome::kClean);
  EXPECT_EQ(judge("leak.log", exited(kErrorCode)).outcome, Outcome::kFindings);
  // Errors in the log count whatever the exit code says, and the other way round.
  const SanitizerToolResult quiet = judge("leak.log", exited(0));
  EXPECT_EQ(quiet.outcome, Outcome::kFindings);
  EXPECT_EQ(quiet.log.notes.size(), 1U);
  EXPECT_EQ(judge("memcheck-clean.log", exited(kErrorCode)).outcome, Outcome::kFailed);
}

TEST(SanitizerRun, ProgramsOwnFailureIsNoFinding) {
  const SanitizerToolResult segfault = judge("segfault.log", exited(11));
  EXPECT_EQ(segfault.outcome, Outcome::kApplicationFailed);
  EXPECT_EQ(segfault.explanation, "the program itself died of signal 11");
  AloneResult alone;
  alone.exit_code = 3;
  const SanitizerToolResult code = judge("exit-code.log", exited(3), alone);
  EXPECT_EQ(code.outcome, Outcome::kApplicationFailed);
  EXPECT_EQ(code.explanation,
            "the program itself returned exit code 3, as it does without the tool");
  EXPECT_EQ(judge("memcheck-clean.log", exited(7)).outcome, Outcome::kApplicationFailed);
}

TEST(SanitizerRun, HangIsAFindingBesideWhatTheLogSays) {
  const SanitizerToolResult silent = judge("hang.log", ended(Ending::kTimeLimit));
  EXPECT_EQ(silent.outcome, Outcome::kHang);
  ASSERT_EQ(silent.log.findings.size(), 1U);
  EXPECT_EQ(silent.log.findings[0].kind, SanitizerKind::kHang);
  EXPECT_EQ(silent.log.findings[0].words, "memcheck did not end within 60 s and was ended");
  const SanitizerToolResult explained = judge("deadlock.log", ended(Ending::kTimeLimit));
  ASSERT_EQ(explained.log.findings.size(), 2U);
  EXPECT_EQ(explained.log.findings[1].kind, SanitizerKind::kDeadlock);
  // One that ended in time, but whose log is cut, failed.
  EXPECT_EQ(judge("hang.log", exited(0)).outcome, Outcome::kFailed);
}

// racecheck needed over a minute for kernels that poll barriers, and half a second without it.
TEST(SanitizerRun, ASlowToolIsNoHang) {
  AloneResult alone;
  alone.seconds = 0.5;
  alone.exit_code = 0;
  const SanitizerToolResult slow = judge("hang.log", ended(Ending::kTimeLimit), alone);
  EXPECT_EQ(slow.outcome, Outcome::kTooSlow);
  EXPECT_TRUE(slow.log.findings.empty());
  EXPECT_NE(slow.explanation.find("the program alone takes 0.5 s"), std::string::npos);
  // Nor is what it takes for a deadlock meanwhile, of a program that ends without it.
  const SanitizerToolResult suspect = judge("deadlock.log", ended(Ending::kTimeLimit), alone);
  EXPECT_EQ(suspect.outcome, Outcome::kTooSlow);
  ASSERT_EQ(suspect.log.findings.size(), 1U);
  EXPECT_EQ(suspect.log.findings[0].level, SanitizerLevel::kWarning);
  alone.hang = true;
  for (const char* log : {"hang.log", "deadlock.log"}) {
    EXPECT_EQ(judge(log, ended(Ending::kTimeLimit), alone).outcome, Outcome::kHang) << log;
  }
}

TEST(SanitizerRun, BrokenToolIsAFailure) {
  EXPECT_EQ(judge("no-cuda.log", exited(255)).outcome, Outcome::kFailed);
  EXPECT_EQ(judge("not-found.log", exited(1)).outcome, Outcome::kFailed);
  EXPECT_EQ(judge("memcheck-clean.log", ended(Ending::kSignal, 11)).outcome, Outcome::kFailed);
  StepEnd bad_option = exited(255);
  bad_option.errors_tail = "unrecognised option '--nonsense'\n";
  const SanitizerToolResult result = judge("", bad_option);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_NE(result.explanation.find("unrecognised option '--nonsense'"), std::string::npos);
  EXPECT_EQ(judge("hang.log", ended(Ending::kInterrupted)).outcome, Outcome::kInterrupted);
}

TEST(SanitizerRun, WorstOutcomeCounts) {
  SanitizerRun run;
  const auto add = [&](Outcome outcome) { run.tools.emplace_back().outcome = outcome; };
  EXPECT_EQ(run.outcome(), Outcome::kNotRun);
  add(Outcome::kClean);
  EXPECT_EQ(run.outcome(), Outcome::kClean);
  add(Outcome::kApplicationFailed);
  EXPECT_EQ(run.outcome(), Outcome::kApplicationFailed);
  add(Outcome::kTooSlow);
  EXPECT_EQ(run.outcome(), Outcome::kTooSlow);
  run.alone.emplace().hang = true;
  EXPECT_EQ(run.outcome(), Outcome::kHang);
  add(Outcome::kFindings);
  EXPECT_EQ(run.outcome(), Outcome::kFindings) << "they may explain why it hangs alone";
  add(Outcome::kHang);
  EXPECT_EQ(run.outcome(), Outcome::kHang);
  add(Outcome::kInterrupted);
  EXPECT_EQ(run.outcome(), Outcome::kInterrupted);
}

TEST(SanitizerRun, CommandOfEachTool) {
  const InstalledSanitizer sanitizer{"/cuda/compute-sanitizer", "2025.3.1.0", true};
  SanitizerOptions options;
  const auto command = [&](std::string_view tool) {
    return sanitizer_command(sanitizer, options, {tool, "/run/50%/a.log", 86, seconds(60), true},
                             {"/bin/a", "--tool", "x y"});
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(command("synccheck"),
            (Words{"/cuda/compute-sanitizer", "--tool", "synccheck", "--target-processes", "all",
                   "--error-exitcode", "86", "--print-limit", "10000", "--log-file",
                   "/run/50%%/a.log", "/bin/a", "--tool", "x y"}));
  const Words memcheck = command("memcheck");
  EXPECT_EQ(memcheck[3], "--leak-check");
  const Words racecheck = command("racecheck");
  EXPECT_EQ(racecheck[3], "--racecheck-deadlock-timeout");
  EXPECT_EQ(racecheck[4], "20000");
  EXPECT_EQ(sanitizer_command(sanitizer, {}, {"racecheck", "a", 86, seconds(60)}, {"/bin/a"})[3],
            "--target-processes")
      << "of a program that ends by itself";
  options = {"known.xml", "_Z4gemm.*", 2, 5};
  const Words filtered = command("synccheck");
  EXPECT_EQ(Words(filtered.begin() + 9, filtered.begin() + 17),
            (Words{"--suppressions", "known.xml", "--kernel-name", "regex=_Z4gemm.*",
                   "--launch-skip", "2", "--launch-count", "5"}));
  const Words initcheck = command("initcheck");
  EXPECT_EQ(initcheck[11], "--log-file") << "it must see every write";
}

TEST(SanitizerRun, OldVersionsAreNotAskedForDeadlocks) {
  const InstalledSanitizer old{"/cuda/compute-sanitizer", "2022.1.0.0", false};
  const auto command =
      sanitizer_command(old, {}, {"racecheck", "a", 86, seconds(60), true}, {"/bin/a"});
  EXPECT_EQ(command[3], "--target-processes");
}

TEST(SanitizerRun, ErrorCodeIsNotTheProgramsOwn) {
  AloneResult alone;
  EXPECT_EQ(choose_error_code(std::nullopt), 86);
  alone.exit_code = 86;
  EXPECT_NE(choose_error_code(alone), 86);
}

TEST(SanitizerRun, TimeLimitFollowsTheProgram) {
  AloneResult alone;
  EXPECT_EQ(default_time_limit(std::nullopt), seconds(60));
  alone.seconds = 0.2;
  EXPECT_EQ(default_time_limit(alone), seconds(60));
  alone.seconds = 2;
  EXPECT_EQ(default_time_limit(alone), seconds(230));
}

TEST(SanitizerRun, Version) {
  EXPECT_EQ(parse_sanitizer_version("NVIDIA (R) Compute Sanitizer\nCopyright (c) 2020-2025 NVIDIA "
                                    "Corporation\nVersion 2025.3.1.0 (build 36400806)\n"),
            "2025.3.1.0");
  EXPECT_EQ(parse_sanitizer_version("Version 1.2.3 of something else"), "");
}

}  // namespace
}  // namespace proofline::sanitizer_run_test
