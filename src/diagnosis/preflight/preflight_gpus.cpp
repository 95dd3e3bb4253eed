// SPDX-License-Identifier: Apache-2.0
//
// The state of each GPU: what would spoil a measurement, and who else is there. GPUs with the same
// answer are named together.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight_checks.h"

namespace proofline {
namespace {

// Nearer than this to where the hardware slows down, a longer run gets there.
constexpr std::uint32_t kDegreesLeft = 5;
// Idle GPUs report a few per cent now and then.
constexpr std::uint32_t kBusyPercent = 10;
// With less of its memory left, most programs fail to start.
constexpr double kLeastFreeShare = 0.05;

struct Answer {
  CheckStatus status = CheckStatus::kOk;
  std::string statement;
  std::string next;
};
// Nothing: the GPU does not tell, or there is nothing to tell.
using Answered = std::optional<Answer>;

std::string gigabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

Answered clocks(const GpuState& gpu) {
  if (!gpu.sm_clock_mhz || !gpu.max_sm_clock_mhz) return std::nullopt;
  const std::uint64_t reasons = gpu.clock_reasons.value_or(0);
  const std::string now = fmt::format("{} MHz of {}{}", *gpu.sm_clock_mhz, *gpu.max_sm_clock_mhz,
                                      (reasons & kClockIdle) != 0 ? " while idle" : "");
  if ((reasons & kClockSetting) != 0)
    return Answer{CheckStatus::kOk, now + ", held by a setting", ""};
  return Answer{
      CheckStatus::kNote, now + ", not locked",
      "proofline profile --clock-control base locks them while ncu runs; for benchmarks root can: "
      "nvidia-smi --lock-gpu-clocks=MHZ, then --reset-gpu-clocks"};
}

Answered throttling(const GpuState& gpu) {
  if (!gpu.clock_reasons) return std::nullopt;
  const std::uint64_t reasons = *gpu.clock_reasons;
  if ((reasons & (kClockHot | kClockWarm)) != 0) {
    return Answer{CheckStatus::kProblem, "slowed down by heat",
                  "let it cool; check fans and air flow"};
  }
  if ((reasons & (kClockPowerBrake | kClockSlowdown)) != 0) {
    return Answer{CheckStatus::kProblem, "slowed down by the hardware: power brake or supply",
                  "check the power supply and its cables; nvidia-smi -q -d PERFORMANCE tells more"};
  }
  if ((reasons & kClockPowerCap) != 0) {
    return Answer{CheckStatus::kNote, "held back by its power limit",
                  "lock clocks that fit the limit"};
  }
  return Answer{CheckStatus::kOk, "none", ""};
}

Answered power(const GpuState& gpu) {
  if (!gpu.power_limit_mw) return std::nullopt;
  const auto watts = [](std::uint32_t milliwatts) { return milliwatts / 1000; };
  std::string text = fmt::format("limit {} W", watts(*gpu.power_limit_mw));
  if (gpu.power_mw) text += fmt::format(", {} W now", watts(*gpu.power_mw));
  if (gpu.performance_state) text += fmt::format(", P{}", *gpu.performance_state);
  if (!gpu.default_power_limit_mw || *gpu.power_limit_mw >= *gpu.default_power_limit_mw) {
    return Answer{CheckStatus::kOk, std::move(text), ""};
  }
  const std::uint32_t full = watts(*gpu.default_power_limit_mw);
  return Answer{CheckStatus::kNote, fmt::format("{}: below the default of {} W", text, full),
                fmt::format("for full speed, root: nvidia-smi --power-limit={}", full)};
}

Answered temperature(const GpuState& gpu) {
  if (!gpu.temperature_c) return std::nullopt;
  std::string text = fmt::format("{} C", *gpu.temperature_c);
  const bool close = gpu.slowdown_temperature_c.value_or(0) > 0 &&
                     *gpu.temperature_c + kDegreesLeft >= *gpu.slowdown_temperature_c;
  if (!close) return Answer{CheckStatus::kOk, std::move(text), ""};
  return Answer{CheckStatus::kNote,
                fmt::format("{}, and it slows down at {} C", text, *gpu.slowdown_temperature_c),
                "let it cool before measuring; check fans and air flow"};
}

Answered persistence(const GpuState& gpu) {
  if (!gpu.persistence) return std::nullopt;
  if (*gpu.persistence) return Answer{CheckStatus::kOk, "on", ""};
  return Answer{CheckStatus::kNote, "off: the first CUDA call is slow, locked clocks get lost",
                "root: nvidia-smi --persistence-mode=1"};
}

Answered ecc(const GpuState& gpu) {
  if (gpu.uncorrected_errors.value_or(0) > 0) {
    return Answer{CheckStatus::kProblem,
                  fmt::format("{} uncorrected memory errors", *gpu.uncorrected_errors),
                  "results may be wrong: reset or reboot, and tell the administrator"};
  }
  if (!gpu.ecc) return std::nullopt;
  std::string text = *gpu.ecc ? "on, no uncorrected errors" : "off";
  if (gpu.corrected_errors.value_or(0) > 0) {
    return Answer{CheckStatus::kNote, fmt::format("{}, {} corrected", text, *gpu.corrected_errors),
                  "watch whether they grow: nvidia-smi -q -d ECC"};
  }
  if (gpu.ecc_after_reboot && *gpu.ecc_after_reboot != *gpu.ecc) {
    return Answer{CheckStatus::kNote, text + "; changes with the next reboot", ""};
  }
  return Answer{CheckStatus::kOk, std::move(text), ""};
}

Answered mig(const GpuState& gpu) {
  if (!gpu.mig) return std::nullopt;
  if (!*gpu.mig) return Answer{CheckStatus::kOk, "off", ""};
  return Answer{CheckStatus::kNote,
                "on: counters work only in a compute instance that has its GPU instance for itself",
                "choose one: nvidia-smi -L, then CUDA_VISIBLE_DEVICES=MIG-..."};
}

Answered virtual_gpu(const GpuState& gpu) {
  if (!gpu.virtual_gpu.value_or(false)) return std::nullopt;
  return Answer{CheckStatus::kNote, "a share of a GPU: counters work only where the host allows it",
                "if ncu finds no counters, have profiling enabled for this vGPU"};
}

Answered compute_mode(const GpuState& gpu) {
  if (!gpu.compute_mode) return std::nullopt;
  switch (*gpu.compute_mode) {
    case ComputeMode::kDefault: return Answer{CheckStatus::kOk, "default", ""};
    case ComputeMode::kExclusive:
      return Answer{CheckStatus::kNote, "exclusive: one process at a time",
                    "programs of several processes need the default; root: nvidia-smi -c DEFAULT"};
    case ComputeMode::kProhibited:
      return Answer{CheckStatus::kProblem, "prohibited: no program may use it",
                    "root: nvidia-smi -c DEFAULT"};
  }
  return std::nullopt;
}

std::string process_text(const GpuProcess& process) {
  std::string text = process.name.empty() ? fmt::format("process {}", process.pid)
                                          : fmt::format("{} ({})", process.name, process.pid);
  if (process.memory_bytes) text += " " + gigabytes(*process.memory_bytes);
  return text;
}

Answered sharing(const GpuState& gpu) {
  constexpr std::size_t kMostNamed = 3;
  constexpr std::string_view kAlone = "measure when the GPU is yours alone";
  if (!gpu.memory_bytes || !gpu.free_memory_bytes) return std::nullopt;
  std::string text =
      fmt::format("{} of {} free", gigabytes(*gpu.free_memory_bytes), gigabytes(*gpu.memory_bytes));
  std::string others;
  for (std::size_t i = 0; i < std::min(gpu.processes.size(), kMostNamed); ++i) {
    others += (i == 0 ? "; in use by " : ", ") + process_text(gpu.processes[i]);
  }
  if (gpu.processes.size() > kMostNamed) {
    others += fmt::format(" and {} more", gpu.processes.size() - kMostNamed);
  }
  const double total = static_cast<double>(*gpu.memory_bytes);
  if (static_cast<double>(*gpu.free_memory_bytes) < kLeastFreeShare * total) {
    return Answer{CheckStatus::kProblem, text + others,
                  "end what uses its memory, or take another GPU"};
  }
  const bool busy = gpu.busy_percent.value_or(0) >= kBusyPercent;
  if (busy) text += fmt::format(", {} % busy", *gpu.busy_percent);
  if (busy || !others.empty())
    return Answer{CheckStatus::kNote, text + others, std::string(kAlone)};
  return Answer{CheckStatus::kOk, text + ", no other process on it", ""};
}

// "GPU 0", "GPUs 0 to 2, 5"
std::string gpu_numbers(const std::vector<std::uint32_t>& sorted) {
  std::string text = sorted.size() == 1 ? "GPU " : "GPUs ";
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (i > 0) text += ", ";
    text += fmt::format("{}", sorted[i]);
    if (last > i) text += fmt::format(" to {}", sorted[last]);
    i = last + 1;
  }
  return text;
}

struct Group {
  Answer answer;
  std::vector<std::uint32_t> gpus;
};

std::vector<Group> ask(const std::vector<GpuState>& gpus, Answered (*question)(const GpuState&)) {
  std::vector<Group> groups;
  for (const GpuState& gpu : gpus) {
    Answered answer = question(gpu);
    if (!answer) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.answer.statement == answer->statement;
    });
    if (same != groups.end()) {
      same->gpus.push_back(gpu.index);
    } else {
      groups.push_back({std::move(*answer), {gpu.index}});
    }
  }
  // The worst first, whose advice counts.
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.answer.status > b.answer.status;
  });
  return groups;
}

// Where GPUs differ, those that are well need no words of their own.
std::string statement_of(const std::vector<Group>& groups) {
  if (groups.size() == 1) return groups.front().answer.statement;
  std::string text;
  for (const Group& group : groups) {
    if (group.answer.status == CheckStatus::kOk) continue;
    text += fmt::format("{}: {}; ", gpu_numbers(group.gpus), group.answer.statement);
  }
  if (text.empty()) return "fine on all of them";
  text.resize(text.size() - 2);
  return text;
}

struct Question {
  std::string_view id;
  std::string_view what;
  Answered (*ask)(const GpuState&);
};
constexpr Question kQuestions[] = {
    {"clocks", "clocks", clocks},
    {"throttling", "throttling", throttling},
    {"power", "power", power},
    {"temperature", "temperature", temperature},
    {"persistence", "persistence mode", persistence},
    {"ecc", "ECC", ecc},
    {"mig", "MIG", mig},
    {"virtual-gpu", "virtual GPU", virtual_gpu},
    {"compute-mode", "compute mode", compute_mode},
    {"sharing", "memory and others", sharing},
};

void check_service(const std::vector<GpuState>& gpus, PreflightChecks& checks) {
  const auto is_server = [](const GpuProcess& process) {
    return process.name.find("nvidia-cuda-mps-server") != std::string::npos;
  };
  const bool served = std::any_of(gpus.begin(), gpus.end(), [&](const GpuState& gpu) {
    return std::any_of(gpu.processes.begin(), gpu.processes.end(), is_server);
  });
  if (!served) return;
  checks.push_back({"mps",
                    "MPS",
                    CheckStatus::kNote,
                    "the multi-process service runs: programs share the GPU at the same time",
                    {},
                    "to measure one program alone: echo quit | nvidia-cuda-mps-control"});
}

}  // namespace

void check_gpus(const Machine& machine, PreflightChecks& checks) {
  const std::vector<GpuState> gpus = visible_gpus(machine);
  for (const Question& question : kQuestions) {
    const std::vector<Group> groups = ask(gpus, question.ask);
    if (groups.empty()) continue;
    PreflightCheck& check = checks.emplace_back();
    check.id = question.id;
    check.what = question.what;
    check.status = groups.front().answer.status;
    check.next = groups.front().answer.next;
    check.statement = statement_of(groups);
    for (const Group& group : groups) {
      check.evidence.push_back({"NVML, " + gpu_numbers(group.gpus), group.answer.statement});
    }
  }
  check_service(gpus, checks);
}

}  // namespace proofline
