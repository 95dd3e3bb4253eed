// SPDX-License-Identifier: Apache-2.0
//
// The state of the GPUs. For each check a machine where it speaks and one where it does not.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight.h"
#include "support/preflight_machine.h"

namespace proofline::preflight_gpus_test {
namespace {

TEST(PreflightState, Clocks) {
  expect(after([](Machine&) {}, "clocks"), CheckStatus::kNote, "345 MHz of 1980 while idle");
  expect(after_gpu([](GpuState& gpu) { gpu.clock_reasons = kClockSetting; }, "clocks"),
         CheckStatus::kOk, "held by a setting");
}

TEST(PreflightState, Throttling) {
  const auto reasons = [](std::uint64_t bits) {
    return after_gpu([&](GpuState& gpu) { gpu.clock_reasons = bits; }, "throttling");
  };
  expect(reasons(kClockIdle), CheckStatus::kOk, "none");
  expect(reasons(kClockHot), CheckStatus::kProblem, "heat");
  expect(reasons(kClockWarm), CheckStatus::kProblem, "heat");
  expect(reasons(kClockPowerBrake | kClockSlowdown), CheckStatus::kProblem, "power brake");
  expect(reasons(kClockPowerCap), CheckStatus::kNote, "power limit");
}

TEST(PreflightState, Power) {
  expect(after([](Machine&) {}, "power"), CheckStatus::kOk, "limit 700 W, 80 W now, P0");
  expect(after_gpu([](GpuState& gpu) { gpu.power_limit_mw = 400000; }, "power"), CheckStatus::kNote,
         "below the default of 700 W");
}

TEST(PreflightState, Temperature) {
  expect(after([](Machine&) {}, "temperature"), CheckStatus::kOk, "42 C");
  expect(after_gpu([](GpuState& gpu) { gpu.temperature_c = 88; }, "temperature"),
         CheckStatus::kNote, "slows down at 92 C");
  const auto no_limit = [](GpuState& gpu) { gpu.slowdown_temperature_c.reset(); };
  expect(after_gpu(no_limit, "temperature"), CheckStatus::kOk, "42 C");
}

TEST(PreflightState, Persistence) {
  expect(after([](Machine&) {}, "persistence"), CheckStatus::kOk, "on");
  expect(after_gpu([](GpuState& gpu) { gpu.persistence = false; }, "persistence"),
         CheckStatus::kNote, "off");
}

TEST(PreflightState, Ecc) {
  expect(after([](Machine&) {}, "ecc"), CheckStatus::kOk, "no uncorrected errors");
  expect(after_gpu([](GpuState& gpu) { gpu.corrected_errors = 7; }, "ecc"), CheckStatus::kNote,
         "7 corrected");
  expect(after_gpu([](GpuState& gpu) { gpu.uncorrected_errors = 1; }, "ecc"), CheckStatus::kProblem,
         "1 uncorrected");
  expect(after_gpu([](GpuState& gpu) { gpu.ecc_after_reboot = false; }, "ecc"), CheckStatus::kNote,
         "next reboot");
}

TEST(PreflightState, Mig) {
  expect(after([](Machine&) {}, "mig"), CheckStatus::kOk, "off");
  expect(after_gpu([](GpuState& gpu) { gpu.mig = true; }, "mig"), CheckStatus::kNote, "instance");
}

TEST(PreflightState, VirtualGpu) {
  EXPECT_EQ(after([](Machine&) {}, "virtual-gpu").id, "");
  expect(after_gpu([](GpuState& gpu) { gpu.virtual_gpu = true; }, "virtual-gpu"),
         CheckStatus::kNote, "share");
}

TEST(PreflightState, Mode) {
  const auto mode = [](ComputeMode one) {
    return after_gpu([&](GpuState& gpu) { gpu.compute_mode = one; }, "compute-mode");
  };
  expect(mode(ComputeMode::kDefault), CheckStatus::kOk, "default");
  expect(mode(ComputeMode::kExclusive), CheckStatus::kNote, "one process");
  expect(mode(ComputeMode::kProhibited), CheckStatus::kProblem, "no program");
}

TEST(PreflightState, Sharing) {
  expect(after([](Machine&) {}, "sharing"), CheckStatus::kOk, "no other process");
  const auto others = [](GpuState& gpu) {
    gpu.processes = {{4711, "python3", 2000000000}, {4712, "", std::nullopt}};
  };
  expect(after_gpu(others, "sharing"), CheckStatus::kNote, "python3 (4711) 2.0 GB, process 4712");
  expect(after_gpu([](GpuState& gpu) { gpu.busy_percent = 97; }, "sharing"), CheckStatus::kNote,
         "97 % busy");
  expect(after_gpu([](GpuState& gpu) { gpu.free_memory_bytes = 1000000000; }, "sharing"),
         CheckStatus::kProblem, "1.0 GB of 150.8 GB free");
}

TEST(PreflightState, Mps) {
  EXPECT_EQ(after([](Machine&) {}, "mps").id, "");
  const auto served = [](GpuState& gpu) {
    gpu.processes = {{1, "/usr/bin/nvidia-cuda-mps-server", std::nullopt}};
  };
  expect(after_gpu(served, "mps"), CheckStatus::kNote, "multi-process service");
}

TEST(PreflightState, WhatAGpuDoesNotTellIsNotChecked) {
  Machine machine = good_machine();
  machine.gpus = {GpuState{}};
  const Preflight preflight = judge_machine(machine);
  for (const std::string_view id : {"clocks", "throttling", "power", "ecc", "sharing"}) {
    EXPECT_EQ(check_of(preflight, id).id, "") << id;
  }
}

}  // namespace
}  // namespace proofline::preflight_gpus_test
