// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/selftest.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "analysis/measurement/paired_change.h"
#include "base/statistics.h"
#include "diagnosis/decision/decide_configuration.h"

namespace proofline {
namespace {

constexpr std::size_t kStarts[] = {5, 10, 20, 50, 100};
// The configurations that two sides can be compared in.
std::vector<ComparedConfiguration> comparable(const Benchmark& a, const Benchmark& b) {
  std::vector<ComparedConfiguration> result;
  for (const MeasurementPair& pair : match_measurements(a, b, false).pairs) {
    ComparedConfiguration one = pair_samples(pair, true);
    if (one.obstacle == Obstacle::kNone && one.by_run) result.push_back(std::move(one));
  }
  return result;
}

// The last third against the first third, of all that was measured in it.
double drift_of(const ComparedConfiguration& configuration) {
  const std::size_t third = configuration.a_ns.size() / 3;
  if (third == 0) return 0;
  const auto median_from = [&](std::size_t first) {
    std::vector<double> values;
    values.reserve(2 * third);
    for (const auto* side : {&configuration.a_ns, &configuration.b_ns}) {
      const auto begin = side->begin() + static_cast<std::ptrdiff_t>(first);
      values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(third));
    }
    return median(values);
  };
  return median_from(configuration.a_ns.size() - third) / median_from(0) - 1;
}

bool is_alarm(ChangeKind kind) {
  return kind == ChangeKind::kFaster || kind == ChangeKind::kSlower;
}

// The fewest pairs that can report a change at all.
std::size_t window_of(const ChangeOptions& options) {
  const double confidence = 1 - (1 - options.confidence) / static_cast<double>(options.comparisons);
  std::size_t pairs = 1;
  while (values_beyond_interval(pairs, confidence) == 0) ++pairs;
  return pairs;
}

bool raises_alarm(const ComparedConfiguration& one, std::size_t first, std::size_t pairs,
                  const ChangeOptions& options) {
  if (first + pairs > one.a_ns.size()) return false;
  const auto part = [&](const std::vector<double>& values) {
    return std::span(values).subspan(first, pairs);
  };
  return is_alarm(paired_change(part(one.a_ns), part(one.b_ns), options).kind);
}

// In the order in which they ran, so that what lasts for some starts is in one window as it would
// be in one comparison.
FalseAlarms count_false_alarms(const std::vector<ComparedConfiguration>& configurations,
                               const ChangeOptions& options) {
  FalseAlarms result;
  result.promised = 1 - options.confidence;
  result.window = window_of(options);
  std::size_t most_pairs = 0;
  for (const auto& one : configurations) most_pairs = std::max(most_pairs, one.a_ns.size());
  result.comparisons = most_pairs / result.window;
  for (std::size_t i = 0; i < result.comparisons; ++i) {
    const bool alarm = std::any_of(
        configurations.begin(), configurations.end(), [&](const ComparedConfiguration& one) {
          return raises_alarm(one, i * result.window, result.window, options);
        });
    if (alarm) ++result.alarms;
  }
  if (result.comparisons == 0) return result;
  constexpr double kTail = 0.025;
  const std::size_t silent = result.comparisons - result.alarms;
  result.rate = static_cast<double>(result.alarms) / static_cast<double>(result.comparisons);
  if (result.alarms > 0) result.low = least_chance(result.comparisons, result.alarms, kTail);
  if (silent > 0) result.high = 1 - least_chance(result.comparisons, silent, kTail);
  return result;
}

}  // namespace

Result<Selftest> judge_selftest(const BenchmarkSeries& series) {
  const Benchmark& a = series.sides.front().benchmark;
  const Benchmark& b = series.sides.back().benchmark;
  std::vector<ComparedConfiguration> configurations = comparable(a, b);
  if (configurations.empty()) {
    return fail(ErrorKind::kInput,
                "nothing was measured in three runs or more of both sides, so there is nothing "
                "to compare; 'proofline show' lists what is in the run's benchmark.json");
  }
  ChangeOptions options;
  options.comparisons = configurations.size();
  Selftest result;
  result.command = a.command;
  result.machine = a.machine;
  result.false_alarms = count_false_alarms(configurations, options);
  for (const Benchmark* side : {&a, &b}) {
    result.notes.insert(result.notes.end(), side->notes.begin(), side->notes.end());
  }
  for (ComparedConfiguration& one : configurations) {
    SelftestConfiguration& shown = result.configurations.emplace_back();
    shown.spread = paired_change(one.a_ns, one.b_ns, options).spread;
    shown.drift = drift_of(one);
    shown.smallest_visible = smallest_change_seen(one.a_ns.size(), shown.spread, options);
    for (const std::size_t starts : kStarts) {
      shown.detectable.push_back({starts, smallest_change_seen(starts, shown.spread, options)});
    }
    compare_samples(options, one);
    if (is_alarm(one.kind)) ++result.false_alarms.observed;
    result.starts = std::max(result.starts, one.a_ns.size());
    shown.compared = std::move(one.shown);
  }
  return result;
}

}  // namespace proofline
