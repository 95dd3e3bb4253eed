// SPDX-License-Identifier: Apache-2.0

#include "diagnosis/preflight/preflight.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "diagnosis/preflight/preflight_checks.h"
#include "diagnosis/preflight/tool_versions.h"

namespace proofline {
namespace {

bool is_bad(const PreflightCheck& check) {
  return check.status == CheckStatus::kProblem || check.status == CheckStatus::kMissing;
}

std::string headline_of(const Preflight& preflight, const Machine& machine) {
  const std::string& gpu = preflight.checks.front().statement;
  if (!has_gpu(machine) && !machine.version_mismatch) {
    return "no GPU to profile on; reading, diagnosing and comparing reports works";
  }
  switch (preflight.readiness) {
    case Readiness::kReady: return "ready to profile on " + gpu;
    case Readiness::kNoPermission:
      return "ready on " + gpu + " except for hardware counters: no permission";
    case Readiness::kNotReady: break;
  }
  const auto bad = std::count_if(preflight.checks.begin(), preflight.checks.end(), is_bad);
  return fmt::format("not ready to profile: {} to mend",
                     plural(static_cast<std::uint64_t>(bad), "thing"));
}

Readiness readiness_of(const PreflightChecks& checks) {
  Readiness readiness = Readiness::kReady;
  for (const PreflightCheck& check : checks) {
    if (!is_bad(check)) continue;
    if (check.id != kCounterPermission) return Readiness::kNotReady;
    readiness = Readiness::kNoPermission;
  }
  return readiness;
}

}  // namespace

Preflight judge_machine(const Machine& machine, const std::optional<PreflightCommand>& command) {
  Preflight preflight;
  check_driver(machine, preflight.checks);
  check_tools(machine, preflight.checks);
  check_gpus(machine, preflight.checks);
  check_environment(machine, preflight.checks);
  check_folders(machine, preflight.checks);
  if (command) {
    check_command(machine, *command, preflight.checks);
    preflight.run = command->run;
    preflight.notes = command->binary.notes;
  }
  preflight.readiness = readiness_of(preflight.checks);
  preflight.headline = headline_of(preflight, machine);
  preflight.distribution = machine.distribution;
  preflight.container = machine.container;
  preflight.driver = machine.driver.empty() ? machine.kernel_driver : machine.driver;
  if (machine.driver_cuda) preflight.driver_cuda = to_string(cuda_release(*machine.driver_cuda));
  for (const GpuState& gpu : machine.gpus) {
    preflight.gpus.push_back({gpu.index, gpu.name, gpu.uuid, gpu.compute_capability});
  }
  return preflight;
}

}  // namespace proofline
