// SPDX-License-Identifier: Apache-2.0
//
// Variables and folders. For each check a machine where it speaks and one where it does not.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight.h"
#include "support/preflight_machine.h"

namespace proofline::preflight_environment_test {
namespace {

// ---- Environment

PreflightCheck with_variable(const std::string& name, const std::string& value) {
  return after(
      [&](Machine& machine) {
        machine.environment = {{name, value}};
      },
      "environment/" + name);
}

TEST(PreflightEnvironment, NothingSet) {
  expect(after([](Machine&) {}, "environment"), CheckStatus::kOk, "nothing set");
}

TEST(PreflightEnvironment, Traps) {
  for (const char* name :
       {"CUDA_LAUNCH_BLOCKING", "TRITON_INTERPRET", "CUDA_INJECTION64_PATH",
        "NSYS_PROFILING_SESSION_ID", "NV_NSIGHT_INJECTION_PORT_BASE",
        "NV_COMPUTE_PROFILER_PERFWORKS_DIR", "NV_SANITIZER_INJECTION_PORT_BASE"}) {
    EXPECT_TRUE(changes_gpu_programs(name)) << name;
    expect(with_variable(name, "1"), CheckStatus::kProblem, "");
    expect_next(with_variable(name, "1"), std::string("unset ") + name);
    EXPECT_EQ(with_variable(name, "").id, "") << name;
  }
  for (const char* name :
       {"NVTX_INJECTION64_PATH", "LD_PRELOAD", "CUDA_FORCE_PTX_JIT", "CUDA_DISABLE_PTX_JIT",
        "CUDA_CACHE_DISABLE", "CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "PYTORCH_NO_CUDA_MEMORY_CACHING",
        "TORCH_USE_CUDA_DSA"}) {
    EXPECT_TRUE(changes_gpu_programs(name)) << name;
    expect(with_variable(name, "1"), CheckStatus::kNote, "");
  }
  EXPECT_FALSE(changes_gpu_programs("HOME"));
}

TEST(PreflightEnvironment, ValuesThatSwitchOffAreSilent) {
  EXPECT_EQ(with_variable("CUDA_LAUNCH_BLOCKING", "0").id, "");
  EXPECT_EQ(with_variable("TRITON_INTERPRET", "0").id, "");
  EXPECT_EQ(with_variable("CUDA_MODULE_LOADING", "LAZY").id, "");
  expect(with_variable("CUDA_MODULE_LOADING", "EAGER"), CheckStatus::kNote, "at the start");
}

TEST(PreflightEnvironment, VisibleDevices) {
  const auto visible = [](const std::string& value, std::uint32_t gpus = 2) {
    return after(
        [&](Machine& machine) {
          for (std::uint32_t i = 1; i < gpus; ++i) machine.gpus.push_back(idle_h200(i));
          machine.environment = {{"CUDA_VISIBLE_DEVICES", value}};
        },
        "environment/CUDA_VISIBLE_DEVICES");
  };
  EXPECT_EQ(visible("0,1").id, "");
  EXPECT_EQ(visible("GPU-01faa, GPU-11faa").id, "");
  expect(visible("1"), CheckStatus::kNote, "1 of 2 GPUs");
  expect(visible(""), CheckStatus::kProblem, "hides every GPU");
  expect(visible("-1"), CheckStatus::kProblem, "hides every GPU");
  expect(visible("0,7"), CheckStatus::kProblem, "\"7\" is no GPU of the 2 here");
  expect(visible("9"), CheckStatus::kProblem, "hides every GPU");
  EXPECT_EQ(visible("MIG-1234").id, "");
}

TEST(PreflightEnvironment, HiddenGpusAreNotJudged) {
  const auto hidden = [](Machine& machine) {
    machine.gpus.push_back(idle_h200(1));
    machine.gpus[1].uncorrected_errors = 5;
    machine.environment = {{"CUDA_VISIBLE_DEVICES", "0"}};
  };
  expect(after(hidden, "ecc"), CheckStatus::kOk, "no uncorrected errors");
}

TEST(PreflightEnvironment, OrderOfDifferentGpus) {
  const auto mixed = [](const std::string& order) {
    return after(
        [&](Machine& machine) {
          machine.gpus.push_back(idle_h200(1));
          machine.gpus[1].name = "NVIDIA T4";
          machine.environment = {{"CUDA_DEVICE_ORDER", order}};
        },
        "environment/CUDA_DEVICE_ORDER");
  };
  expect(mixed("FASTEST_FIRST"), CheckStatus::kNote, "by speed");
  EXPECT_EQ(mixed("PCI_BUS_ID").id, "");
}

// ---- Folders

TEST(PreflightFolders, WritableWithRoom) {
  expect(after([](Machine&) {}, "temporary-folder"), CheckStatus::kOk, "can be written");
  expect(after([](Machine&) {}, "run-folder"), CheckStatus::kOk, "can be written");
}

TEST(PreflightFolders, WhatIsWrongWithThem) {
  expect(after([](Machine& m) { m.temporary.writable = false; }, "temporary-folder"),
         CheckStatus::kProblem, "cannot be written");
  expect_next(after([](Machine& m) { m.runs.writable = false; }, "run-folder"),
              "choose another with runs");
  expect(after([](Machine& m) { m.temporary.executable = false; }, "temporary-folder"),
         CheckStatus::kNote, "noexec");
  expect(after([](Machine& m) { m.runs.free_bytes = 500000000; }, "run-folder"), CheckStatus::kNote,
         "only 500 MB");
  expect(after([](Machine& m) { m.runs.free_bytes = 1000000; }, "run-folder"),
         CheckStatus::kProblem, "1 MB free");
}

TEST(PreflightFolders, ALockOfSomebodyElse) {
  EXPECT_EQ(after([](Machine&) {}, "ncu-lock").id, "");
  const auto locked = [](Machine& machine) {
    machine.lock_file = "/tmp/nsight-compute-lock";
    machine.lock_file_owner = 1001;
  };
  expect(after(locked, "ncu-lock"), CheckStatus::kProblem, "user 1001");
  expect_next(after(locked, "ncu-lock"), "TMPDIR");
}

}  // namespace
}  // namespace proofline::preflight_environment_test
