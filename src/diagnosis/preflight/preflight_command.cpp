// SPDX-License-Identifier: Apache-2.0
//
// The user's command: whether its GPU code fits this GPU and can be traced to its source, and
// whether it launches anything.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "diagnosis/preflight/preflight_checks.h"

namespace proofline {
namespace {

// The number in "sm_90a", "compute_90", "sm_90".
std::uint32_t number_in(std::string_view arch) {
  std::uint32_t number = 0;
  arch.remove_prefix(std::min(arch.find('_') + 1, arch.size()));
  std::from_chars(arch.data(), arch.data() + arch.size(), number);
  return number;
}

bool is_specific(std::string_view arch) { return arch.ends_with('a') || arch.ends_with('f'); }

// Machine code runs on later GPUs of its generation; code for one architecture only there.
bool runs_on(std::string_view code, std::uint32_t gpu) {
  const std::uint32_t number = number_in(code);
  if (code.ends_with('a')) return number == gpu;
  return number / 10 == gpu / 10 && number <= gpu;
}

bool compiles_for(std::string_view ptx, std::uint32_t gpu) {
  return is_specific(ptx) ? runs_on(ptx, gpu) : number_in(ptx) <= gpu;
}

void check_architecture(const Machine& machine, const BinaryFacts& binary,
                        PreflightChecks& checks) {
  const std::vector<GpuState> gpus = visible_gpus(machine);
  if (gpus.empty() || gpus.front().compute_capability.empty()) return;
  const std::string wanted = sm_name(gpus.front().compute_capability);
  const std::uint32_t gpu = number_in(wanted);
  const auto any = [&](const std::set<std::string>& archs,
                       bool (*fits)(std::string_view, std::uint32_t)) {
    return std::any_of(archs.begin(), archs.end(),
                       [&](const std::string& arch) { return fits(arch, gpu); });
  };
  PreflightCheck& check = checks.emplace_back();
  check.id = "command/architecture";
  check.what = "architecture";
  std::set<std::string> all = binary.machine_code;
  all.insert(binary.ptx.begin(), binary.ptx.end());
  check.evidence.push_back({"code in the file", fmt::format("{}", fmt::join(all, " "))});
  if (any(binary.machine_code, runs_on)) {
    check.statement =
        fmt::format("has machine code for this GPU: {}", fmt::join(binary.machine_code, ", "));
  } else if (any(binary.ptx, compiles_for)) {
    check.status = CheckStatus::kNote;
    check.statement = fmt::format("only PTX for this GPU ({}): compiled when the program starts",
                                  fmt::join(binary.ptx, ", "));
    check.next =
        fmt::format("compile with -arch={}, so that what is profiled is what was built", wanted);
  } else {
    check.status = CheckStatus::kProblem;
    check.statement =
        fmt::format("built for {}, this GPU is {}: no kernel image", fmt::join(all, ", "), wanted);
    check.next = fmt::format("compile with -arch={}", wanted);
  }
}

void check_debug_information(const BinaryFacts& binary, PreflightChecks& checks) {
  if (binary.cubins == 0) return;
  PreflightCheck& check = checks.emplace_back();
  check.id = "command/source-lines";
  check.what = "source lines";
  check.evidence.push_back({"cubins", fmt::format("{}", binary.cubins)});
  check.evidence.push_back({"with lines", fmt::format("{}", binary.with_lines)});
  check.evidence.push_back({"for debugging", fmt::format("{}", binary.for_debugging)});
  if (binary.for_debugging > 0) {
    check.status = CheckStatus::kProblem;
    check.statement = "built with -G: not optimised, so its speed says nothing";
    check.next = "compile with -lineinfo instead of -G";
  } else if (binary.with_lines == binary.cubins) {
    check.statement = "built with -lineinfo";
  } else {
    check.status = CheckStatus::kNote;
    check.statement = binary.with_lines == 0
                          ? "built without -lineinfo: findings cannot name source lines"
                          : fmt::format("{} of {} cubins have no source lines",
                                        binary.cubins - binary.with_lines, binary.cubins);
    check.next = "compile with -lineinfo; it costs no speed";
  }
}

void check_file(const Machine& machine, const BinaryFacts& binary, PreflightChecks& checks) {
  PreflightCheck& check = checks.emplace_back();
  check.id = "command/program";
  check.what = "program";
  check.statement = quote(binary.path);
  check.evidence.push_back({"path", binary.path});
  if (!binary.interpreter.empty()) {
    check.statement += fmt::format(", a script for {}", quote(binary.interpreter));
  } else if (!binary.without_code.empty()) {
    check.statement += " has no GPU code itself; libraries or a compiler may bring it";
    check.evidence.push_back({"reader", binary.without_code});
  }
  if (binary.machine_code.empty() && binary.ptx.empty()) return;
  check_architecture(machine, binary, checks);
  check_debug_information(binary, checks);
}

// ---- How it ran

std::string ending_text(const PreflightRun& run) {
  switch (run.ending) {
    case RunEnding::kNotRun: return "not run";
    case RunEnding::kExited: return fmt::format("ended with exit code {}", run.exit_code);
    case RunEnding::kSignal: return fmt::format("died of signal {}", run.signal);
    case RunEnding::kTimeLimit: return "was still running at the time limit and was ended";
  }
  return "";
}

void check_ending(const PreflightRun& run, PreflightChecks& checks) {
  PreflightCheck& check = checks.emplace_back();
  check.id = "command/run";
  check.what = "run";
  check.statement = ending_text(run);
  switch (run.ending) {
    case RunEnding::kNotRun: check.status = CheckStatus::kUnknown; break;
    case RunEnding::kExited:
      if (run.exit_code == 0) break;
      check.status = CheckStatus::kNote;
      check.next = "if that is a failure, fix it first: see what it printed in the run's folder";
      break;
    case RunEnding::kSignal:
      check.status = CheckStatus::kProblem;
      check.next = "fix the crash first: proofline sanitize -- CMD finds bad accesses of kernels";
      break;
    case RunEnding::kTimeLimit:
      check.status = CheckStatus::kProblem;
      check.next = fmt::format("give it less work, or more time: {}", option("time-limit"));
      break;
  }
}

void check_launches(const PreflightRun& run, PreflightChecks& checks) {
  PreflightCheck& check = checks.emplace_back();
  check.id = "command/launches";
  check.what = "launches";
  if (!run.not_counted.empty()) {
    check.status = CheckStatus::kUnknown;
    check.statement = "not counted: " + run.not_counted;
    return;
  }
  std::uint64_t launches = 0;
  std::uint64_t total_ns = 0;
  for (const PreflightKernel& kernel : run.kernels) {
    launches += kernel.launches;
    total_ns += kernel.total_ns;
  }
  if (launches == 0) {
    check.status = CheckStatus::kProblem;
    check.statement = run.used_cuda ? "it launched no kernel: there is nothing to profile"
                                    : "it did not use CUDA: there is nothing to profile";
    check.next = "check its arguments, and whether it fell back to the CPU";
    return;
  }
  check.statement =
      fmt::format("{} launches of {} kernels, {:.3g} ms on the GPU", group_digits(launches),
                  run.kernels.size(), static_cast<double>(total_ns) / 1e6);
  check.evidence.push_back({"recorder: launches", fmt::format("{}", launches)});
  check.evidence.push_back({"recorder: total ns", fmt::format("{}", total_ns)});
}

}  // namespace

void check_command(const Machine& machine, const PreflightCommand& command,
                   PreflightChecks& checks) {
  check_file(machine, command.binary, checks);
  check_ending(command.run, checks);
  check_launches(command.run, checks);
}

}  // namespace proofline
