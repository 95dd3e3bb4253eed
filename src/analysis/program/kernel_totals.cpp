// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/kernel_totals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/demangle.h"
#include "base/statistics.h"
#include "model/profile/kernel_name.h"

namespace proofline {
namespace {

// What is left then is spread over kernels of which none can change much.
constexpr double kCoveredShare = 0.8;
// A kernel below this share gives little back even where it vanishes.
constexpr double kLeastShare = 0.01;

// A launch within this distance of the median is a typical one.
constexpr double kTypicalDistance = 0.1;

// Of three launches or more the first is a warm-up even where it is no slower: caches and clocks
// are not yet what they are later.
constexpr std::size_t kLaunchesWithWarmUp = 3;

using Shape = std::pair<Dim3, Dim3>;

std::uint64_t duration(const RecordedLaunch& launch) { return launch.end_ns - launch.start_ns; }

std::vector<KernelShape> shapes_of(const std::vector<const RecordedLaunch*>& launches) {
  std::map<Shape, KernelShape> by_shape;
  for (const RecordedLaunch* launch : launches) {
    KernelShape& shape = by_shape[{launch->grid, launch->block}];
    ++shape.count;
    shape.total_ns += duration(*launch);
  }
  std::vector<KernelShape> shapes;
  shapes.reserve(by_shape.size());
  for (auto& [key, shape] : by_shape) {
    std::tie(shape.grid, shape.block) = key;
    shapes.push_back(shape);
  }
  std::stable_sort(shapes.begin(), shapes.end(), [](const KernelShape& a, const KernelShape& b) {
    return a.total_ns > b.total_ns;
  });
  return shapes;
}

KernelTotal total_of(const std::vector<const RecordedLaunch*>& launches, std::size_t process,
                     const std::string& mangled) {
  KernelTotal total;
  total.process = process;
  total.mangled = mangled;
  total.name = demangle(mangled).text;
  total.function = short_function_name(total.name);
  std::vector<std::uint64_t> durations;
  durations.reserve(launches.size());
  for (const RecordedLaunch* launch : launches) {
    durations.push_back(duration(*launch));
    total.total_ns += durations.back();
  }
  total.count = launches.size();
  total.min_ns = *std::min_element(durations.begin(), durations.end());
  total.max_ns = *std::max_element(durations.begin(), durations.end());
  total.median_ns = lower_median(durations);
  total.shapes = shapes_of(launches);
  return total;
}

void add_process(const Recording& recording, std::size_t index, KernelTotals& totals) {
  const RecordedProcess& process = recording.processes[index];
  std::vector<std::vector<const RecordedLaunch*>> by_name(process.names.size());
  for (const RecordedLaunch& launch : process.launches) by_name[launch.name].push_back(&launch);
  for (std::size_t name = 0; name < by_name.size(); ++name) {
    if (by_name[name].empty()) continue;
    totals.kernels.push_back(total_of(by_name[name], index, process.names[name]));
    totals.launches += totals.kernels.back().count;
    totals.total_ns += totals.kernels.back().total_ns;
  }
}

void measure_span(const Recording& recording, KernelTotals& totals) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
  times.reserve(totals.launches);
  for (const RecordedProcess& process : recording.processes) {
    for (const RecordedLaunch& launch : process.launches) {
      times.emplace_back(launch.start_ns, launch.end_ns);
    }
  }
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::uint64_t reached = times.front().first;
  for (const auto& [start, end] : times) {
    if (end <= reached) continue;
    totals.busy_ns += end - std::max(start, reached);
    reached = end;
  }
  totals.span_ns = reached - times.front().first;
}

}  // namespace

KernelTotals total_kernels(const Recording& recording) {
  KernelTotals totals;
  for (std::size_t i = 0; i < recording.processes.size(); ++i) add_process(recording, i, totals);
  for (KernelTotal& kernel : totals.kernels) {
    if (totals.total_ns == 0) break;
    kernel.share = static_cast<double>(kernel.total_ns) / static_cast<double>(totals.total_ns);
  }
  std::stable_sort(
      totals.kernels.begin(), totals.kernels.end(),
      [](const KernelTotal& a, const KernelTotal& b) { return a.total_ns > b.total_ns; });
  measure_span(recording, totals);
  return totals;
}

ChosenKernel choose_launch(const Recording& recording, const KernelTotals& totals,
                           std::size_t kernel) {
  const KernelTotal& total = totals.kernels[kernel];
  const std::vector<RecordedLaunch>& launches = recording.processes[total.process].launches;
  const auto& names = recording.processes[total.process].names;
  // The launches of the shape that took most time, as they were called.
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (names[launches[i].name] == total.mangled && launches[i].grid == total.shapes.front().grid &&
        launches[i].block == total.shapes.front().block) {
      candidates.push_back(i);
    }
  }
  std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    return launches[a].invocation < launches[b].invocation;
  });
  std::vector<std::uint64_t> durations;
  durations.reserve(candidates.size());
  for (const std::size_t candidate : candidates) durations.push_back(duration(launches[candidate]));
  const auto typical = static_cast<double>(lower_median(durations));
  const auto distance = [&](std::size_t launch) {
    return std::abs(static_cast<double>(duration(launches[launch])) - typical);
  };

  if (candidates.size() >= kLaunchesWithWarmUp) candidates.erase(candidates.begin());
  // The first that is typical, so that a profiler gets to it soon; else the nearest.
  auto chosen = std::find_if(candidates.begin(), candidates.end(), [&](std::size_t launch) {
    return distance(launch) <= kTypicalDistance * typical;
  });
  if (chosen == candidates.end()) {
    chosen =
        std::min_element(candidates.begin(), candidates.end(),
                         [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  }
  return {kernel, *chosen, launches[*chosen].invocation};
}

std::vector<ChosenKernel> choose_kernels(const Recording& recording, const KernelTotals& totals,
                                         std::size_t most) {
  // Shares are sums of many numbers.
  constexpr double kRounding = 1e-9;
  std::vector<ChosenKernel> chosen;
  std::set<std::string_view> names;
  double covered = 0;
  for (std::size_t i = 0; i < totals.kernels.size(); ++i) {
    const KernelTotal& kernel = totals.kernels[i];
    const bool is_first = chosen.empty();
    if (!is_first && (covered >= kCoveredShare - kRounding || kernel.share < kLeastShare)) break;
    // The same kernel in another process would say the same again.
    const bool is_known = names.count(kernel.mangled) > 0;
    if (!is_known && chosen.size() == most) continue;
    covered += kernel.share;
    if (is_known) continue;
    names.insert(kernel.mangled);
    chosen.push_back(choose_launch(recording, totals, i));
  }
  return chosen;
}

}  // namespace proofline
