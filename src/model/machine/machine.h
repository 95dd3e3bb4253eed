// SPDX-License-Identifier: Apache-2.0
//
// A machine as far as profiling on it depends on it: system, driver, GPUs, tools, environment.
// Plain data; what could not be found out is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proofline {

enum class ToolState {
  kMissing,
  kFound,
  kUnsafe,  // somebody else could have put it there, so it was not started
  kBroken,  // it does not run, or does not say its version
};

// A program of NVIDIA's that was looked for.
struct MachineTool {
  std::string name;
  ToolState state = ToolState::kMissing;
  std::string path;
  std::string version;  // "2025.3.1.0", "13.0.85"
  std::string trouble;  // why it is not kFound
};

// Why a GPU's clocks are below their maximum: bits as NVML has them.
enum ClockReason : std::uint64_t {
  kClockIdle = 0x1,
  kClockSetting = 0x2,  // application clocks or locked clocks
  kClockPowerCap = 0x4,
  kClockSlowdown = 0x8,
  kClockSyncBoost = 0x10,
  kClockWarm = 0x20,  // the driver keeps the temperature below its limit
  kClockHot = 0x40,   // the hardware does
  kClockPowerBrake = 0x80,
};

enum class ComputeMode { kDefault, kProhibited, kExclusive };

struct GpuProcess {
  std::uint32_t pid = 0;
  std::string name;  // "" where it may not be known, as from inside a container
  std::optional<std::uint64_t> memory_bytes;
};

struct GpuState {
  std::uint32_t index = 0;  // as NVML and nvidia-smi count
  std::string name;
  std::string uuid;
  std::string compute_capability;  // "9.0"; "" unknown
  std::optional<std::uint32_t> sm_clock_mhz;
  std::optional<std::uint32_t> max_sm_clock_mhz;
  std::optional<std::uint64_t> clock_reasons;      // of ClockReason
  std::optional<std::uint32_t> performance_state;  // 0: P0, the highest
  std::optional<std::uint32_t> power_mw;
  std::optional<std::uint32_t> power_limit_mw;
  std::optional<std::uint32_t> default_power_limit_mw;
  std::optional<std::uint32_t> temperature_c;
  std::optional<std::uint32_t> slowdown_temperature_c;
  std::optional<bool> persistence;
  std::optional<bool> ecc;
  std::optional<bool> ecc_after_reboot;
  std::optional<std::uint64_t> corrected_errors;  // since the driver was loaded
  std::optional<std::uint64_t> uncorrected_errors;
  std::optional<bool> mig;
  std::optional<bool> virtual_gpu;  // a share that a hypervisor hands out
  std::optional<ComputeMode> compute_mode;
  std::optional<std::uint32_t> busy_percent;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> free_memory_bytes;
  std::vector<GpuProcess> processes;
};

// A folder that files of a run go to.
struct MachineFolder {
  std::string path;
  bool writable = true;
  bool executable = true;  // libraries can be loaded from it
  std::optional<std::uint64_t> free_bytes;
};

struct Machine {
  std::string distribution;                        // "Ubuntu 24.04.3 LTS"; "" unknown
  std::vector<std::string> distribution_families;  // "ubuntu", "debian"
  std::string container;                           // "docker", "podman", ...; "" none
  bool windows_subsystem = false;                  // Linux inside Windows

  // What this process may do on the host; a container's root may little.
  bool may_administer = false;  // CAP_SYS_ADMIN
  bool may_monitor = false;     // CAP_PERFMON

  bool gpu_on_bus = false;                // NVIDIA hardware, with or without a driver
  std::vector<std::string> device_nodes;  // /dev/nvidia0, ...
  std::string closed_device_node;         // one that this user may not open; "" none

  std::string kernel_driver;                 // version of the loaded module; "" none is loaded
  std::string driver;                        // what the driver's library says; "" unknown
  std::optional<std::uint32_t> driver_cuda;  // 13000: the newest CUDA that the driver knows
  std::optional<bool> counters_for_admin_only;
  std::optional<std::uint32_t> libcuda_version;  // 13000; absent: there is no libcuda
  std::string nvml_trouble;                      // why NVML told nothing; "" it did
  bool version_mismatch = false;                 // of the module and the libraries, by NVML
  std::optional<bool> confidential;
  std::optional<bool> confidential_tools;  // profilers are allowed in spite of it
  std::vector<GpuState> gpus;

  std::vector<MachineTool> tools;
  std::optional<std::vector<std::string>> ncu_chips;  // that the installed ncu knows: "gh100"
  std::string cupti;                                  // our recorder's; "" none
  std::string recorder_trouble;                       // why launches cannot be recorded

  // Only those that change how GPU programs run.
  std::vector<std::pair<std::string, std::string>> environment;

  MachineFolder temporary;
  MachineFolder runs;
  std::string lock_file;                         // of ncu
  std::optional<std::uint32_t> lock_file_owner;  // where this user may not open it
};

}  // namespace proofline
