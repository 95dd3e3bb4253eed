// SPDX-License-Identifier: Apache-2.0
//
// Processes that no signal ends, as one that hangs in a driver (H7): we stop waiting, say which one
// it is, and nothing else is held up. A process whose end a debugger holds back is one of them
// anywhere; one in a frozen control group is in real uninterruptible sleep, where there is the
// freezer of cgroup v1 and leave to use it.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "support/effort.h"
#include "support/hostile_child.h"
#include "tools/process/process.h"

namespace proofline::stuck_process_test {
namespace {

namespace fs = std::filesystem;

// The first line is the program's process id; then it is made stuck.
class MakeStuck : public OutputListener {
 public:
  explicit MakeStuck(std::function<void(pid_t)> how) : how_(std::move(how)) {}
  bool on_output(std::string_view piece) override {
    pid = std::stoi(std::string(piece));
    how_(pid);
    return false;
  }
  bool on_errors(std::string_view) override { return true; }

  pid_t pid = 0;

 private:
  std::function<void(pid_t)> how_;
};

Program shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, kLong, {}};
}

void expect_stuck(const Result<ProgramEnd>& end, pid_t pid) {
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::kTimeLimit);
  EXPECT_TRUE(has(end.error().message, "process " + std::to_string(pid) + " of \"/bin/sh\""))
      << end.error().message;
}

TEST(StuckProcess, IsNamedAndLeft) {
  MakeStuck listener(
      [](pid_t pid) { EXPECT_EQ(::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACEEXIT), 0); });
  const auto end = run_program(shell("echo $$; exec sleep 300"), listener);
  expect_stuck(end, listener.pid);
  EXPECT_EQ(::kill(listener.pid, 0), 0);
  EXPECT_EQ(capture(hostile({"say", "hello"}))->output, "hello\n");

  ::ptrace(PTRACE_DETACH, listener.pid, nullptr, nullptr);
  ::waitpid(listener.pid, nullptr, __WALL);
}

// A group of the freezer, thawed and removed at the end.
class FrozenGroup {
 public:
  FrozenGroup() : folder_(fs::path("/sys/fs/cgroup/freezer") / unique_word()) {
    std::error_code error;
    made_ = fs::create_directory(folder_, error);
  }
  ~FrozenGroup() {
    if (!made_) return;
    write("freezer.state", "THAWED");
    std::error_code error;
    for (int i = 0; i < 10'000 && !fs::remove(folder_, error); ++i) ::poll(nullptr, 0, 1);
  }
  FrozenGroup(const FrozenGroup&) = delete;
  FrozenGroup& operator=(const FrozenGroup&) = delete;

  bool made() const { return made_; }
  void add(pid_t pid) const { write("cgroup.procs", std::to_string(pid)); }
  void freeze() const {
    write("freezer.state", "FROZEN");
    std::string state;
    while (std::getline(std::ifstream(folder_ / "freezer.state"), state) && state != "FROZEN") {
    }
  }

 private:
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  fs::path folder_;
  bool made_ = false;
};

TEST(StuckProcess, SleepsUninterruptibly) {
  const FrozenGroup group;
  if (!group.made()) GTEST_SKIP() << "no freezer of cgroup v1, or no leave to use it";
  MakeStuck listener([&](pid_t pid) {
    group.add(pid);
    group.freeze();
  });
  const auto end = run_program(shell("echo $$; exec sleep 300"), listener);
  expect_stuck(end, listener.pid);
}

// Nor is a keeper waited for that hangs itself. Takes ten seconds.
TEST(StuckProcess, SleepsUninterruptiblyWithItsKeeper) {
  const FrozenGroup group;
  if (!group.made()) GTEST_SKIP() << "no freezer of cgroup v1, or no leave to use it";
  if (!is_thorough()) GTEST_SKIP() << "only in ./check --all";
  MakeStuck listener([&](pid_t pid) {
    const std::string parent = "/proc/" + std::to_string(pid) + "/status";
    std::ifstream status(parent);
    for (std::string word; status >> word;) {
      if (word == "PPid:" && status >> word) group.add(std::stoi(word));
    }
    group.add(pid);
    group.freeze();
  });
  const auto end = run_program(shell("echo $$; exec sleep 300"), listener);
  expect_stuck(end, listener.pid);
}

}  // namespace
}  // namespace proofline::stuck_process_test
