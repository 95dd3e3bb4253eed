// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's tools. For each check a machine where it speaks and one where it does not.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight.h"
#include "support/preflight_machine.h"

namespace proofline::preflight_tools_test {
namespace {

TEST(PreflightTools, FoundWithTheirRelease) {
  expect(after([](Machine&) {}, "ncu"), CheckStatus::kOk, "2025.3.1.0 (CUDA 13.0)");
  expect(after([](Machine&) {}, "nvcc"), CheckStatus::kOk, "13.0.88");
}

TEST(PreflightTools, MissingOnesMatterByWhatNeedsThem) {
  expect(after([](Machine& m) { m.tools[0] = missing("ncu"); }, "ncu"), CheckStatus::kMissing, "");
  expect(after([](Machine& m) { m.tools[1] = missing("compute-sanitizer"); }, "compute-sanitizer"),
         CheckStatus::kMissing, "");
  expect(after([](Machine& m) { m.tools[3] = missing("nvcc"); }, "nvcc"), CheckStatus::kNote,
         "only needed to compile");
  expect(check_of(judge_machine(bare_machine()), "ncu"), CheckStatus::kNote, "without a GPU");
}

TEST(PreflightTools, UnsafeOnesAreAProblem) {
  const auto unsafe = [](Machine& machine) {
    machine.tools[5].state = ToolState::kUnsafe;
    machine.tools[5].trouble = "\"/x/nvdisasm\" is not safe to run: \"/x\" can be written by all";
  };
  expect(after(unsafe, "nvdisasm"), CheckStatus::kProblem, "not safe to run");
}

TEST(PreflightTools, BrokenOnesAreAProblemWhereNeeded) {
  const auto breaks = [](std::size_t tool) {
    return [tool](Machine& machine) {
      machine.tools[tool].state = ToolState::kBroken;
      machine.tools[tool].trouble = "it died of signal 11";
    };
  };
  expect(after(breaks(0), "ncu"), CheckStatus::kProblem, "signal 11");
  expect(after(breaks(4), "cuobjdump"), CheckStatus::kNote, "signal 11");
}

TEST(PreflightTools, NcuThatDoesNotKnowTheGpu) {
  const auto old = [](Machine& machine) { machine.ncu_chips = {"ga100", "tu102"}; };
  expect(after(old, "ncu"), CheckStatus::kProblem, "does not know NVIDIA H200 (sm_90)");
  const auto silent = [](Machine& machine) { machine.ncu_chips.reset(); };
  expect(after(silent, "ncu"), CheckStatus::kOk, "2025.3.1.0");
}

TEST(PreflightTools, NcuOlderThanTheDriverIsANote) {
  const auto old = [](Machine& machine) { machine.tools[0].version = "2024.1.1.0"; };
  expect(after(old, "ncu"), CheckStatus::kNote, "older than the driver");
  const auto unheard = [](Machine& machine) { machine.tools[0].version = "2031.1.0.0"; };
  expect(after(unheard, "ncu"), CheckStatus::kOk, "2031.1.0.0");
}

TEST(PreflightTools, NcuTooOldForProfile) {
  const auto old = [](Machine& machine) { machine.tools[0].version = "2020.3.1.0"; };
  expect(after(old, "ncu"), CheckStatus::kProblem, "too old");
}

TEST(PreflightTools, NcuNewerThanTheDriverIsFine) {
  const auto old_driver = [](Machine& machine) {
    machine.driver_cuda = 12020;
    machine.libcuda_version = 12020;
  };
  expect(after(old_driver, "ncu"), CheckStatus::kOk, "2025.3.1.0 (CUDA 13.0)");
}

TEST(PreflightTools, AToolkitThatTheDriverCannotRun) {
  const auto old_driver = [](Machine& machine) {
    machine.driver_cuda = 12020;
    machine.libcuda_version = 12020;
  };
  expect(after(old_driver, "nvcc"), CheckStatus::kProblem, "does not run with this driver");
  expect_next(after(old_driver, "nvcc"), "driver 580 or newer");
  const auto with_library = [](Machine& machine) {
    machine.driver_cuda = 12020;
    machine.libcuda_version = 13000;
  };
  expect(after(with_library, "nvcc"), CheckStatus::kOk, "13.0.88");
}

TEST(PreflightTools, DifferentReleasesAreANote) {
  EXPECT_EQ(after([](Machine&) {}, "tool-releases").id, "");
  const auto mixed = [](Machine& machine) { machine.tools[4].version = "12.4.99"; };
  expect(after(mixed, "tool-releases"), CheckStatus::kNote, "cuobjdump 12.4");
}

TEST(PreflightTools, WithoutCuptiThereIsNoRecorder) {
  expect(after([](Machine&) {}, "recorder"), CheckStatus::kOk, "can be recorded");
  const auto without = [](Machine& machine) {
    machine.cupti.clear();
    machine.recorder_trouble = "libcupti was not found";
  };
  expect(after(without, "recorder"), CheckStatus::kNote, "libcupti was not found");
}

}  // namespace
}  // namespace proofline::preflight_tools_test
