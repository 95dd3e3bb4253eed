// SPDX-License-Identifier: Apache-2.0
//
// A thousand programs that do all they can to outlive their run: after each, nothing of it is left,
// neither running nor unburied, whether it ended, was ended, or we were killed ourselves.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ostream>
#include <string>
#include <string_view>

#include "support/effort.h"
#include "support/hostile_child.h"
#include "tools/process/process.h"

namespace proofline::process_tree_test {
namespace {

using std::chrono::milliseconds;

// All together make a thousand. Those that wait for a time limit take the longest. Under the
// sanitizers, which watch our side only, each fork takes a hundred times longer.
const int kRuns = effort(120, 20, 5);
const int kFewRuns = effort(20, 5, 2);
const int kKillsEach = effort(5, 2, 1);

struct Tree {
  const char* name;
  const char* behaviour;  // of tests/programs/hostile_child
  milliseconds time_limit = kLong;
  milliseconds grace{};
  Ending ending = Ending::kEnough;
  int runs = kRuns;
};

void PrintTo(const Tree& tree, std::ostream* out) { *out << tree.name; }

// What a program of ours prints means that it has become what it wants to be.
class UntilReady : public OutputListener {
 public:
  explicit UntilReady(const Tree& tree) : goes_on_(tree.ending != Ending::kEnough) {}
  bool on_output(std::string_view) override { return goes_on_; }
  bool on_errors(std::string_view) override { return true; }

 private:
  bool goes_on_;
};

Result<ProgramEnd> run_tree(const Tree& tree, const std::string& word) {
  Program program = hostile({tree.behaviour, "8", word}, tree.time_limit);
  program.grace = tree.grace;
  UntilReady listener(tree);
  return run_program(program, listener);
}

// Whoever loses its parent becomes our child, so that a survivor cannot hide: all that is left is
// ours to wait for, however often it changes its process id.
class ProcessTree : public testing::TestWithParam<Tree> {
 protected:
  void SetUp() override { ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
  void TearDown() override { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

  static bool has_children() {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return errno != ECHILD;
  }
  // Within ten seconds: a keeper that outlives us needs a moment.
  static bool comes_to_have_none() {
    for (int i = 0; i < 10'000 && has_children(); ++i) ::poll(nullptr, 0, 1);
    return !has_children();
  }
};

TEST_P(ProcessTree, LeavesNoSurvivor) {
  for (int i = 0; i < GetParam().runs; ++i) {
    const std::string word = unique_word();
    const auto end = run_tree(GetParam(), word);
    ASSERT_TRUE(end) << "run " << i << ": " << end.error().message;
    EXPECT_EQ(end->ending, GetParam().ending) << "run " << i;
    ASSERT_FALSE(runs_somewhere(word)) << "run " << i;
    ASSERT_FALSE(has_children()) << "run " << i;
  }
}

TEST_P(ProcessTree, LeavesNoSurvivorWhenWeAreKilled) {
  Tree tree = GetParam();
  tree.time_limit = kLong;  // a short one may end the program before it has begun to be what it is
  for (int i = 0; i < kKillsEach; ++i) {
    const std::string word = unique_word();
    const pid_t us = ::fork();
    if (us == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should the test itself be ended
      while (true) {                       // some of the programs end at once
        const auto ignored = run_tree(tree, word);
      }
    }
    const bool started = comes_to(true, word);
    ::kill(us, SIGKILL);
    ASSERT_TRUE(comes_to_have_none()) << "run " << i;
    ASSERT_TRUE(started) << "run " << i;
  }
}

constexpr milliseconds kAtOnce{10};

INSTANTIATE_TEST_SUITE_P(
    Hostile, ProcessTree,
    testing::Values(Tree{"IgnoresSignals", "ignore-signals"},
                    Tree{"IgnoresSignalsInItsGrace", "ignore-signals", kAtOnce, milliseconds(1),
                         Ending::kTimeLimit, kFewRuns},
                    Tree{
                        "ClosesItsPipes", "close-pipes", kAtOnce, {}, Ending::kTimeLimit, kFewRuns},
                    Tree{"StopsItself", "stop"},
                    Tree{"Daemonises", "daemonise", kLong, {}, Ending::kExited},
                    Tree{"LeavesADaemonWithThePipes", "leave-daemon", kLong, {}, Ending::kExited},
                    Tree{"KeepsADaemon", "keep-daemon"},
                    Tree{"Storms", "storm", kLong, {}, Ending::kExited}, Tree{"Flees", "flee"},
                    Tree{"LeavesChildrenWithThePipes", "fork", kLong, {}, Ending::kExited}),
    [](const auto& run) { return std::string(run.param.name); });

}  // namespace
}  // namespace proofline::process_tree_test
