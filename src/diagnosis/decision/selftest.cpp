// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/selftest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "analysis/measurement/paired_change.h"
#include "base/statistics.h"
#include "diagnosis/decision/decide_configuration.h"

namespace proofline {
namespace {

constexpr std::size_t kStarts[] = {5, 10, 20, 50, 100};
constexpr std::uint64_t kSeed = 20240229;  // any: the same starts are to give the same rate
// Comparisons of all configurations; with many configurations fewer, so that it takes seconds.
constexpr std::size_t kMostComparisons = 2000;
constexpr std::size_t kFewestComparisons = 100;
constexpr std::size_t kMostSingleComparisons = 100'000;

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

// Equal things by construction: pairs drawn with replacement, each as it is or turned round.
// `draws` has one number for each pair, the same for all configurations, which were measured
// together.
bool raises_alarm(const ComparedConfiguration& configuration, std::span<const std::uint64_t> draws,
                  const ChangeOptions& options) {
  const std::size_t pairs = configuration.a_ns.size();
  std::vector<double> a(pairs);
  std::vector<double> b(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t chosen = (draws[i] >> 1U) % pairs;
    a[i] = configuration.a_ns[chosen];
    b[i] = configuration.b_ns[chosen];
    if ((draws[i] & 1U) != 0) std::swap(a[i], b[i]);
  }
  return is_alarm(paired_change(a, b, options).kind);
}

// Wilson's interval of a share.
void add_interval(FalseAlarms& alarms) {
  const double z = normal_quantile(0.975);
  const auto n = static_cast<double>(alarms.comparisons);
  const double centre = (alarms.rate + z * z / (2 * n)) / (1 + z * z / n);
  const double half =
      z / (1 + z * z / n) * std::sqrt(alarms.rate * (1 - alarms.rate) / n + z * z / (4 * n * n));
  // At the ends the two are equal but for rounding.
  alarms.low = alarms.alarms == 0 ? 0 : centre - half;
  alarms.high = alarms.alarms == alarms.comparisons ? 1 : centre + half;
}

FalseAlarms count_false_alarms(const std::vector<ComparedConfiguration>& configurations,
                               const ChangeOptions& options) {
  FalseAlarms result;
  result.promised = 1 - options.confidence;
  result.comparisons = std::clamp(kMostSingleComparisons / configurations.size(),
                                  kFewestComparisons, kMostComparisons);
  std::size_t most_pairs = 0;
  for (const auto& one : configurations) most_pairs = std::max(most_pairs, one.a_ns.size());
  std::mt19937_64 random(kSeed);
  std::vector<std::uint64_t> draws(most_pairs);
  for (std::size_t i = 0; i < result.comparisons; ++i) {
    std::generate(draws.begin(), draws.end(), std::ref(random));
    const bool alarm = std::any_of(
        configurations.begin(), configurations.end(),
        [&](const ComparedConfiguration& one) { return raises_alarm(one, draws, options); });
    if (alarm) ++result.alarms;
  }
  result.rate = static_cast<double>(result.alarms) / static_cast<double>(result.comparisons);
  add_interval(result);
  return result;
}

}  // namespace

StartsNeeded starts_needed(const BenchmarkSeries& pilot, double effect) {
  StartsNeeded result;
  for (std::size_t side = 1; side < pilot.sides.size(); ++side) {
    const auto configurations =
        comparable(pilot.sides.front().benchmark, pilot.sides[side].benchmark);
    ChangeOptions options;
    options.comparisons = std::max<std::size_t>(1, configurations.size());
    for (const ComparedConfiguration& one : configurations) {
      const double spread = paired_change(one.a_ns, one.b_ns, options).spread;
      const std::size_t starts = pairs_to_see(effect, spread, options);
      if (starts <= result.starts) continue;
      result = {starts, spread, configuration_name(one.shown)};
    }
  }
  return result;
}

Result<Selftest> judge_selftest(const BenchmarkSeries& series) {
  const Benchmark& a = series.sides.front().benchmark;
  const Benchmark& b = series.sides.back().benchmark;
  std::vector<ComparedConfiguration> configurations = comparable(a, b);
  if (configurations.empty()) {
    return fail(ErrorKind::kInput,
                "nothing was measured in three starts or more of both sides, so there is nothing "
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
