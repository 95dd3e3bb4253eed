// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's programs, and whether their versions fit the driver and each other.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "diagnosis/preflight/preflight_checks.h"
#include "diagnosis/preflight/tool_versions.h"

namespace proofline {
namespace {

// The first release with the flags that `profile` uses.
constexpr std::string_view kOldestNcu = "2021.2";

struct Role {
  std::string_view name;
  bool needed;               // where there is a GPU
  std::string_view without;  // what is missing without it
};
constexpr Role kRoles[] = {
    {"ncu", true, "profile needs it; install Nsight Compute (package nsight-compute)"},
    {"compute-sanitizer", true, "sanitize needs it; it is part of the CUDA toolkit"},
    {"nsys", false, "only needed for proofline trace --by nsys: trace records timelines by CUPTI"},
    {"nvcc", false, "only needed to compile"},
    {"cuobjdump", false, "not needed: cubins are read without it"},
    {"nvdisasm", false, "only needed for architectures that sass does not decode itself"},
};

const Role& role_of(const MachineTool& tool) {
  const auto* const role = std::find_if(std::begin(kRoles), std::end(kRoles),
                                        [&](const Role& one) { return one.name == tool.name; });
  static constexpr Role kOther{"", false, ""};
  return role != std::end(kRoles) ? *role : kOther;
}

// What ncu calls the chips of a compute capability, by how their names begin.
std::string_view chip_prefix(std::string_view compute_capability) {
  struct Chip {
    std::string_view compute_capability;
    std::string_view prefix;
  };
  constexpr Chip kChips[] = {{"7.0", "gv100"}, {"7.5", "tu1"},  {"8.0", "ga100"},
                             {"8.6", "ga10"},  {"8.9", "ad10"}, {"9.0", "gh100"},
                             {"10.0", "gb10"}, {"12.0", "gb20"}};
  for (const Chip& chip : kChips) {
    if (chip.compute_capability == compute_capability) return chip.prefix;
  }
  return {};
}

// The first GPU that the installed ncu does not know; null where it knows all of them, or where
// that cannot be told.
const GpuState* unknown_to_ncu(const Machine& machine) {
  if (!machine.ncu_chips) return nullptr;
  for (const GpuState& gpu : machine.gpus) {
    const std::string_view prefix = chip_prefix(gpu.compute_capability);
    if (prefix.empty()) continue;
    const auto& chips = *machine.ncu_chips;
    const bool known = std::any_of(chips.begin(), chips.end(), [&](const std::string& chip) {
      return chip.starts_with(prefix);
    });
    if (!known) return &gpu;
  }
  return nullptr;
}

// The newest CUDA whose programs run here.
std::optional<CudaRelease> newest_cuda(const Machine& machine) {
  const auto newest = std::max(machine.driver_cuda, machine.libcuda_version);
  if (!newest) return std::nullopt;
  return cuda_release(*newest);
}

void check_fit(const Machine& machine, const MachineTool& tool, CudaRelease release,
               PreflightCheck& check) {
  const auto newest = newest_cuda(machine);
  if (!newest) return;
  if (release.major > newest->major && tool.name != "ncu") {
    const bool compiles = tool.name == "nvcc";
    check.status = compiles ? CheckStatus::kProblem : CheckStatus::kNote;
    check.statement += compiles ? ": what it compiles does not run with this driver"
                                : ": newer than the driver, which it may refuse";
    if (const auto driver = oldest_driver_for(release)) {
      check.next = fmt::format("install driver {} or newer, or the CUDA {} toolkit", *driver,
                               to_string(*newest));
    }
  } else if (release < *newest && (tool.name == "ncu" || tool.name == "compute-sanitizer")) {
    check.status = CheckStatus::kNote;
    check.statement +=
        fmt::format(": older than the driver, which knows CUDA {}", to_string(*newest));
    check.next = fmt::format("if it says that the driver is not compatible: take the {} of CUDA {}",
                             tool.name, to_string(*newest));
  }
}

void check_found(const Machine& machine, const MachineTool& tool, PreflightCheck& check) {
  check.statement = tool.version;
  const auto release = cuda_release_of(tool);
  if (release && !tool.version.starts_with(to_string(*release))) {
    check.statement += fmt::format(" (CUDA {})", to_string(*release));
  }
  // Years have four digits, so the texts compare as the versions do.
  if (tool.name == "ncu" && tool.version < kOldestNcu) {
    check.status = CheckStatus::kProblem;
    check.statement += " is too old for profile";
    check.next = fmt::format("install Nsight Compute {} or newer", kOldestNcu);
    return;
  }
  const GpuState* const unknown = tool.name == "ncu" ? unknown_to_ncu(machine) : nullptr;
  if (unknown != nullptr) {
    check.status = CheckStatus::kProblem;
    check.statement +=
        fmt::format(" does not know {} ({})", unknown->name, sm_name(unknown->compute_capability));
    check.next = "install an Nsight Compute that lists this GPU (ncu --list-chips)";
  } else if (release) {
    check_fit(machine, tool, *release, check);
  }
}

void check_tool(const Machine& machine, const MachineTool& tool, PreflightChecks& checks) {
  const Role& role = role_of(tool);
  const bool needed = role.needed && has_gpu(machine);
  PreflightCheck& check = checks.emplace_back();
  check.id = tool.name;
  check.what = tool.name;
  check.evidence.push_back({"path", tool.path});
  check.evidence.push_back({"version", tool.version});
  switch (tool.state) {
    case ToolState::kFound: check_found(machine, tool, check); break;
    case ToolState::kMissing:
      check.status = needed ? CheckStatus::kMissing : CheckStatus::kNote;
      check.statement = "not found";
      if (needed) {
        check.next = role.without;
      } else {
        const std::string_view why = role.needed ? "of no use without a GPU" : role.without;
        check.statement += fmt::format("; {}", why);
      }
      break;
    case ToolState::kUnsafe:
      check.status = CheckStatus::kProblem;
      check.statement = tool.trouble;
      check.next = "take that folder out of PATH, or have its owner and mode mended";
      break;
    case ToolState::kBroken:
      check.status = needed ? CheckStatus::kProblem : CheckStatus::kNote;
      check.statement = tool.trouble;
      check.next = fmt::format("run it by hand: {} --version", quote(tool.path));
      break;
  }
}

// Tools of different releases work side by side, but an old one may not know what a new compiler
// writes.
void check_releases(const Machine& machine, PreflightChecks& checks) {
  std::set<CudaRelease> releases;
  std::string all;
  for (const MachineTool& tool : machine.tools) {
    const auto release = cuda_release_of(tool);
    if (!release) continue;
    releases.insert(*release);
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", tool.name, to_string(*release));
  }
  if (releases.size() < 2) return;
  PreflightCheck& check = checks.emplace_back();
  check.id = "tool-releases";
  check.what = "tool releases";
  check.status = CheckStatus::kNote;
  check.statement = "the tools are of different CUDA releases: " + all;
  check.next = "where one cannot read what another wrote, take all from the newest toolkit";
}

void check_recorder(const Machine& machine, PreflightChecks& checks) {
  if (!has_gpu(machine)) return;
  PreflightCheck& check = checks.emplace_back();
  check.id = "recorder";
  check.what = "recorder (CUPTI)";
  check.statement = "launches can be recorded without counters";
  check.evidence.push_back({"libcupti", machine.cupti});
  if (!machine.cupti.empty()) return;
  check.status = CheckStatus::kNote;
  check.statement = "launches cannot be recorded: " + machine.recorder_trouble;
  check.next = "install CUPTI, a part of the CUDA toolkit; until then ncu lists the kernels";
}

}  // namespace

void check_tools(const Machine& machine, PreflightChecks& checks) {
  for (const MachineTool& tool : machine.tools) check_tool(machine, tool, checks);
  check_releases(machine, checks);
  check_recorder(machine, checks);
}

}  // namespace proofline
