// SPDX-License-Identifier: Apache-2.0
//
// Variables that somebody set for another purpose and forgot, and the folders that a run writes to.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "diagnosis/preflight/preflight_checks.h"

namespace proofline {
namespace {

enum class Spelling { kName, kPrefix };
// Which values mean that it is set.
enum class SetBy { kAnything, kTrue, kEager };

struct Trap {
  std::string_view name;
  Spelling spelling;
  SetBy set_by;
  CheckStatus status;
  std::string_view effect;
};

constexpr std::string_view kLeftOver =
    "left over from a profiler: ncu and CUPTI cannot attach beside it";
constexpr std::string_view kLeftOverSanitizer = "left over from compute-sanitizer";

constexpr Trap kTraps[] = {
    {"CUDA_LAUNCH_BLOCKING", Spelling::kName, SetBy::kTrue, CheckStatus::kProblem,
     "every launch waits for its kernel: times and gaps are not those of the program"},
    {"TRITON_INTERPRET", Spelling::kName, SetBy::kTrue, CheckStatus::kProblem,
     "Triton runs kernels on the host: there is nothing to profile"},
    {"CUDA_INJECTION64_PATH", Spelling::kName, SetBy::kAnything, CheckStatus::kProblem, kLeftOver},
    {"NVTX_INJECTION64_PATH", Spelling::kName, SetBy::kAnything, CheckStatus::kNote,
     "NVTX ranges go to this library, not to ours"},
    {"NSYS_", Spelling::kPrefix, SetBy::kAnything, CheckStatus::kProblem, kLeftOver},
    {"NV_NSIGHT_", Spelling::kPrefix, SetBy::kAnything, CheckStatus::kProblem, kLeftOver},
    {"NV_COMPUTE_PROFILER_", Spelling::kPrefix, SetBy::kAnything, CheckStatus::kProblem, kLeftOver},
    {"NV_SANITIZER_", Spelling::kPrefix, SetBy::kAnything, CheckStatus::kProblem,
     kLeftOverSanitizer},
    {"LD_PRELOAD", Spelling::kName, SetBy::kAnything, CheckStatus::kNote,
     "this library is loaded into every program, the profiled one too"},
    {"CUDA_FORCE_PTX_JIT", Spelling::kName, SetBy::kTrue, CheckStatus::kNote,
     "the driver compiles all code anew: not the machine code that was built"},
    {"CUDA_DISABLE_PTX_JIT", Spelling::kName, SetBy::kTrue, CheckStatus::kNote,
     "kernels that are there only as PTX fail"},
    {"CUDA_CACHE_DISABLE", Spelling::kName, SetBy::kTrue, CheckStatus::kNote,
     "code compiled when the program runs is compiled every time"},
    {"CUDA_MODULE_LOADING", Spelling::kName, SetBy::kEager, CheckStatus::kNote,
     "all kernels are loaded at the start, which takes longer"},
    {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION", Spelling::kName, SetBy::kTrue, CheckStatus::kNote,
     "kernels run with exception checks"},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", Spelling::kName, SetBy::kAnything, CheckStatus::kNote,
     "PyTorch allocates with cudaMalloc every time: good for sanitizers, slow otherwise"},
    {"TORCH_USE_CUDA_DSA", Spelling::kName, SetBy::kTrue, CheckStatus::kNote,
     "PyTorch's kernels check themselves, where it was built so"},
};
constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";
constexpr std::string_view kOrder = "CUDA_DEVICE_ORDER";

const Trap* trap_for(std::string_view variable) {
  const auto* const trap = std::find_if(std::begin(kTraps), std::end(kTraps), [&](const Trap& one) {
    return one.spelling == Spelling::kPrefix ? variable.starts_with(one.name)
                                             : variable == one.name;
  });
  return trap != std::end(kTraps) ? trap : nullptr;
}

bool is_set(SetBy by, std::string_view value) {
  switch (by) {
    case SetBy::kAnything: return !value.empty();
    case SetBy::kTrue: return !value.empty() && value != "0" && value != "false";
    case SetBy::kEager: return value == "EAGER";
  }
  return false;
}

std::optional<std::string_view> variable(const Machine& machine, std::string_view name) {
  for (const auto& [key, value] : machine.environment) {
    if (key == name) return value;
  }
  return std::nullopt;
}

PreflightCheck& add_variable(std::string_view name, std::string_view value,
                             PreflightChecks& checks) {
  PreflightCheck& check = checks.emplace_back();
  check.id = fmt::format("environment/{}", name);
  check.what = name;
  check.evidence.push_back({"environment", fmt::format("{}={}", name, value)});
  return check;
}

// ---- CUDA_VISIBLE_DEVICES

struct Visible {
  std::vector<GpuState> gpus;
  std::string unknown;  // the first entry that names no GPU: CUDA ignores it and all after it
};

std::optional<GpuState> named_gpu(const Machine& machine, std::string_view entry) {
  std::uint32_t index = 0;
  const auto number = std::from_chars(entry.data(), entry.data() + entry.size(), index);
  const bool by_index = number.ec == std::errc{} && number.ptr == entry.data() + entry.size();
  for (const GpuState& gpu : machine.gpus) {
    if (by_index ? gpu.index == index : !entry.empty() && gpu.uuid.starts_with(entry)) return gpu;
  }
  return std::nullopt;
}

Visible read_visible(const Machine& machine, std::string_view list) {
  Visible visible;
  while (true) {
    const std::string_view entry = trim(list.substr(0, list.find(',')));
    auto gpu = named_gpu(machine, entry);
    if (!gpu) {
      visible.unknown = entry;
      return visible;
    }
    visible.gpus.push_back(std::move(*gpu));
    const std::size_t comma = list.find(',');
    if (comma == std::string_view::npos) return visible;
    list.remove_prefix(comma + 1);
  }
}

void check_visible(const Machine& machine, PreflightChecks& checks) {
  const auto list = variable(machine, kVisible);
  if (!list || machine.gpus.empty() || list->starts_with("MIG-")) return;
  const Visible visible = read_visible(machine, *list);
  if (visible.unknown.empty() && visible.gpus.size() == machine.gpus.size()) return;
  PreflightCheck& check = add_variable(kVisible, *list, checks);
  if (visible.gpus.empty()) {
    check.status = CheckStatus::kProblem;
    check.statement = fmt::format("{} hides every GPU from programs", quote(*list));
    check.next = "unset CUDA_VISIBLE_DEVICES";
  } else if (!visible.unknown.empty()) {
    check.status = CheckStatus::kProblem;
    check.statement = fmt::format("{} is no GPU of the {} here: it and what follows is ignored",
                                  quote(visible.unknown), machine.gpus.size());
    check.next = "name GPUs as nvidia-smi -L lists them";
  } else {
    check.status = CheckStatus::kNote;
    check.statement = fmt::format("programs see {} of {} GPUs: {}", visible.gpus.size(),
                                  machine.gpus.size(), *list);
  }
}

// CUDA counts the fastest GPU first, nvidia-smi the first on the bus.
void check_order(const Machine& machine, PreflightChecks& checks) {
  const bool differ = std::any_of(machine.gpus.begin(), machine.gpus.end(), [&](const auto& gpu) {
    return gpu.name != machine.gpus.front().name;
  });
  const auto order = variable(machine, kOrder);
  if (!differ || order == "PCI_BUS_ID") return;
  PreflightCheck& check = add_variable(kOrder, order.value_or(""), checks);
  check.status = CheckStatus::kNote;
  check.statement = "GPUs differ, and CUDA numbers them by speed, not as nvidia-smi does";
  check.next = "export CUDA_DEVICE_ORDER=PCI_BUS_ID";
}

// ---- Folders

void check_folder(const MachineFolder& folder, std::string_view id, std::string_view what,
                  PreflightChecks& checks) {
  constexpr std::uint64_t kLittle = 1U << 30U;  // a report has up to 3 MB for each launch
  constexpr std::uint64_t kTooLittle = 100U << 20U;
  const std::string name = quote(folder.path);
  PreflightCheck check{std::string(id), std::string(what), CheckStatus::kProblem, "", {}, ""};
  const std::string other = id == "temporary-folder"
                                ? "choose another with TMPDIR"
                                : fmt::format("choose another with {}", option("runs"));
  const auto megabytes = folder.free_bytes.value_or(0) / 1000000;
  check.evidence.push_back({"free bytes", fmt::format("{}", folder.free_bytes.value_or(0))});
  if (!folder.writable) {
    check.statement = name + " cannot be written";
    check.next = other;
  } else if (folder.free_bytes && *folder.free_bytes < kTooLittle) {
    check.statement = fmt::format("{} MB free in {}", megabytes, name);
    check.next = "make room, or " + other;
  } else if (!folder.executable) {
    check.status = CheckStatus::kNote;
    check.statement = name + " is mounted noexec: no library can be loaded from it";
    check.next = other;
  } else if (folder.free_bytes && *folder.free_bytes < kLittle) {
    check.status = CheckStatus::kNote;
    check.statement = fmt::format("only {} MB free in {}", megabytes, name);
    check.next = "make room, or " + other;
  } else {
    check.status = CheckStatus::kOk;
    check.statement = fmt::format("{} can be written", name);
    if (folder.free_bytes) check.statement += fmt::format(", {} GB free", megabytes / 1000);
  }
  checks.push_back(std::move(check));
}

void check_lock(const Machine& machine, PreflightChecks& checks) {
  if (!machine.lock_file_owner) return;
  checks.push_back(
      {"ncu-lock",
       "lock of ncu",
       CheckStatus::kProblem,
       fmt::format("{} of user {} may not be opened, so ncu cannot start", quote(machine.lock_file),
                   *machine.lock_file_owner),
       {{"owner of " + machine.lock_file, fmt::format("{}", *machine.lock_file_owner)}},
       "give ncu a folder of your own: export TMPDIR=$(mktemp -d)"});
}

}  // namespace

bool changes_gpu_programs(std::string_view name) {
  return name == kVisible || name == kOrder || trap_for(name) != nullptr;
}

std::vector<GpuState> visible_gpus(const Machine& machine) {
  const auto list = variable(machine, kVisible);
  if (!list) return machine.gpus;
  Visible visible = read_visible(machine, *list);
  if (visible.gpus.empty()) return machine.gpus;
  return std::move(visible.gpus);
}

void check_environment(const Machine& machine, PreflightChecks& checks) {
  const std::size_t before = checks.size();
  check_visible(machine, checks);
  check_order(machine, checks);
  for (const auto& [name, value] : machine.environment) {
    const Trap* const trap = trap_for(name);
    if (trap == nullptr || !is_set(trap->set_by, value)) continue;
    PreflightCheck& check = add_variable(name, value, checks);
    check.status = trap->status;
    check.statement = trap->effect;
    if (trap->status == CheckStatus::kProblem) check.next = fmt::format("unset {}", name);
  }
  if (checks.size() > before) return;
  checks.push_back({"environment",
                    "environment",
                    CheckStatus::kOk,
                    "nothing set that changes how GPU programs run",
                    {},
                    ""});
}

void check_folders(const Machine& machine, PreflightChecks& checks) {
  check_folder(machine.temporary, "temporary-folder", "temporary folder", checks);
  check_folder(machine.runs, "run-folder", "folder for runs", checks);
  check_lock(machine, checks);
}

}  // namespace proofline
