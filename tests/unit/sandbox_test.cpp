// SPDX-License-Identifier: Apache-2.0
//
// That a hijacked program gains nothing in the sandbox, for each set of layers that this machine
// has, and that the same attempts do succeed outside: else the test would prove nothing.
#include "tools/sandbox/sandbox.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "support/hostile_child.h"
#include "support/temp_dir.h"

namespace proofline::sandbox_test {
namespace {

using Words = std::vector<std::string>;

class SandboxTest : public testing::TestWithParam<Sandbox::Layers> {
 protected:
  void SetUp() override {
    auto sandbox = Sandbox::with(GetParam());
    if (!sandbox) GTEST_SKIP() << "this machine does not allow it: " << sandbox.error().message;
    sandbox_.emplace(*sandbox);
  }

  Result<Captured> run(const Program& process, const Words& readable = {}) const {
    return sandbox_->run(process, kMegabyte, readable);
  }

  void expect_refused(const Words& words) const {
    const auto end = run(hostile(words));
    ASSERT_TRUE(end) << words[0] << ": " << end.error().message;
    EXPECT_EQ(end->exit_code, 1) << words[0] << ": " << end->output << end->errors;
    EXPECT_EQ(end->signal, 0) << words[0];
    EXPECT_EQ(end->output, "") << words[0];
  }

  static void expect_possible_outside(const Words& words) {
    const auto end = capture(hostile(words));
    ASSERT_TRUE(end) << words[0] << ": " << end.error().message;
    EXPECT_EQ(end->exit_code, 0) << words[0] << ": " << end->errors;
  }

  void expect_only_outside(const Words& words) const {
    expect_refused(words);
    expect_possible_outside(words);
  }

  std::optional<Sandbox> sandbox_;
  TempDir dir_;
};

TEST_P(SandboxTest, RunsAProgramOverOneFile) {
  const auto said = run(hostile({"say", "hello"}));
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(said->output, "hello\n");

  const std::string file = dir_.write("input", "text");
  const auto end = run(hostile({"read", file}), {file});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output, "text") << end->errors;
}

TEST_P(SandboxTest, RunsScripts) {
  const std::string script = dir_.write("script", "#!/bin/sh\necho $1 $(echo two)\n");
  ::chmod(script.c_str(), 0700);
  const auto end = run({{script, "one"}, {}, kLong, {}});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output, "one two\n") << end->errors;
}

TEST_P(SandboxTest, KeepsOtherFilesAway) {
  const std::string secret = dir_.write("secret", "secret");
  expect_only_outside({"read", secret});
  expect_only_outside({"list", dir_.path("")});
  expect_only_outside({"read", "/etc/passwd"});
  expect_only_outside({"read", "/proc/self/environ"});
  const std::string parent = "/proc/" + std::to_string(::getpid());
  expect_refused({"read", parent + "/environ"});
  expect_refused({"read", parent + "/cmdline"});
  const char* home = ::getenv("HOME");
  if (home != nullptr) expect_refused({"list", home});
}

// Also of a file that it may read, and in a folder that it may read.
TEST_P(SandboxTest, WritesNowhere) {
  const std::string file = dir_.write("input", "text");
  for (const char* what : {"write", "empty", "truncate", "chmod", "remove"}) {
    dir_.write("input", "text");
    const auto end = run(hostile({what, file}), {dir_.path("")});
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(end->exit_code, 1) << what;
    expect_possible_outside({what, file});
  }
  expect_only_outside({"create", dir_.path("new")});
  expect_only_outside({"mkdir", dir_.path("folder")});
  expect_refused({"create", "/usr/proofline-test"});
  expect_refused({"create", "/proofline-test"});
}

TEST_P(SandboxTest, RunsNothingElse) {
  const std::string script = dir_.write("script", "#!/bin/sh\n");
  ::chmod(script.c_str(), 0700);
  expect_only_outside({"execute", script});
}

TEST_P(SandboxTest, ReachesNoNetworkAndNoProcess) {
  const std::string us = std::to_string(::getpid());
  expect_only_outside({"socket"});
  expect_only_outside({"signal", us});
  expect_only_outside({"own", us});
  expect_only_outside({"limit", us});
  expect_only_outside({"trace"});
}

TEST_P(SandboxTest, AnswersNoCallsThatAreNotOnItsList) {
  for (const char* what : {"unshare", "new-files", "dump"}) expect_only_outside({what});
  // Not everywhere possible outside.
  expect_refused({"new-keys"});
  expect_refused({"new-namespace"});
}

// Even root has no more rights than the owner of a file.
TEST_P(SandboxTest, HasNoCapabilities) {
  const std::string file = dir_.write("input", "text");
  ::chmod(file.c_str(), 0);
  const auto end = run(hostile({"read", file}), {file});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 1);
  if (::geteuid() == 0) expect_possible_outside({"read", file});
}

TEST_P(SandboxTest, BoundsMemory) { expect_only_outside({"allocate", "100"}); }

TEST_P(SandboxTest, BoundsTimeAndOutput) {
  const auto endless = run(hostile({"wait"}, kShort));
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().kind, ErrorKind::kTimeLimit);
  const auto flood = run(hostile({"print"}));
  ASSERT_FALSE(flood);
  EXPECT_TRUE(has(flood.error().message, "output truncated")) << flood.error().message;
}

TEST_P(SandboxTest, LeavesNothingBehind) {
  const std::string word = unique_word();
  EXPECT_TRUE(run(hostile({"daemonise", word})));
  EXPECT_TRUE(run(hostile({"fork", "40", word})));
  EXPECT_FALSE(runs_somewhere(word));
}

TEST_P(SandboxTest, DiesWithUs) {
  const std::string word = unique_word();
  EXPECT_TRUE(dies_with_its_parent(word, [&] { return run(hostile({"wait", word})); }));
}

// Root is exempt from the kernel's limit, and without a namespace it would count other processes.
TEST_P(SandboxTest, BoundsProcesses) {
  if (::geteuid() == 0 || !GetParam().namespaces) GTEST_SKIP() << "there is no such limit";
  expect_refused({"fork", "200"});
  expect_possible_outside({"fork", "200"});
}

TEST_P(SandboxTest, CrashesAreSeen) {
  const auto crash = run(hostile({"crash"}));
  ASSERT_TRUE(crash) << crash.error().message;
  EXPECT_EQ(crash->signal, SIGSEGV);
  const auto abort = run(hostile({"abort"}));
  ASSERT_TRUE(abort) << abort.error().message;
  EXPECT_NE(abort->signal, 0);
}

TEST_P(SandboxTest, SaysWhatHolds) {
  EXPECT_TRUE(has(sandbox_->layers(), "seccomp")) << sandbox_->layers();
  EXPECT_EQ(has(sandbox_->layers(), "namespaces"), GetParam().namespaces);
  EXPECT_EQ(has(sandbox_->layers(), "landlock"), GetParam().landlock);
}

INSTANTIATE_TEST_SUITE_P(Layers, SandboxTest,
                         testing::Values(Sandbox::Layers{true, true}, Sandbox::Layers{true, false},
                                         Sandbox::Layers{false, true}),
                         [](const auto& test) {
                           return std::string(test.param.namespaces ? "Namespaces" : "") +
                                  (test.param.landlock ? "Landlock" : "");
                         });

TEST(Sandbox, IsNoneWithoutALayerThatKeepsFilesAway) {
  EXPECT_FALSE(Sandbox::with({false, false}));
}

}  // namespace
}  // namespace proofline::sandbox_test
