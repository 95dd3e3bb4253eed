// SPDX-License-Identifier: Apache-2.0
//
// Finds the launches that belong together and the one that means them.
#include "diagnosis/group.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

// Views into the profile's strings.
using Key = std::tuple<LaunchKind, std::string_view, std::string_view, std::optional<Dim3>,
                       std::optional<Dim3>, std::optional<std::uint32_t>, std::string_view,
                       std::string_view>;

void finish(LaunchGroup& group, const std::vector<std::optional<double>>& durations) {
  group.representative = group.launches.front();
  group.spread.count = group.launches.size();
  std::vector<std::pair<double, std::size_t>> sorted;
  for (const std::size_t position : group.launches) {
    if (durations[position]) sorted.emplace_back(*durations[position], position);
  }
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t lower = (sorted.size() - 1) / 2;
  const std::size_t upper = sorted.size() / 2;
  group.representative = sorted[lower].second;
  group.spread.min_ns = sorted.front().first;
  group.spread.median_ns = sorted[lower].first + (sorted[upper].first - sorted[lower].first) / 2;
  group.spread.max_ns = sorted.back().first;
  group.spread.total_ns = 0;
  for (const auto& [duration, position] : sorted) *group.spread.total_ns += duration;
}

}  // namespace

// Names are looked up once for a profile, not once for a launch.
std::vector<std::optional<double>> launch_durations(const Profile& profile) {
  std::vector<MetricId> ids;
  for (const std::string_view name : kDuration) {
    if (const auto id = profile.metric_names.find(name)) ids.push_back(*id);
  }
  std::vector<std::optional<double>> durations;
  for (const Launch& launch : profile.launches) {
    std::optional<double>& duration = durations.emplace_back();
    for (const MetricId id : ids) {
      const Metric* metric = launch.find(id);
      if (!duration && metric != nullptr) duration = as_number(metric->value);
    }
  }
  return durations;
}

std::vector<LaunchGroup> group_launches(const Profile& profile,
                                        const std::vector<std::size_t>* chosen) {
  const std::vector<std::optional<double>> durations = launch_durations(profile);
  std::vector<LaunchGroup> groups;
  std::map<Key, std::size_t> known;
  std::vector<std::size_t> positions(profile.launches.size());
  std::iota(positions.begin(), positions.end(), 0);
  if (chosen != nullptr) positions = *chosen;
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  for (const std::size_t i : positions) {
    const Launch& launch = profile.launches[i];
    const Key key{launch.kind,
                  launch.name,
                  launch.function,
                  launch.grid,
                  launch.block,
                  launch.device,
                  device_name(profile, launch),
                  launch.compute_capability};
    const auto [entry, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].launches.push_back(i);
  }
  for (LaunchGroup& group : groups) finish(group, durations);
  return groups;
}

}  // namespace proofline
