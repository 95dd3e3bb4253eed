// SPDX-License-Identifier: Apache-2.0
//
// That ncu's log is understood while it grows, byte by byte, and whatever is in it.
#include "tools/ncu/ncu_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace proofline::ncu_log_test {
namespace {

std::string recorded(const std::string& scenario) {
  std::ifstream file(PROOFLINE_SOURCE_DIR "/tests/fixtures/tools/ncu/" + scenario + "/log",
                     std::ios::binary);
  EXPECT_TRUE(file) << scenario;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

NcuLog read(std::string_view text) {
  NcuLog log;
  log.take(text);
  log.finish();
  return log;
}

TEST(NcuLog, ShowsEachTenthOfAKernelWhenItComes) {
  NcuLog log;
  double last = 0;
  for (const char c : recorded("normal")) {
    log.take({&c, 1});
    const double now = log.progress().fraction;
    if (now == last) continue;
    EXPECT_NEAR(now - last, 0.1, 1e-9);
    EXPECT_EQ(log.progress().kernel, "reverse_block(int *)");
    last = now;
  }
  EXPECT_EQ(last, 1);
  EXPECT_TRUE(log.progress().connected);
  EXPECT_EQ(log.progress().finished, 1U);
  EXPECT_EQ(log.progress().passes, 38U);
  EXPECT_TRUE(log.disconnected());
  EXPECT_FALSE(log.program_code());
}

TEST(NcuLog, CountsTheKernelsOfAllProcesses) {
  const NcuLog log = read(recorded("child"));
  EXPECT_EQ(log.progress().finished, 2U);
  EXPECT_EQ(log.progress().passes, 1U);
  EXPECT_TRUE(log.errors().empty());
}

TEST(NcuLog, KnowsAKernelChosenByItsNumber) {
  const NcuLog log = read(
      "==PROF== Profiling \"1:7:_Z5scalePff:3\": 0%....50%....100% - 1 pass\n"
      "==PROF== Profiling \"_Z5shiftPff\": 0%..");
  EXPECT_EQ(log.progress().kernel, "_Z5shiftPff");
  EXPECT_NEAR(log.progress().fraction, 0.2, 1e-9);
  EXPECT_EQ(log.progress().finished, 1U);
}

// As ncu prints it where --launch-count says how many there will be.
TEST(NcuLog, KnowsAKernelOfSeveral) {
  const NcuLog log = read(
      "==PROF== Profiling \"shift(float *, float)\" - 0 (1/2): 0%....50%....100% - 15 passes\n"
      "==PROF== Profiling \"scale(float *, float)\" - 1 (2/2): 0%....");
  EXPECT_EQ(log.progress().kernel, "scale(float *, float)");
  EXPECT_NEAR(log.progress().fraction, 0.4, 1e-9);
  EXPECT_EQ(log.progress().finished, 1U);
  EXPECT_EQ(log.progress().passes, 15U);
}

TEST(NcuLog, GoesOnAfterAWarningInTheMiddleOfAKernel) {
  NcuLog log;
  log.take(recorded("hang"));
  EXPECT_TRUE(log.progress().slow);
  EXPECT_EQ(log.progress().kernel, "wait_for_all(int *)");
  EXPECT_NEAR(log.progress().fraction, 0.5, 1e-9);
  EXPECT_EQ(log.progress().finished, 0U);
  ASSERT_EQ(log.warnings().size(), 2U);
  log.take("\n..");
  EXPECT_NEAR(log.progress().fraction, 0.7, 1e-9);
  log.take("..100% - 1 pass\n");
  EXPECT_EQ(log.progress().finished, 1U);
}

TEST(NcuLog, DoesNotCountAKernelThatWasEnded) {
  const NcuLog log = read(
      "==PROF== Profiling \"gemm\" - 20: 0%..==PROF== Received signal\n"
      "==PROF== Trying to shutdown target application\n"
      " - 3 passes\n"
      "==ERROR== Failed to profile \"gemm\" in process 25093\n");
  EXPECT_EQ(log.progress().finished, 0U);
  EXPECT_TRUE(log.ended_program());
  ASSERT_EQ(log.errors().size(), 1U);
}

TEST(NcuLog, ListsTheKernelsThatDidNotMatch) {
  const NcuLog log = read(recorded("no-match"));
  EXPECT_EQ(log.available_kernels(), (std::vector<std::string>{"scale", "shift"}));
  EXPECT_EQ(log.progress().finished, 0U);
}

TEST(NcuLog, KeepsTheProgramsExitCodeApartFromErrors) {
  const NcuLog log = read(recorded("exit-code"));
  EXPECT_EQ(log.program_code(), 3);
  EXPECT_TRUE(log.errors().empty());
}

TEST(NcuLog, TakesAnythingForALog) {
  std::string noise;
  for (int i = 0; i < 200'000; ++i) noise += static_cast<char>(i * 7919 % 256);
  for (const std::string& text :
       {std::string(), noise, std::string(5'000'000, '.'), std::string("==PROF== Profiling \""),
        std::string("==PROF== Profiling \"a\" - 99999999999999999999: 100%"),
        std::string("==ERROR== The application returned an error code (99999999999).\n"),
        std::string("Available Kernels:\n1. \n. x\n")}) {
    const NcuLog log = read(text);
    EXPECT_EQ(log.progress().finished, 0U);
    EXPECT_FALSE(log.program_code());
  }
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "==ERROR== one more\n";
  EXPECT_LE(read(many).errors().size(), 100U);
}

}  // namespace
}  // namespace proofline::ncu_log_test
