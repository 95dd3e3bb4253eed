// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/decide_configuration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/measurement/measured_time.h"
#include "base/statistics.h"

namespace proofline {
namespace {

using Implementations = std::map<std::string, std::set<std::string>>;  // of each benchmark

Implementations implementations_of(const Benchmark& benchmark) {
  Implementations result;
  for (const Measurement& one : benchmark.measurements) {
    result[one.benchmark].insert(one.implementation);
  }
  return result;
}

class ConfigurationKeys {
 public:
  using Key =
      std::tuple<std::string, std::string, std::vector<std::pair<std::string, std::string>>>;

  ConfigurationKeys(const Benchmark& a, const Benchmark& b)
      : in_a_(implementations_of(a)), in_b_(implementations_of(b)) {}

  Key operator()(const Measurement& measurement) const {
    std::vector<std::pair<std::string, std::string>> axes;
    axes.reserve(measurement.axes.size());
    for (const Axis& axis : measurement.axes) axes.emplace_back(axis.name, axis.value);
    std::sort(axes.begin(), axes.end());
    const bool alone = is_alone(in_a_, measurement) && is_alone(in_b_, measurement);
    return {measurement.benchmark, alone ? "" : measurement.implementation, std::move(axes)};
  }

 private:
  static bool is_alone(const Implementations& side, const Measurement& measurement) {
    const auto found = side.find(measurement.benchmark);
    return found != side.end() && found->second.size() == 1;
  }

  Implementations in_a_;
  Implementations in_b_;
};

constexpr std::size_t kLeastPairs = 3;
// Stretches into which one run is cut: enough for an interval, few enough that each is long.
constexpr std::size_t kMostStretches = 30;

using Samples = std::vector<const Sample*>;

struct CountedSamples {
  Samples samples;
  std::size_t throttled = 0;
};

CountedSamples counted_samples(const Measurement& measurement) {
  CountedSamples result;
  result.samples.reserve(measurement.samples.size());
  for (const Sample& sample : measurement.samples) {
    if (!std::isfinite(sample.ns) || sample.ns <= 0) continue;
    if (sample.throttled) {
      ++result.throttled;
    } else {
      result.samples.push_back(&sample);
    }
  }
  return result;
}

double median_ns(std::span<const Sample* const> samples) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Sample* sample : samples) values.push_back(sample->ns);
  return median(values);
}

bool has_clock(const Sample& sample) {
  return sample.sm_mhz && std::isfinite(*sample.sm_mhz) && *sample.sm_mhz > 0;
}

std::optional<double> median_mhz(std::span<const Sample* const> samples) {
  std::vector<double> values;
  for (const Sample* sample : samples) {
    if (has_clock(*sample)) values.push_back(*sample->sm_mhz);
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

std::optional<double> median_cycles(std::span<const Sample* const> samples) {
  constexpr double kNsMhz = 1e-3;  // a nanosecond at a megahertz, in cycles
  std::vector<double> values;
  for (const Sample* sample : samples) {
    if (has_clock(*sample)) values.push_back(sample->ns * *sample->sm_mhz * kNsMhz);
  }
  if (values.empty()) return std::nullopt;
  const double middle = median(values);
  return std::isfinite(middle) && middle > 0 ? std::optional(middle) : std::nullopt;
}

std::map<std::uint32_t, Samples> runs_of(const Samples& samples) {
  std::map<std::uint32_t, Samples> runs;
  for (const Sample* sample : samples) runs[sample->run].push_back(sample);
  return runs;
}

void add_pair(std::uint32_t run, std::span<const Sample* const> a, std::span<const Sample* const> b,
              ComparedConfiguration& result) {
  result.runs.push_back(run);
  result.a_ns.push_back(median_ns(a));
  result.b_ns.push_back(median_ns(b));
  const auto a_cycles = median_cycles(a);
  const auto b_cycles = median_cycles(b);
  if (!a_cycles || !b_cycles) return;
  result.a_cycles.push_back(*a_cycles);
  result.b_cycles.push_back(*b_cycles);
}

// False where there are too few runs to pair.
bool pair_runs(const Samples& a, const Samples& b, bool interleaved,
               ComparedConfiguration& result) {
  const std::map<std::uint32_t, Samples> runs_a = runs_of(a);
  const std::map<std::uint32_t, Samples> runs_b = runs_of(b);
  std::vector<std::tuple<std::uint32_t, const Samples*, const Samples*>> pairs;
  if (interleaved) {
    for (const auto& [run, samples] : runs_a) {
      if (const auto other = runs_b.find(run); other != runs_b.end()) {
        pairs.emplace_back(run, &samples, &other->second);
      }
    }
  } else {
    auto other = runs_b.begin();
    for (const auto& [run, samples] : runs_a) {
      if (other == runs_b.end()) break;
      pairs.emplace_back(run, &samples, &other->second);
      ++other;
    }
  }
  if (pairs.size() < kLeastPairs) {
    const bool once = runs_a.size() == 1 && runs_b.size() == 1;
    result.shown.flags.emplace_back(once ? "one-process" : "few-runs");
    return false;
  }
  for (const auto& [run, one, other] : pairs) add_pair(run, *one, *other, result);
  return true;
}

void pair_stretches(const Samples& a, const Samples& b, ComparedConfiguration& result) {
  const std::size_t count = std::min({kMostStretches, a.size(), b.size()});
  const auto stretch = [count](const Samples& samples, std::size_t i) {
    const std::size_t begin = i * samples.size() / count;
    const std::size_t end = (i + 1) * samples.size() / count;
    return std::span(samples).subspan(begin, end - begin);
  };
  for (std::size_t i = 0; i < count; ++i) {
    add_pair(static_cast<std::uint32_t>(i), stretch(a, i), stretch(b, i), result);
  }
}

Obstacle obstacle_to(const Measurement& measurement, const CountedSamples& counted) {
  if (counted.samples.size() >= kLeastPairs) return Obstacle::kNone;
  if (measurement.samples.empty() && measurement.summary_ns) return Obstacle::kSummaryOnly;
  return counted.samples.size() + counted.throttled >= kLeastPairs ? Obstacle::kThrottled
                                                                   : Obstacle::kTooFew;
}

const char* flag_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kNone: break;
    case Obstacle::kSummaryOnly: return "summary-only";
    case Obstacle::kTooFew: return "too-few-samples";
    case Obstacle::kThrottled: return "throttled";
  }
  return "";
}

void add_rates(const MeasurementPair& pair, DecidedConfiguration& shown) {
  const auto rate = [](double work, double ns) { return work / ns * 1e9; };
  const auto add = [&](const std::optional<double>& a, const std::optional<double>& b,
                       const char* unit) {
    if (!a || !b || shown.a_rate) return;
    shown.a_rate = rate(*a, shown.a_ns);
    shown.b_rate = rate(*b, shown.b_ns);
    shown.rate_unit = unit;
  };
  add(pair.a->bytes, pair.b->bytes, "B/s");
  add(pair.a->flops, pair.b->flops, "FLOP/s");
}

// Whether the clock may have made the change, or hidden it. Cycles that are unclear do not speak
// against a time that is the same.
bool disagree(ChangeKind time, ChangeKind cycles) {
  if (time == ChangeKind::kUnclear || time == cycles) return false;
  return time != ChangeKind::kSame || cycles != ChangeKind::kUnclear;
}

bool overlap(const Interval& x, const Interval& y) { return x.low <= y.high && y.low <= x.high; }

// Both say the same, but not by the same amount.
bool is_partly_by_clock(const PairedChange& time, const PairedChange& cycles) {
  const bool changed = time.kind == ChangeKind::kFaster || time.kind == ChangeKind::kSlower;
  return changed && !overlap(time.interval, cycles.interval);
}

// Samples of one start say nothing about the next one.
ChangeKind beyond_other_starts(const PairedChange& change) {
  if (change.interval.high < 1 / (1 + kBetweenStarts)) return ChangeKind::kFaster;
  if (change.interval.low > 1 + kBetweenStarts) return ChangeKind::kSlower;
  return ChangeKind::kUnclear;
}

RatioEstimate estimate_of(const PairedChange& change) {
  return {change.ratio, change.interval.low, change.interval.high};
}

}  // namespace

MeasurementMatching match_measurements(const Benchmark& a, const Benchmark& b, bool force) {
  const ConfigurationKeys key(a, b);
  std::map<ConfigurationKeys::Key, std::deque<const Measurement*>> waiting;
  for (const Measurement& one : b.measurements) waiting[key(one)].push_back(&one);
  MeasurementMatching result;
  std::set<const Measurement*> paired;
  for (const Measurement& one : a.measurements) {
    const auto found = waiting.find(key(one));
    if (found == waiting.end() || found->second.empty()) {
      result.only_in_a.push_back(&one);
      continue;
    }
    result.pairs.push_back({&one, found->second.front()});
    paired.insert(found->second.front());
    found->second.pop_front();
  }
  for (const Measurement& one : b.measurements) {
    if (!paired.contains(&one)) result.only_in_b.push_back(&one);
  }
  if (force && result.only_in_a.size() == 1 && result.only_in_b.size() == 1) {
    result.pairs.push_back({result.only_in_a.front(), result.only_in_b.front()});
    result.only_in_a.clear();
    result.only_in_b.clear();
  }
  return result;
}

ComparedConfiguration pair_samples(const MeasurementPair& pair, bool interleaved) {
  ComparedConfiguration result;
  DecidedConfiguration& shown = result.shown;
  shown.benchmark = pair.b->benchmark;
  shown.implementation_a = pair.a->implementation;
  shown.implementation_b = pair.b->implementation;
  shown.axes = pair.b->axes;
  shown.change = to_string(ChangeKind::kUnclear);
  const CountedSamples a = counted_samples(*pair.a);
  const CountedSamples b = counted_samples(*pair.b);
  shown.throttled = a.throttled + b.throttled;
  result.a_samples = a.samples.size();
  result.b_samples = b.samples.size();
  shown.a_ns = measured_time(*pair.a).median_ns.value_or(0);
  shown.b_ns = measured_time(*pair.b).median_ns.value_or(0);
  result.obstacle = std::max(obstacle_to(*pair.a, a), obstacle_to(*pair.b, b));
  if (result.obstacle != Obstacle::kNone) {
    shown.flags.emplace_back(flag_of(result.obstacle));
    return result;
  }
  add_rates(pair, shown);
  result.a_mhz = median_mhz(a.samples);
  result.b_mhz = median_mhz(b.samples);
  result.by_run = pair_runs(a.samples, b.samples, interleaved, result);
  shown.interleaved = interleaved && result.by_run;
  if (!interleaved) shown.flags.emplace_back("measured-apart");
  if (!result.by_run) pair_stretches(a.samples, b.samples, result);
  // A clock that is known for some pairs alone would compare others than the time does.
  if (result.a_cycles.size() != result.a_ns.size()) {
    result.a_cycles.clear();
    result.b_cycles.clear();
  }
  return result;
}

void compare_samples(const ChangeOptions& options, ComparedConfiguration& configuration) {
  if (configuration.obstacle != Obstacle::kNone) return;
  DecidedConfiguration& shown = configuration.shown;
  const PairedChange time = paired_change(configuration.a_ns, configuration.b_ns, options);
  configuration.kind = configuration.by_run ? time.kind : beyond_other_starts(time);
  shown.time = estimate_of(time);
  shown.pairs = time.pairs;
  shown.pairs_needed = time.pairs_needed;
  shown.flags.insert(shown.flags.end(), time.flags.begin(), time.flags.end());
  if (!configuration.a_cycles.empty()) {
    const PairedChange cycles =
        paired_change(configuration.a_cycles, configuration.b_cycles, options);
    shown.cycles = estimate_of(cycles);
    configuration.cycles_kind = cycles.kind;
    const double clocks = *configuration.b_mhz / *configuration.a_mhz;
    const bool other_clock = std::abs(clocks - 1) > options.threshold;
    if (other_clock && (disagree(time.kind, cycles.kind) || is_partly_by_clock(time, cycles))) {
      configuration.clock_changed = true;
      configuration.kind = ChangeKind::kUnclear;
      shown.flags.emplace_back("clock-changed");
    }
  }
  shown.change = to_string(configuration.kind);
}

}  // namespace proofline
