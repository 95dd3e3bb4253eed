// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/program_time.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace proofline {

std::optional<ProgramTime> program_time(const Timeline& timeline) {
  const std::vector<DeviceTime> devices = device_times(timeline);
  std::optional<ProgramTime> most;
  for (const DeviceTime& device : devices) {
    const TimeParts parts = time_parts(device, device.start_ns, device.end_ns);
    if (most && parts.compute_ns <= most->parts.compute_ns) continue;
    most = ProgramTime{device.span_ns(), parts, devices.size()};
  }
  return most;
}

ProgramSavings program_savings(const ProgramTime& time, const KernelTotals& totals,
                               const Profile& profile, const Diagnosis& diagnosis) {
  ProgramSavings savings;
  // A kernel that runs beside others takes less of the span than its own time.
  const double kernels = time.share(time.parts.compute_ns);
  std::set<std::string_view> seen;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    if (kernel.launch >= profile.launches.size()) continue;
    const std::string_view mangled = profile.launches[kernel.launch].mangled;
    std::uint64_t total_ns = 0;
    for (const KernelTotal& total : totals.kernels) {
      const bool is_it =
          mangled.empty() ? total.function == kernel.function : total.mangled == mangled;
      if (is_it) total_ns += total.total_ns;
    }
    if (total_ns == 0 || !seen.insert(mangled.empty() ? kernel.function : mangled).second) continue;
    KernelSaving saving;
    saving.name = kernel.name;
    saving.share = std::min(time.share(static_cast<std::int64_t>(total_ns)), kernels);
    if (!kernel.findings.empty()) {
      saving.cause = kernel.findings.front().id;
      saving.gain = kernel.findings.front().gain;
    }
    saving.low = saving.share * saving.gain.low;
    saving.high = saving.share * saving.gain.high;
    savings.low += saving.low;
    savings.high += saving.high;
    savings.kernels.push_back(std::move(saving));
  }
  std::stable_sort(savings.kernels.begin(), savings.kernels.end(),
                   [](const KernelSaving& a, const KernelSaving& b) { return a.high > b.high; });
  savings.low = std::min(savings.low, kernels);
  savings.high = std::min(savings.high, kernels);
  return savings;
}

}  // namespace proofline
