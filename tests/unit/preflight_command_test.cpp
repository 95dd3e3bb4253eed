// SPDX-License-Identifier: Apache-2.0
//
// The user's own program. For each check a machine where it speaks and one where it does not.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight.h"
#include "support/preflight_machine.h"

namespace proofline::preflight_command_test {
namespace {

PreflightCommand good_command() {
  PreflightCommand command;
  command.binary.path = "/home/me/a.out";
  command.binary.elf = true;
  command.binary.machine_code = {"sm_90"};
  command.binary.cubins = 2;
  command.binary.with_lines = 2;
  command.run.program = "/home/me/a.out";
  command.run.ending = RunEnding::kExited;
  command.run.kernels = {{"scale(float*)", 75000, 150000000}, {"shift(float*)", 25000, 50000000}};
  return command;
}

PreflightCheck after_command(const std::function<void(PreflightCommand&)>& change,
                             std::string_view id) {
  PreflightCommand command = good_command();
  change(command);
  return check_of(judge_machine(good_machine(), command), id);
}

TEST(PreflightCommand, GoodOneIsReady) {
  const Preflight preflight = judge_machine(good_machine(), good_command());
  EXPECT_EQ(preflight.readiness, Readiness::kReady);
  expect(check_of(preflight, "command/launches"), CheckStatus::kOk,
         "100,000 launches of 2 kernels, 200 ms on the GPU");
  expect(check_of(preflight, "command/run"), CheckStatus::kOk, "exit code 0");
  ASSERT_TRUE(preflight.run);
  EXPECT_EQ(preflight.run->kernels.size(), 2U);
}

TEST(PreflightCommand, Architectures) {
  const auto built_for = [](std::set<std::string> code, std::set<std::string> ptx) {
    return after_command(
        [&](PreflightCommand& command) {
          command.binary.machine_code = code;
          command.binary.ptx = ptx;
        },
        "command/architecture");
  };
  expect(built_for({"sm_80", "sm_90a"}, {}), CheckStatus::kOk, "sm_90a");
  expect(built_for({"sm_80"}, {"compute_80"}), CheckStatus::kNote, "only PTX");
  expect_next(built_for({"sm_80"}, {"compute_80"}), "-arch=sm_90");
  expect(built_for({"sm_80"}, {}), CheckStatus::kProblem, "no kernel image");
  expect(built_for({"sm_100"}, {"compute_100"}), CheckStatus::kProblem, "no kernel image");
  expect(built_for({}, {"compute_90a"}), CheckStatus::kNote, "only PTX");
}

TEST(PreflightCommand, ArchitectureSpecificCodeRunsOnlyThere) {
  PreflightCommand command = good_command();
  command.binary.machine_code = {"sm_100a"};
  Machine machine = good_machine();
  machine.gpus.front().compute_capability = "10.3";
  expect(check_of(judge_machine(machine, command), "command/architecture"), CheckStatus::kProblem,
         "no kernel image");
  command.binary.machine_code = {"sm_100f"};
  expect(check_of(judge_machine(machine, command), "command/architecture"), CheckStatus::kOk,
         "sm_100f");
}

TEST(PreflightCommand, SourceLines) {
  const auto with = [](std::uint64_t lines, std::uint64_t debugging) {
    return after_command(
        [&](PreflightCommand& command) {
          command.binary.with_lines = lines;
          command.binary.for_debugging = debugging;
        },
        "command/source-lines");
  };
  expect(with(2, 0), CheckStatus::kOk, "-lineinfo");
  expect(with(0, 0), CheckStatus::kNote, "without -lineinfo");
  expect(with(1, 0), CheckStatus::kNote, "1 of 2 cubins");
  expect(with(2, 1), CheckStatus::kProblem, "-G");
}

TEST(PreflightCommand, ScriptsAndProgramsWithoutCode) {
  const auto script = [](PreflightCommand& command) {
    command.binary = {};
    command.binary.path = "/home/me/train.py";
    command.binary.interpreter = "/usr/bin/env python3";
  };
  expect(after_command(script, "command/program"), CheckStatus::kOk, "/usr/bin/env python3");
  EXPECT_EQ(after_command(script, "command/architecture").id, "");
  const auto plain = [](PreflightCommand& command) {
    command.binary = {};
    command.binary.without_code = "holds no GPU code";
  };
  expect(after_command(plain, "command/program"), CheckStatus::kOk, "no GPU code itself");
}

TEST(PreflightCommand, HowItEnded) {
  const auto ended = [](RunEnding ending, int number) {
    return after_command(
        [&](PreflightCommand& command) {
          command.run.ending = ending;
          command.run.exit_code = number;
          command.run.signal = number;
        },
        "command/run");
  };
  expect(ended(RunEnding::kExited, 3), CheckStatus::kNote, "exit code 3");
  expect(ended(RunEnding::kSignal, 11), CheckStatus::kProblem, "signal 11");
  expect(ended(RunEnding::kTimeLimit, 0), CheckStatus::kProblem, "time limit");
  expect(ended(RunEnding::kNotRun, 0), CheckStatus::kUnknown, "not run");
}

TEST(PreflightCommand, LaunchesNothing) {
  expect(after_command([](PreflightCommand& c) { c.run.kernels.clear(); }, "command/launches"),
         CheckStatus::kProblem, "launched no kernel");
  const auto no_cuda = [](PreflightCommand& command) {
    command.run.kernels.clear();
    command.run.used_cuda = false;
  };
  expect(after_command(no_cuda, "command/launches"), CheckStatus::kProblem, "did not use CUDA");
  const auto uncounted = [](PreflightCommand& command) {
    command.run.kernels.clear();
    command.run.not_counted = "libcupti was not found";
  };
  expect(after_command(uncounted, "command/launches"), CheckStatus::kUnknown,
         "libcupti was not found");
}

}  // namespace
}  // namespace proofline::preflight_command_test
