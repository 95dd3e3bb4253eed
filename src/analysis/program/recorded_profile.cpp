// SPDX-License-Identifier: Apache-2.0
//
// A Profile without counters: what a recording knows of a launch under ncu's names and units.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/launch/occupancy_calculator.h"
#include "analysis/program/kernel_totals.h"
#include "arch/arch.h"

namespace proofline {
namespace {

std::uint64_t product(const Dim3& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

const RecordedDevice* find_device(const RecordedProcess& process, std::uint32_t id) {
  for (const RecordedDevice& device : process.devices) {
    if (device.id == id) return &device;
  }
  return nullptr;
}

std::string capability_of(const RecordedDevice& device) {
  return fmt::format("{}.{}", device.cc_major, device.cc_minor);
}

Process process_of(const RecordedProcess& recorded) {
  Process process;
  process.pid = recorded.pid;
  process.name = std::filesystem::path(recorded.executable).filename().string();
  process.session.pid = recorded.pid;
  process.session.executable = recorded.executable;
  for (const RecordedDevice& device : recorded.devices) {
    Device known{device.id, device.name, {}};
    for (const auto& [name, value] : device.attributes) known.attributes.emplace_back(name, value);
    process.session.devices.push_back(std::move(known));
  }
  return process;
}

class LaunchMetrics {
 public:
  LaunchMetrics(Profile& profile, Launch& launch) : profile_(profile), launch_(launch) {}

  void add(std::string_view name, std::string_view unit, Value value) {
    Metric metric;
    metric.id = profile_.metric_names.intern(name, unit);
    metric.value = std::move(value);
    launch_.metrics.push_back(std::move(metric));
  }

 private:
  Profile& profile_;
  Launch& launch_;
};

// Blocks of the grid over those that run at once, as far as that can be worked out.
void add_waves(const RecordedLaunch& launch, const RecordedDevice& device, std::uint64_t sms,
               LaunchMetrics& metrics) {
  const SmLimits* sm = find_sm_limits(capability_of(device));
  if (sm == nullptr || sms == 0) return;
  BlockResources block;
  block.threads = static_cast<std::uint32_t>(product(launch.block));
  block.registers_per_thread = launch.registers;
  block.shared_bytes = launch.static_shared + launch.dynamic_shared;
  if (launch.shared_config != 0) block.shared_carveout = launch.shared_config;
  const std::uint32_t blocks = calculate_occupancy(*sm, block).blocks;
  if (blocks == 0) return;
  metrics.add("launch__waves_per_multiprocessor", "",
              static_cast<double>(product(launch.grid)) / (static_cast<double>(sms) * blocks));
}

void add_device(const RecordedLaunch& launch, const RecordedDevice& device,
                LaunchMetrics& metrics) {
  for (const auto& [name, value] : device.attributes) {
    metrics.add("device__attribute_" + name, "", value);
    if (name != "multiprocessor_count") continue;
    metrics.add("launch__sm_count", "SM", value);
    add_waves(launch, device, value, metrics);
  }
}

void add_launch(const RecordedProcess& process, const RecordedLaunch& recorded,
                const KernelTotal& kernel, Profile& profile) {
  Launch launch;
  launch.process = kernel.process;
  launch.name = kernel.name;
  launch.function = kernel.function;
  launch.mangled = kernel.mangled;
  launch.grid = recorded.grid;
  launch.block = recorded.block;
  launch.context = recorded.context;
  launch.stream = recorded.stream;
  launch.device = recorded.device;
  const RecordedDevice* device = find_device(process, recorded.device);
  if (device != nullptr) launch.compute_capability = capability_of(*device);

  LaunchMetrics metrics(profile, launch);
  metrics.add("gpu__time_duration.sum", "ns", recorded.end_ns - recorded.start_ns);
  metrics.add("launch__grid_size", "", product(recorded.grid));
  metrics.add("launch__block_size", "", product(recorded.block));
  metrics.add("launch__thread_count", "thread", product(recorded.grid) * product(recorded.block));
  metrics.add("launch__registers_per_thread", "register/thread", std::uint64_t{recorded.registers});
  metrics.add("launch__shared_mem_per_block_static", "byte/block",
              std::uint64_t{recorded.static_shared});
  metrics.add("launch__shared_mem_per_block_dynamic", "byte/block",
              std::uint64_t{recorded.dynamic_shared});
  if (recorded.shared_config != 0) {
    metrics.add("launch__shared_mem_config_size", "byte", std::uint64_t{recorded.shared_config});
  }
  metrics.add("launch__cluster_size", "", product(recorded.cluster));
  if (device != nullptr) add_device(recorded, *device, metrics);
  std::sort(launch.metrics.begin(), launch.metrics.end(),
            [](const Metric& a, const Metric& b) { return a.id < b.id; });
  profile.launches.push_back(std::move(launch));
}

}  // namespace

Profile recorded_profile(const Recording& recording, const KernelTotals& totals,
                         const std::vector<ChosenKernel>& chosen) {
  Profile profile;
  profile.format = "recording";
  profile.producer = "proofline's recorder";
  profile.notes = recording.notes;
  profile.processes.reserve(recording.processes.size());
  for (const RecordedProcess& process : recording.processes) {
    profile.processes.push_back(process_of(process));
  }
  profile.launches.reserve(chosen.size());
  for (const ChosenKernel& choice : chosen) {
    const KernelTotal& kernel = totals.kernels[choice.kernel];
    const RecordedProcess& process = recording.processes[kernel.process];
    add_launch(process, process.launches[choice.launch], kernel, profile);
  }
  return profile;
}

}  // namespace proofline
