// SPDX-License-Identifier: Apache-2.0
#include "readers/read_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/propagate.h"
#include "readers/format.h"
#include "vocabulary/metric_names.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {

bool ReadOptions::wants_instances(std::string_view metric) const {
  return instances || (pc_samples && is_stall_sample(metric)) ||
         std::find(instances_of.begin(), instances_of.end(), metric) != instances_of.end();
}

namespace {

// Metrics proper have a dot in their names; attributes of the device may be -1 for "none". Nearly
// every capture has percentages a hair below zero: a difference of two equal counters.
bool is_worth_a_note(const MetricName& metric, const Value& value) {
  constexpr double kHair = -1;
  const auto* real = std::get_if<double>(&value);
  return real != nullptr && *real <= kHair && metric.name.find('.') != std::string::npos;
}

void note_negative_metrics(Profile& profile) {
  std::uint64_t count = 0;
  std::set<MetricId> ids;
  for (const Launch& launch : profile.launches) {
    for (const Metric& metric : launch.metrics) {
      if (!is_worth_a_note(profile.metric_names[metric.id], metric.value)) continue;
      ++count;
      ids.insert(metric.id);
    }
  }
  if (count == 0) return;
  const std::string others =
      ids.size() > 1 ? fmt::format(" and {} more", ids.size() - 1) : std::string();
  profile.notes.push_back({NoteKind::kInfo, "",
                           fmt::format("metrics below zero are taken as not measured: {}{}",
                                       profile.metric_names[*ids.begin()].name, others),
                           count});
}

// Nothing takes no time, or less; and no launch lasts a week.
bool is_impossible_duration(const Value& value) {
  constexpr double kWeekNs = 7 * 24 * 3600e9;
  if (const auto* real = std::get_if<double>(&value)) return !(*real > 0 && *real <= kWeekNs);
  const auto* whole = std::get_if<std::uint64_t>(&value);
  return whole != nullptr && (*whole == 0 || static_cast<double>(*whole) > kWeekNs);
}

// Otherwise they would enter medians and totals.
void drop_impossible_durations(Profile& profile) {
  std::uint64_t count = 0;
  for (const std::string_view name : kDuration) {
    const auto id = profile.metric_names.find(name);
    if (!id) continue;
    for (Launch& launch : profile.launches) {
      const auto metric = std::find_if(launch.metrics.begin(), launch.metrics.end(),
                                       [&](const Metric& one) { return one.id == *id; });
      if (metric == launch.metrics.end() || !is_impossible_duration(metric->value)) continue;
      metric->value = std::monostate();
      ++count;
    }
  }
  if (count == 0) return;
  profile.notes.push_back(
      {NoteKind::kLoss, "", "durations are zero, negative or above a week: left out", count});
}

}  // namespace

Result<Profile> read_profile(Input& input, const ReadOptions& options) {
  ASSIGN_OR_RETURN(const Format* format, identify(input, {InputKind::kProfile}));
  Profile profile;
  profile.path = input.name();
  profile.format = format->name;
  RETURN_IF_ERROR(format->read_profile(input, options, profile));
  RETURN_IF_ERROR(input.finish());
  drop_impossible_durations(profile);
  note_negative_metrics(profile);
  return profile;
}

Result<Profile> read_profile(const std::string& path, const ReadOptions& options,
                             const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  return read_profile(input, options);
}

}  // namespace proofline
