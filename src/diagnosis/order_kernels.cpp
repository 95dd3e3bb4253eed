// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/order_kernels.h"

#include <algorithm>

#include "diagnosis/group.h"

namespace proofline {

std::optional<double> could_save_ns(const KernelDiagnosis& kernel) {
  if (kernel.findings.empty() || !kernel.spread.total_ns) return std::nullopt;
  const Gain& gain = kernel.findings.front().gain;
  if (gain.high <= 0) return std::nullopt;
  return *kernel.spread.total_ns * (gain.low + gain.high) / 2;
}

void order_kernels(KernelOrder order, std::vector<KernelDiagnosis>& kernels) {
  const auto before = [order](const KernelDiagnosis& a, const KernelDiagnosis& b) {
    switch (order) {
      case KernelOrder::kTotal:
        return a.spread.total_ns.value_or(0) > b.spread.total_ns.value_or(0);
      case KernelOrder::kCouldSave:
        return could_save_ns(a).value_or(0) > could_save_ns(b).value_or(0);
      case KernelOrder::kName: return a.display_name < b.display_name;
      case KernelOrder::kCount: return a.spread.count > b.spread.count;
    }
    return false;
  };
  std::stable_sort(kernels.begin(), kernels.end(), before);
}

void order_launches(const Profile& profile, LaunchOrder order, std::vector<std::size_t>& launches) {
  if (order == LaunchOrder::kLaunch) return;
  const std::vector<std::optional<double>> durations = launch_durations(profile);
  std::stable_sort(launches.begin(), launches.end(), [&](std::size_t a, std::size_t b) {
    if (order == LaunchOrder::kName) return profile.launches[a].name < profile.launches[b].name;
    return durations[a].value_or(0) > durations[b].value_or(0);
  });
}

}  // namespace proofline
