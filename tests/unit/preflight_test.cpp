// SPDX-License-Identifier: Apache-2.0
//
// The checks of `doctor` on machines made by hand: for each a machine where it speaks and one where
// it does not. The good machine is an idle H200 as it was recorded.
#include "diagnosis/preflight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {
namespace {

GpuState idle_h200(std::uint32_t index = 0) {
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

MachineTool found(std::string name, std::string version) {
  return {name, ToolState::kFound, "/usr/local/cuda/bin/" + name, std::move(version), ""};
}

MachineTool missing(std::string name) {
  return {std::move(name), ToolState::kMissing, "", "", "was not found"};
}

Machine good_machine() {
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

Machine bare_machine() {
  Machine machine;
  machine.nvml_trouble = "libnvidia-ml.so.1 was not found";
  machine.tools = {missing("ncu"), missing("compute-sanitizer"), missing("nsys")};
  machine.temporary = {"/tmp", true, true, 50ULL << 30U};
  machine.runs = {".proofline/runs", true, true, 50ULL << 30U};
  return machine;
}

// The answer of a check; one with an empty id where it says nothing.
PreflightCheck check_of(const Preflight& preflight, std::string_view id) {
  const auto found_check =
      std::find_if(preflight.checks.begin(), preflight.checks.end(),
                   [&](const PreflightCheck& check) { return check.id == id; });
  return found_check != preflight.checks.end() ? *found_check : PreflightCheck{};
}

// Of the good machine after a change.
PreflightCheck after(const std::function<void(Machine&)>& change, std::string_view id) {
  Machine machine = good_machine();
  change(machine);
  return check_of(judge_machine(machine), id);
}

PreflightCheck after_gpu(const std::function<void(GpuState&)>& change, std::string_view id) {
  return after([&](Machine& machine) { change(machine.gpus.front()); }, id);
}

void expect(const PreflightCheck& check, CheckStatus status, std::string_view words) {
  EXPECT_EQ(to_string(check.status), to_string(status)) << check.statement;
  EXPECT_NE(check.statement.find(words), std::string::npos) << check.statement;
  if (status == CheckStatus::kProblem || status == CheckStatus::kMissing) {
    EXPECT_NE(check.next, "") << check.id << " says nothing about what to do";
  }
}

void expect_next(const PreflightCheck& check, std::string_view words) {
  EXPECT_NE(check.next.find(words), std::string::npos) << check.next;
}

// ---- The whole

TEST(Preflight, TheGoodMachineIsReadyWithNotesOnly) {
  const Preflight preflight = judge_machine(good_machine());
  EXPECT_EQ(preflight.readiness, Readiness::kReady);
  EXPECT_EQ(preflight.headline, "ready to profile on NVIDIA H200 (sm_90)");
  std::vector<std::string> notes;
  for (const PreflightCheck& check : preflight.checks) {
    if (check.status == CheckStatus::kOk) continue;
    EXPECT_EQ(check.status, CheckStatus::kNote) << check.id << ": " << check.statement;
    notes.push_back(check.id);
  }
  EXPECT_EQ(notes, (std::vector<std::string>{"nsys", "clocks"}));
}

TEST(Preflight, NoGpuIsSaidPlainlyAndOnce) {
  const Preflight preflight = judge_machine(bare_machine());
  EXPECT_EQ(preflight.readiness, Readiness::kNotReady);
  EXPECT_NE(preflight.headline.find("no GPU"), std::string::npos);
  const auto bad = std::count_if(
      preflight.checks.begin(), preflight.checks.end(), [](const PreflightCheck& check) {
        return check.status == CheckStatus::kMissing || check.status == CheckStatus::kProblem;
      });
  EXPECT_EQ(bad, 1);
  expect_next(check_of(preflight, "gpu"), "diagnose");
}

TEST(Preflight, OnlyThePermissionMissing) {
  Machine machine = good_machine();
  machine.counters_for_admin_only = true;
  EXPECT_EQ(judge_machine(machine).readiness, Readiness::kNoPermission);
  machine.tools.front() = missing("ncu");
  EXPECT_EQ(judge_machine(machine).readiness, Readiness::kNotReady);
}

TEST(Preflight, EveryCheckHasOneId) {
  Machine machine = good_machine();
  machine.gpus.push_back(idle_h200(1));
  std::vector<std::string> ids;
  for (const PreflightCheck& check : judge_machine(machine).checks) ids.push_back(check.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

// ---- GPU and driver

TEST(PreflightGpu, WhatIsInTheWay) {
  Machine machine = bare_machine();
  machine.gpu_on_bus = true;
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kMissing, "driver is not loaded");
  machine.kernel_driver = "580.1";
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kMissing, "libraries");
  machine.container = "docker";
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kMissing,
         "this container got no GPU");
  expect_next(check_of(judge_machine(machine), "gpu"), "--gpus all");
  machine.closed_device_node = "/dev/nvidia0";
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kProblem, "may not be opened");
}

TEST(PreflightGpu, WithoutNvmlThereMayStillBeOne) {
  const auto without = [](Machine& machine) {
    machine.gpus.clear();
    machine.nvml_trouble = "libnvidia-ml.so.1 was not found";
  };
  expect(after(without, "gpu"), CheckStatus::kUnknown, "which is not known");
  Machine machine = good_machine();
  without(machine);
  EXPECT_EQ(judge_machine(machine).readiness, Readiness::kReady);
}

TEST(PreflightGpu, SeveralAreNamedTogether) {
  Machine machine = good_machine();
  for (std::uint32_t i = 1; i < 8; ++i) machine.gpus.push_back(idle_h200(i));
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kOk, "8 x NVIDIA H200 (sm_90)");
  machine.gpus[2].uncorrected_errors = 3;
  machine.gpus[3].uncorrected_errors = 3;
  expect(check_of(judge_machine(machine), "ecc"), CheckStatus::kProblem,
         "GPUs 2 to 3: 3 uncorrected");
}

TEST(PreflightDriver, SaysVersionAndCuda) {
  expect(after([](Machine&) {}, "driver"), CheckStatus::kOk, "580.159.04, CUDA up to 13.0");
  expect(after([](Machine& m) { m.libcuda_version = 13010; }, "driver"), CheckStatus::kOk,
         "compatibility library up to 13.1");
}

TEST(PreflightDriver, ModuleAndLibrariesThatDiffer) {
  const auto check = after(
      [](Machine& machine) {
        machine.gpus.clear();
        machine.driver.clear();
        machine.version_mismatch = true;
      },
      "driver");
  expect(check, CheckStatus::kProblem, "580.159.04");
  expect_next(check, "reboot");
}

TEST(PreflightDriver, ConfidentialComputing) {
  const auto on = [](Machine& machine) { machine.confidential = true; };
  expect(after(on, "confidential-computing"), CheckStatus::kProblem, "cannot profile");
  const auto with_tools = [](Machine& machine) {
    machine.confidential = true;
    machine.confidential_tools = true;
  };
  expect(after(with_tools, "confidential-computing"), CheckStatus::kNote, "devtools");
  EXPECT_EQ(after([](Machine& m) { m.confidential = false; }, "confidential-computing").id, "");
}

// ---- Counter permission

class PreflightPermission : public testing::Test {
 protected:
  static PreflightCheck barred(const std::function<void(Machine&)>& change) {
    return after(
        [&](Machine& machine) {
          machine.counters_for_admin_only = true;
          change(machine);
        },
        "counter-permission");
  }
  static PreflightCheck barred_on(std::vector<std::string> families) {
    return barred([&](Machine& machine) { machine.distribution_families = std::move(families); });
  }
};

TEST_F(PreflightPermission, OpenToAll) {
  expect(after([](Machine&) {}, "counter-permission"), CheckStatus::kOk, "every user");
}

TEST_F(PreflightPermission, BarredInTheWordsOfTheDistribution) {
  expect(barred([](Machine&) {}), CheckStatus::kProblem, "ERR_NVGPUCTRPERM");
  expect_next(barred([](Machine&) {}), "update-initramfs -u");
  expect_next(barred([](Machine&) {}), "NVreg_RestrictProfilingToAdminUsers=0");
  expect_next(barred_on({"rocky", "rhel", "centos", "fedora"}), "dracut --force");
  expect_next(barred_on({"opensuse-leap", "suse", "opensuse"}), "dracut --force");
  expect_next(barred_on({"arch"}), "mkinitcpio -P");
  expect_next(barred_on({"nixos"}), "boot.extraModprobeConfig");
  expect_next(barred_on({"gentoo"}), "rebuild the initial RAM disk");
}

TEST_F(PreflightPermission, InAContainerTheHostHasTheSay) {
  const auto check = barred([](Machine& machine) { machine.container = "docker"; });
  expect_next(check, "--cap-add=SYS_ADMIN");
  EXPECT_EQ(check.next.find("update-initramfs"), std::string::npos) << check.next;
}

TEST_F(PreflightPermission, AdministratorsMayAlways) {
  expect(barred([](Machine& m) { m.may_administer = true; }), CheckStatus::kOk, "which this");
  expect(barred([](Machine& m) { m.may_monitor = true; }), CheckStatus::kOk, "which this");
  const auto old = [](Machine& machine) {
    machine.may_monitor = true;
    machine.driver = "550.54.14";
  };
  expect(barred(old), CheckStatus::kProblem, "administrators only");
}

TEST_F(PreflightPermission, UnknownIsNoProblem) {
  const auto unknown = [](Machine& machine) { machine.counters_for_admin_only.reset(); };
  expect(after(unknown, "counter-permission"), CheckStatus::kUnknown, "not known");
}

// ---- Tools

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

// ---- The state of a GPU

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
  expect(after([](Machine&) {}, "sharing"), CheckStatus::kOk, "nobody else");
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
  expect_next(after([](Machine& m) { m.runs.writable = false; }, "run-folder"), "--runs");
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

// ---- The command

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
}  // namespace proofline
