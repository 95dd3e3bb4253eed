// SPDX-License-Identifier: Apache-2.0
//
// That a program which we run gets nothing of ours, can neither flood nor outlast us, and leaves
// nothing behind.
#include "tools/process/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/interrupt.h"
#include "base/unique_fd.h"
#include "support/hostile_child.h"
#include "support/temp_dir.h"

namespace proofline::process_test {
namespace {

TEST(Process, GivesOutputErrorsAndExitCode) {
  const auto said = capture(hostile({"say", "hello"}));
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(said->output, "hello\n");
  EXPECT_EQ(said->exit_code, 0);
  EXPECT_EQ(said->signal, 0);

  const auto failed = capture(hostile({"read", "/nowhere"}));
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->exit_code, 1);
  EXPECT_TRUE(has(failed->errors, "No such file")) << failed->errors;
}

// Takes its time before the program begins, as forks of a large process do.
class SlowSetup : public ChildSetup {
 public:
  static constexpr std::chrono::milliseconds kTime{5};
  int clone_flags() const noexcept override { return 0; }
  const char* apply() const noexcept override {
    const auto until = std::chrono::steady_clock::now() + kTime;
    while (std::chrono::steady_clock::now() < until) {
    }
    return nullptr;
  }
};

class IgnoreOutput : public OutputListener {
 public:
  bool on_output(std::string_view) override { return true; }
  bool on_errors(std::string_view) override { return true; }
};

TEST(Process, ItsTimeBeginsJustBeforeTheProgramDoes) {
  const SlowSetup setup;
  IgnoreOutput listener;
  const auto begun = std::chrono::steady_clock::now();
  const auto end = run_program(hostile({"say", "hello"}), listener, &setup);
  const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - begun;
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_GT(end->duration.count(), 0);
  EXPECT_GE(passed - end->duration, SlowSetup::kTime);
}

TEST(Process, PassesArgumentsLiterally) {
  const std::string words = "; exit 7 $(id) `id` * \" '\n";
  EXPECT_EQ(capture(hostile({"say", words}))->output, words + '\n');
}

TEST(Process, ChildInheritsNothing) {
  const UniqueFd kept(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  ::setenv("PROOFLINE_TEST_SECRET", "x", 1);
  const auto pipe_before = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t mask_before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &blocked, &mask_before);

  const auto end = capture(hostile({"inherited"}));

  ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  std::signal(SIGPIPE, pipe_before);
  ::unsetenv("PROOFLINE_TEST_SECRET");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output,
            "PATH=/usr/bin:/bin\nLANG=C\ndescriptor 0\ndescriptor 1\ndescriptor 2\ninput 0\n");
}

TEST(Process, WorksWithoutStandardStreamsOfOurOwn) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (const int fd : {0, 1, 2}) ::close(fd);
    const auto end = capture(hostile({"inherited"}));
    ::_exit(end && has(end->output, "descriptor 2\ninput 0\n") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST(Process, KnowsTheEndEvenWhereChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto end = capture(hostile({"exit", "3"}));
  std::signal(SIGCHLD, before);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 3);
}

TEST(Process, SaysWhyAProgramCannotStart) {
  const TempDir dir;
  for (const auto& [path, why] : {std::pair{dir.path("none"), "No such file"},
                                  std::pair{dir.write("text", "words"), "Permission denied"}}) {
    const auto end = capture({{path}, {}, kLong, {}});
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().kind, ErrorKind::kTool);
    EXPECT_TRUE(has(end.error().message, why)) << end.error().message;
  }
}

TEST(Process, SaysWhichSignalKilledIt) { EXPECT_EQ(capture(hostile({"crash"}))->signal, SIGSEGV); }

TEST(Process, EndsWhatTakesTooLong) {
  const std::string word = unique_word();
  const auto end = capture(hostile({"wait", word}, kShort));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::kTimeLimit);
  EXPECT_TRUE(has(end.error().message, "0.2 s")) << end.error().message;
  EXPECT_FALSE(runs_somewhere(word));
}

TEST(Process, EndsWhatPrintsTooMuch) {
  const auto end = capture(hostile({"print"}));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::kTool);
  EXPECT_TRUE(has(end.error().message, "output truncated at 1,048,576 bytes"))
      << end.error().message;
}

// It holds the pipes open, ignores SIGTERM and is neither child nor in the process group.
TEST(Process, EndsDaemonisedDescendants) {
  const std::string word = unique_word();
  const auto end = capture(hostile({"daemonise", word}));
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_FALSE(runs_somewhere(word));
}

TEST(Process, LeavesOtherChildrenAlone) {
  const pid_t other = ::fork();
  if (other == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_TRUE(capture(hostile({"daemonise"})));
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
  ::kill(other, SIGKILL);
  EXPECT_EQ(::waitpid(other, nullptr, 0), other);
}

// Keeps what came, and does something at the first of it.
class Listener : public OutputListener {
 public:
  bool on_output(std::string_view piece) override {
    if (output.empty() && at_first) at_first();
    output += piece;
    return true;
  }
  bool on_errors(std::string_view piece) override {
    errors += piece;
    return true;
  }
  std::function<void()> at_first;
  std::string output;
  std::string errors;
};

Program shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, kLong, kLong};
}

TEST(Process, HandsOverOutputWhileItRuns) {
  Listener listener;
  const TempDir dir;
  const std::string go = dir.path("go");
  // Goes on only when what it printed was seen.
  listener.at_first = [&] { dir.write("go", ""); };
  const auto end = run_program(
      shell("echo up; echo err >&2; until test -e " + go + "; do :; done; echo done"), listener);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::kExited);
  EXPECT_EQ(listener.output, "up\ndone\n");
  EXPECT_EQ(listener.errors, "err\n");
}

TEST(Process, AsksBeforeItKills) {
  Listener listener;
  const InterruptWatch watch;
  listener.at_first = [] { std::raise(SIGTERM); };
  const auto end = run_program(
      shell("trap 'echo saved; exit 3' TERM; echo up; while :; do sleep 1 & wait; done"), listener);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::kInterrupted);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(listener.output, "up\nsaved\n");
}

TEST(Process, KillsWhatWasAskedTwice) {
  Listener listener;
  const InterruptWatch watch;
  const std::string word = unique_word();
  listener.at_first = [] {
    std::raise(SIGINT);
    std::raise(SIGINT);
  };
  const auto end =
      run_program(shell("trap '' TERM INT; echo up; while :; do sleep 1; done #" + word), listener);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::kInterrupted);
  EXPECT_FALSE(runs_somewhere(word));
}

TEST(Process, DiesWithUs) {
  const std::string word = unique_word();
  EXPECT_TRUE(dies_with_its_parent(word, [&] { return capture(hostile({"wait", word})); }));
}

}  // namespace
}  // namespace proofline::process_test
