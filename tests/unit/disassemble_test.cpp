// SPDX-License-Identifier: Apache-2.0
//
// The disassembler over cubins that take it over: a stand-in for nvdisasm does what the file says.
#include "tools/sandbox/disassemble.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>

#include <filesystem>
#include <string>

#include "base/text.h"
#include "support/hostile_child.h"
#include "support/temp_dir.h"
#include "tools/sandbox/sandbox.h"

namespace proofline::disassemble_test {
namespace {

class DisassemblerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto sandbox = Sandbox::find();
    if (!sandbox) GTEST_SKIP() << "no sandbox here: " << sandbox.error().message;
  }

  static Disassembler open(const DisassemblerOptions& options = {}) {
    return Disassembler::at(PROOFLINE_HOSTILE_CHILD, options).value();
  }

  static Error error_of(const std::string& cubin, const DisassemblerOptions& options = {}) {
    const auto listing = open(options).disassemble(cubin);
    EXPECT_FALSE(listing) << *listing;
    return listing ? Error{} : listing.error();
  }

  TempDir dir_;
};

TEST_F(DisassemblerTest, GivesListingAndOrigin) {
  const Disassembler disassembler = open();
  EXPECT_EQ(disassembler.disassemble("say listing").value(), "listing\n");
  EXPECT_EQ(disassembler.version(), "13.0.85");
  EXPECT_EQ(disassembler.path(), PROOFLINE_HOSTILE_CHILD);
  EXPECT_TRUE(has(disassembler.confinement(), "seccomp"));
}

TEST_F(DisassemblerTest, HostileCubinsGainNothing) {
  const std::string secret = dir_.write("secret", "secret");
  EXPECT_EQ(error_of("read " + secret).kind, ErrorKind::kTool);
  EXPECT_EQ(error_of("socket").kind, ErrorKind::kTool);
  const std::string file = dir_.path("file");
  EXPECT_EQ(error_of("create " + file).kind, ErrorKind::kTool);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(DisassemblerTest, OnlyTheUserSwitchesTheSandboxOff) {
  const std::string secret = dir_.write("secret", "secret");
  DisassemblerOptions options;
  options.unsafe = true;
  const Disassembler disassembler = open(options);
  EXPECT_EQ(disassembler.disassemble("read " + secret).value(), "secret");
  EXPECT_EQ(disassembler.confinement(), "none");
}

TEST_F(DisassemblerTest, SaysHowItFailedOnWhichCubin) {
  const Error crash = error_of("crash");
  EXPECT_EQ(crash.kind, ErrorKind::kTool);
  EXPECT_EQ(crash.message, "nvdisasm crashed (signal 11) on the cubin " + short_hash("crash"));

  const Error exit = error_of("exit 3");
  EXPECT_EQ(exit.kind, ErrorKind::kTool);
  EXPECT_TRUE(has(exit.message, "exit code 3")) << exit.message;

  const Error nothing = error_of("exit 0");
  EXPECT_EQ(nothing.kind, ErrorKind::kTool);
  EXPECT_TRUE(has(nothing.message, "printed nothing")) << nothing.message;
}

TEST_F(DisassemblerTest, HasLimits) {
  DisassemblerOptions options;
  options.max_output = kMegabyte;
  EXPECT_TRUE(has(error_of("print", options).message, "output truncated at 1,048,576"));
  options.time_limit = std::chrono::seconds(1);
  const Error late = error_of("wait", options);
  EXPECT_EQ(late.kind, ErrorKind::kTimeLimit);
  EXPECT_TRUE(has(late.message, "on the cubin " + short_hash("wait"))) << late.message;
}

TEST_F(DisassemblerTest, LeavesNoFiles) {
  const char* variable = ::getenv("TMPDIR");
  const std::string before = variable != nullptr ? variable : "";
  ::setenv("TMPDIR", dir_.path("").c_str(), 1);
  const Disassembler disassembler = open();
  EXPECT_TRUE(disassembler.disassemble("say listing"));
  EXPECT_FALSE(disassembler.disassemble("crash"));
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path("")));

  ::setenv("TMPDIR", dir_.path("none").c_str(), 1);
  const auto nowhere = disassembler.disassemble("say listing");
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, ErrorKind::kStorage);
}

TEST_F(DisassemblerTest, RefusesWhatIsNotNvdisasm) {
  const auto other = Disassembler::at("/bin/echo");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kTool);
}

}  // namespace
}  // namespace proofline::disassemble_test
