// SPDX-License-Identifier: Apache-2.0
//
// GPU, driver, and the right to read hardware counters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "diagnosis/preflight/preflight_checks.h"
#include "diagnosis/preflight/tool_versions.h"

namespace proofline {
namespace {

// Since then the driver takes CAP_PERFMON for CAP_SYS_ADMIN (NVIDIA's page on ERR_NVGPUCTRPERM).
constexpr std::uint32_t kPerfmonDriver = 565;

constexpr std::string_view kWorksWithout =
    "without a GPU these work: diagnose, show, compare, sass and explain, on files from elsewhere";
constexpr std::string_view kStartWithGpu =
    "start the container with the GPU: docker run --gpus all (NVIDIA Container Toolkit), and with "
    "NVIDIA_DRIVER_CAPABILITIES=compute,utility";

std::string gpus_text(const Machine& machine) {
  const GpuState& first = machine.gpus.front();
  const bool alike =
      std::all_of(machine.gpus.begin(), machine.gpus.end(), [&](const GpuState& gpu) {
        return gpu.name == first.name && gpu.compute_capability == first.compute_capability;
      });
  const auto text = [](const GpuState& gpu) {
    return fmt::format("{} ({})", gpu.name, sm_name(gpu.compute_capability));
  };
  if (machine.gpus.size() == 1) return text(first);
  if (alike) return fmt::format("{} x {}", machine.gpus.size(), text(first));
  std::string all;
  for (const GpuState& gpu : machine.gpus) {
    all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", gpu.index, text(gpu));
  }
  return all;
}

// Where no GPU can be used: what is in the way.
void explain_no_gpu(const Machine& machine, PreflightCheck& check) {
  check.status = CheckStatus::kMissing;
  const bool in_container = !machine.container.empty();
  if (!machine.closed_device_node.empty()) {
    check.status = CheckStatus::kProblem;
    check.statement = machine.closed_device_node + " may not be opened by this user";
    check.next = fmt::format("ls -l {}: have root add you to its group, or open its mode",
                             machine.closed_device_node);
  } else if (in_container) {
    check.statement = machine.kernel_driver.empty()
                          ? "no NVIDIA GPU in this container"
                          : "the host has NVIDIA's driver, but this container got no GPU of it";
    check.next = fmt::format("{}; {}", kStartWithGpu, kWorksWithout);
  } else if (!machine.kernel_driver.empty()) {
    check.statement = "the driver is loaded, but its libraries (libcuda, NVML) are not found";
    check.next =
        "install the driver's libraries in the version of the module, " + machine.kernel_driver;
  } else if (machine.gpu_on_bus) {
    check.statement = "an NVIDIA GPU is in this machine, but NVIDIA's driver is not loaded";
    check.next = "as root: modprobe nvidia; where there is no such module, install the driver";
  } else {
    check.statement = "no NVIDIA GPU and no driver on this machine";
    check.next = kWorksWithout;
  }
}

void check_gpu(const Machine& machine, PreflightChecks& checks) {
  PreflightCheck& check = checks.emplace_back();
  check.id = "gpu";
  check.what = "GPU";
  if (!machine.gpus.empty()) {
    check.statement = gpus_text(machine);
    for (const GpuState& gpu : machine.gpus) check.evidence.push_back({"NVML", gpu.uuid});
    return;
  }
  check.evidence.push_back({"NVML", machine.nvml_trouble});
  for (const std::string& node : machine.device_nodes) check.evidence.push_back({"/dev", node});
  if (machine.version_mismatch) {
    check.status = CheckStatus::kUnknown;
    check.statement = "cannot be asked while driver and libraries differ";
  } else if (has_gpu(machine)) {
    check.status = CheckStatus::kUnknown;
    check.statement = fmt::format("there is one, but which is not known: {}", machine.nvml_trouble);
    check.next = machine.container.empty()
                     ? "install NVML, a part of the driver (libnvidia-ml.so.1)"
                     : std::string(kStartWithGpu);
  } else {
    explain_no_gpu(machine, check);
  }
}

void check_driver_version(const Machine& machine, PreflightChecks& checks) {
  const std::string& version = machine.driver.empty() ? machine.kernel_driver : machine.driver;
  if (version.empty()) return;
  PreflightCheck& check = checks.emplace_back();
  check.id = "driver";
  check.what = "driver";
  check.statement = version;
  check.evidence.push_back({"/proc/driver/nvidia/version", machine.kernel_driver});
  check.evidence.push_back({"NVML", machine.driver});
  if (machine.version_mismatch) {
    check.status = CheckStatus::kProblem;
    check.statement = fmt::format("the loaded module is {}, the libraries are of another version",
                                  machine.kernel_driver);
    check.next = "reboot, which loads the module that belongs to the libraries";
    return;
  }
  if (machine.driver_cuda) {
    check.statement +=
        fmt::format(", CUDA up to {}", to_string(cuda_release(*machine.driver_cuda)));
  }
  if (machine.libcuda_version > machine.driver_cuda) {
    check.statement += fmt::format(", by a compatibility library up to {}",
                                   to_string(cuda_release(*machine.libcuda_version)));
  }
}

// ---- Counters

// What root does once so that everybody may read counters, in this distribution's words.
std::string lift_restriction(const Machine& machine) {
  constexpr std::string_view kOption = "options nvidia NVreg_RestrictProfilingToAdminUsers=0";
  struct Words {
    std::string_view family;
    std::string_view rebuild;
  };
  constexpr std::array<Words, 8> kRebuild{{{"debian", "update-initramfs -u"},
                                           {"ubuntu", "update-initramfs -u"},
                                           {"rhel", "dracut --force"},
                                           {"fedora", "dracut --force"},
                                           {"suse", "dracut --force"},
                                           {"opensuse", "dracut --force"},
                                           {"arch", "mkinitcpio -P"},
                                           {"amzn", "dracut --force"}}};
  const auto& families = machine.distribution_families;
  const auto is = [&](std::string_view family) {
    return std::find(families.begin(), families.end(), family) != families.end();
  };
  if (is("nixos")) {
    return fmt::format(
        "in configuration.nix: boot.extraModprobeConfig = \"{}\"; then nixos-rebuild boot, reboot",
        kOption);
  }
  std::string_view rebuild = "rebuild the initial RAM disk";
  for (const Words& words : kRebuild) {
    if (is(words.family)) rebuild = words.rebuild;
  }
  return fmt::format(
      "root, once: put \"{}\" into /etc/modprobe.d/nvidia-profiling.conf, {}, reboot", kOption,
      rebuild);
}

std::string permission_fix(const Machine& machine) {
  if (machine.windows_subsystem) {
    return "in Windows: NVIDIA Control Panel, Desktop, Enable Developer Settings; Manage GPU "
           "Performance Counters, allow access to all users";
  }
  if (machine.container.empty()) return lift_restriction(machine) + "; until then: sudo";
  // The distribution in here is not the host's.
  Machine host;
  return "start the container with docker run --cap-add=SYS_ADMIN, or on the host: " +
         lift_restriction(host);
}

void check_counters(const Machine& machine, PreflightChecks& checks) {
  PreflightCheck& check = checks.emplace_back();
  check.id = kCounterPermission;
  check.what = "counter permission";
  const auto& admin_only = machine.counters_for_admin_only;
  check.evidence.push_back({"/proc/driver/nvidia/params: RmProfilingAdminOnly", !admin_only ? ""
                                                                                : *admin_only
                                                                                    ? "1"
                                                                                    : "0"});
  const bool by_right = machine.may_administer ||
                        (machine.may_monitor && driver_branch(machine.driver) >= kPerfmonDriver);
  if (admin_only && !*admin_only) {
    check.statement = "open to every user";
  } else if (by_right) {
    check.statement = "for administrators, which this process is";
  } else if (!admin_only) {
    check.status = CheckStatus::kUnknown;
    check.statement = "not known whether hardware counters may be read";
    check.next = "if ncu says ERR_NVGPUCTRPERM: " + permission_fix(machine);
  } else {
    check.status = CheckStatus::kProblem;
    check.statement =
        "for administrators only (ERR_NVGPUCTRPERM): launches, times, occupancy, SASS and "
        "sanitizers work, rules on counters do not";
    check.next = permission_fix(machine);
  }
}

void check_confidential(const Machine& machine, PreflightChecks& checks) {
  if (!machine.confidential.value_or(false)) return;
  PreflightCheck& check = checks.emplace_back();
  check.id = "confidential-computing";
  check.what = "confidential computing";
  const bool tools = machine.confidential_tools.value_or(false);
  check.evidence.push_back({"NVML: devtools mode", tools ? "on" : "off"});
  if (tools) {
    check.status = CheckStatus::kNote;
    check.statement = "on, in devtools mode: profilers work, but nothing is confidential";
    return;
  }
  check.status = CheckStatus::kProblem;
  check.statement = "on: CUPTI and ncu cannot profile";
  check.next = "profile on a GPU without it, or in its devtools mode";
}

}  // namespace

void check_driver(const Machine& machine, PreflightChecks& checks) {
  check_gpu(machine, checks);
  check_driver_version(machine, checks);
  if (!has_gpu(machine)) return;
  check_counters(machine, checks);
  check_confidential(machine, checks);
}

bool has_gpu(const Machine& machine) {
  const bool usable = machine.libcuda_version && !machine.kernel_driver.empty() &&
                      !machine.device_nodes.empty() && machine.closed_device_node.empty();
  return !machine.gpus.empty() || (usable && !machine.version_mismatch);
}

std::string sm_name(std::string_view compute_capability) {
  if (compute_capability.empty()) return "unknown architecture";
  std::string name = "sm_";
  for (const char c : compute_capability) {
    if (c != '.') name += c;
  }
  return name;
}

}  // namespace proofline
