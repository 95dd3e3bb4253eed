// SPDX-License-Identifier: Apache-2.0
//
// Machines made by hand for the tests of `doctor`: the good one is an idle H200 as it was recorded.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight.h"

namespace proofline {

inline GpuState idle_h200(std::uint32_t index = 0) {
  GpuState gpu;
  gpu.index = index;
  gpu.name = "NVIDIA H200";
  gpu.uuid = "GPU-" + std::to_string(index) + "1faaf4a";
  gpu.compute_capability = "9.0";
  gpu.sm_clock_mhz = 345;
  gpu.max_sm_clock_mhz = 1980;
  gpu.clock_reasons = kClockIdle;
  gpu.performance_state = 0;
  gpu.power_mw = 80990;
  gpu.power_limit_mw = 700000;
  gpu.default_power_limit_mw = 700000;
  gpu.temperature_c = 42;
  gpu.slowdown_temperature_c = 92;
  gpu.persistence = true;
  gpu.ecc = true;
  gpu.ecc_after_reboot = true;
  gpu.corrected_errors = 0;
  gpu.uncorrected_errors = 0;
  gpu.mig = false;
  gpu.virtual_gpu = false;
  gpu.compute_mode = ComputeMode::kDefault;
  gpu.busy_percent = 0;
  gpu.memory_bytes = 150754820096;
  gpu.free_memory_bytes = 150109945856;
  return gpu;
}

inline MachineTool found(std::string name, std::string version) {
  return {name, ToolState::kFound, "/usr/local/cuda/bin/" + name, std::move(version), ""};
}

inline MachineTool missing(std::string name) {
  return {std::move(name), ToolState::kMissing, "", "", "was not found"};
}

inline Machine good_machine() {
  Machine machine;
  machine.distribution = "Ubuntu 24.04.3 LTS";
  machine.distribution_families = {"ubuntu", "debian"};
  machine.gpu_on_bus = true;
  machine.device_nodes = {"/dev/nvidia0", "/dev/nvidiactl"};
  machine.kernel_driver = "580.159.04";
  machine.driver = "580.159.04";
  machine.driver_cuda = 13000;
  machine.libcuda_version = 13000;
  machine.counters_for_admin_only = false;
  machine.gpus = {idle_h200()};
  machine.tools = {found("ncu", "2025.3.1.0"),
                   found("compute-sanitizer", "2025.3.1.0"),
                   missing("nsys"),
                   found("nvcc", "13.0.88"),
                   found("cuobjdump", "13.0.85"),
                   found("nvdisasm", "13.0.85")};
  machine.ncu_chips = {"ga100", "gb100", "gh100"};
  machine.cupti = "/usr/local/cuda/lib64/libcupti.so.13";
  machine.temporary = {"/tmp", true, true, 50ULL << 30U};
  machine.runs = {".proofline/runs", true, true, 50ULL << 30U};
  return machine;
}

inline Machine bare_machine() {
  Machine machine;
  machine.nvml_trouble = "libnvidia-ml.so.1 was not found";
  machine.tools = {missing("ncu"), missing("compute-sanitizer"), missing("nsys")};
  machine.temporary = {"/tmp", true, true, 50ULL << 30U};
  machine.runs = {".proofline/runs", true, true, 50ULL << 30U};
  return machine;
}

// The answer of a check; one with an empty id where it says nothing.
inline PreflightCheck check_of(const Preflight& preflight, std::string_view id) {
  const auto found_check =
      std::find_if(preflight.checks.begin(), preflight.checks.end(),
                   [&](const PreflightCheck& check) { return check.id == id; });
  return found_check != preflight.checks.end() ? *found_check : PreflightCheck{};
}

// Of the good machine after a change.
inline PreflightCheck after(const std::function<void(Machine&)>& change, std::string_view id) {
  Machine machine = good_machine();
  change(machine);
  return check_of(judge_machine(machine), id);
}

inline PreflightCheck after_gpu(const std::function<void(GpuState&)>& change, std::string_view id) {
  return after([&](Machine& machine) { change(machine.gpus.front()); }, id);
}

inline void expect(const PreflightCheck& check, CheckStatus status, std::string_view words) {
  EXPECT_EQ(to_string(check.status), to_string(status)) << check.statement;
  EXPECT_NE(check.statement.find(words), std::string::npos) << check.statement;
  if (status == CheckStatus::kProblem || status == CheckStatus::kMissing) {
    EXPECT_NE(check.next, "") << check.id << " says nothing about what to do";
  }
}

inline void expect_next(const PreflightCheck& check, std::string_view words) {
  EXPECT_NE(check.next.find(words), std::string::npos) << check.next;
}

}  // namespace proofline
