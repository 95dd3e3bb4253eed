// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/decide_configuration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>
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
// Fewer runs than these bound no median at 95 %.
constexpr std::size_t kLeastRunsApart = 6;
// Stretches into which samples are cut: enough for an interval, few enough that each is long.
constexpr std::size_t kMostStretches = 30;
// Shares of throttled samples that differ by more are no accident of a few samples.
constexpr double kUnequalThrottling = 0.1;
// From here on a side ran at the power limit, not now and then.
constexpr double kMostlyThrottled = 0.5;
// The slow end: what nine in ten stay below.
constexpr std::size_t kUpperOneIn = 10;
constexpr double kUpperShare = 0.9;
// Differences of means and slow ends below this are not worth a word; a timer's own steps are of
// that size.
constexpr double kWorthNaming = 0.02;

using Samples = std::vector<const Sample*>;

Samples usable_samples(const Measurement& measurement) {
  Samples result;
  result.reserve(measurement.samples.size());
  for (const Sample& sample : measurement.samples) {
    if (std::isfinite(sample.ns) && sample.ns > 0) result.push_back(&sample);
  }
  return result;
}

std::size_t throttled_among(const Samples& samples) {
  return static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(),
                                                [](const Sample* one) { return one->throttled; }));
}

std::vector<double> times_of(std::span<const Sample* const> samples) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Sample* sample : samples) values.push_back(sample->ns);
  return values;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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
  const std::vector<double> a_times = times_of(a);
  const std::vector<double> b_times = times_of(b);
  result.runs.push_back(run);
  result.a_ns.push_back(median(a_times));
  result.b_ns.push_back(median(b_times));
  result.a_means.push_back(mean_of(a_times));
  result.b_means.push_back(mean_of(b_times));
  result.a_upper.push_back(quantile(a_times, kUpperShare));
  result.b_upper.push_back(quantile(b_times, kUpperShare));
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
  result.starts = pairs.size();
  if (pairs.size() < (interleaved ? kLeastPairs : kLeastRunsApart)) {
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

// Two numbers that programs say of themselves. Their interval is what equal programs may differ by.
void pair_summaries(ComparedConfiguration& result) {
  DecidedConfiguration& shown = result.shown;
  result.of_summaries = true;
  shown.flags.emplace_back("summary-only");
  shown.margin = kBetweenStarts;
  shown.pairs = 1;
  const double ratio = shown.b_ns / shown.a_ns;
  shown.time = {ratio, ratio / (1 + kBetweenStarts), ratio * (1 + kBetweenStarts)};
}

bool is_summary(const Measurement& measurement) {
  return measurement.samples.empty() && measurement.summary_ns.has_value();
}

bool is_too_few(const Measurement& measurement, const Samples& samples) {
  if (!is_summary(measurement)) return samples.size() < kLeastPairs;
  return measurement.summary_of > 0 && measurement.summary_of < kLeastPairs;
}

void add_medians(const MeasurementPair& pair, DecidedConfiguration& shown) {
  const MeasuredTime a = measured_time(*pair.a);
  const MeasuredTime b = measured_time(*pair.b);
  shown.a_ns = a.median_ns.value_or(0);
  shown.b_ns = b.median_ns.value_or(0);
  if (a.watts && b.watts) {
    shown.a_watts = a.watts;
    shown.b_watts = b.watts;
  }
  if (pair.a->peak_memory_bytes && pair.b->peak_memory_bytes) {
    shown.a_peak_bytes = pair.a->peak_memory_bytes;
    shown.b_peak_bytes = pair.b->peak_memory_bytes;
  }
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

// Whether the clock, B's over A's, may have made the change, or hidden it: where it went the same
// way, cycles must show the change too, and not one too small to matter. That they are unclear does
// not speak against a time that is the same.
bool disagree(const PairedChange& time, const PairedChange& cycles, double clocks) {
  const bool same = cycles.kind == ChangeKind::kSame;
  switch (time.kind) {
    case ChangeKind::kFaster: return clocks > 1 && (same || !(cycles.interval.high < 1));
    case ChangeKind::kSlower: return clocks < 1 && (same || !(cycles.interval.low > 1));
    case ChangeKind::kSame:
      return cycles.kind == ChangeKind::kFaster || cycles.kind == ChangeKind::kSlower;
    case ChangeKind::kUnclear: break;
  }
  return false;
}

bool is_throttled_unequally(const DecidedConfiguration& shown) {
  return std::abs(shown.a_throttled - shown.b_throttled) > kUnequalThrottling;
}

void add_throttling(const Samples& a, const Samples& b, DecidedConfiguration& shown) {
  const std::size_t in_a = throttled_among(a);
  const std::size_t in_b = throttled_among(b);
  shown.throttled = in_a + in_b;
  if (shown.throttled == 0) return;
  shown.a_throttled = static_cast<double>(in_a) / static_cast<double>(a.size());
  shown.b_throttled = static_cast<double>(in_b) / static_cast<double>(b.size());
  if (is_throttled_unequally(shown)) {
    shown.flags.emplace_back("throttled-unequally");
  } else if (std::min(shown.a_throttled, shown.b_throttled) >= kMostlyThrottled) {
    shown.flags.emplace_back("at-the-power-limit");
  }
}

// By more than its own error, as the pairs show it, and worth naming.
bool is_slower_on_average(const ComparedConfiguration& one, double ratio, double worth) {
  const double mean_a = mean_of(one.a_means);
  double squares = 0;
  for (std::size_t i = 0; i < one.a_means.size(); ++i) {
    const double residual = (one.b_means[i] - ratio * one.a_means[i]) / mean_a;
    squares += residual * residual;
  }
  const auto pairs = static_cast<double>(one.a_means.size());
  const double error = std::sqrt(squares / (pairs * (pairs - 1)));
  return ratio - 1 > std::max(worth, error);
}

// One start in ten of B, or more, is slower than every start of A.
bool is_slower_at_the_end(const ComparedConfiguration& one, double worth) {
  const double slowest = (1 + worth) * *std::max_element(one.a_upper.begin(), one.a_upper.end());
  const auto beyond = static_cast<std::size_t>(std::count_if(
      one.b_upper.begin(), one.b_upper.end(), [&](double ns) { return ns > slowest; }));
  return beyond > 0 && beyond * kUpperOneIn >= one.b_upper.size();
}

// Throttling takes clocks away, not cycles: a change of both is none that it made.
bool may_throttling_explain(const ComparedConfiguration& one) {
  return is_throttled_unequally(one.shown) &&
         (one.kind == ChangeKind::kUnclear || one.cycles_kind != one.kind);
}

// A median does not see what half of the samples do, so that mean and slow end are next to it.
void compare_tails(double threshold, ComparedConfiguration& one) {
  const double worth = std::max(kWorthNaming, threshold);
  DecidedConfiguration& shown = one.shown;
  const double mean_ratio = mean_of(one.b_means) / mean_of(one.a_means);
  shown.mean_ratio = mean_ratio;
  shown.upper_ratio = quantile(one.b_upper, kUpperShare) / quantile(one.a_upper, kUpperShare);
  if (one.kind != ChangeKind::kFaster && one.kind != ChangeKind::kSame && !one.not_slower) return;
  if (may_throttling_explain(one)) {
    one.contradiction = Contradiction::kThrottling;
  } else if (is_slower_on_average(one, mean_ratio, worth)) {
    one.contradiction = Contradiction::kMean;
    shown.flags.emplace_back("slower-mean");
  } else if (is_slower_at_the_end(one, worth)) {
    one.contradiction = Contradiction::kUpper;
    shown.flags.emplace_back("slower-end");
  }
}

ChangeKind kind_of_summaries(const RatioEstimate& time, double threshold) {
  if (time.high < 1 / (1 + threshold)) return ChangeKind::kFaster;
  if (time.low > 1 + threshold) return ChangeKind::kSlower;
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
  const Samples a = usable_samples(*pair.a);
  const Samples b = usable_samples(*pair.b);
  result.a_samples = a.size();
  result.b_samples = b.size();
  add_medians(pair, shown);
  add_throttling(a, b, shown);
  if (is_too_few(*pair.a, a) || is_too_few(*pair.b, b)) {
    result.obstacle = Obstacle::kTooFew;
    shown.flags.emplace_back("too-few-samples");
    return result;
  }
  add_rates(pair, shown);
  if (is_summary(*pair.a) || is_summary(*pair.b)) {
    pair_summaries(result);
    return result;
  }
  result.a_mhz = median_mhz(a);
  result.b_mhz = median_mhz(b);
  result.by_run = pair_runs(a, b, interleaved, result);
  shown.interleaved = interleaved && result.by_run;
  if (interleaved && !result.by_run) {
    result.obstacle = Obstacle::kTooFewStarts;
    return result;
  }
  if (!interleaved) {
    shown.flags.emplace_back("measured-apart");
    shown.margin = result.by_run ? kBetweenMeasurements : kBetweenStarts;
  }
  if (!result.by_run) pair_stretches(a, b, result);
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
  if (configuration.of_summaries) {
    configuration.kind = kind_of_summaries(shown.time, options.threshold);
    shown.change = to_string(configuration.kind);
    return;
  }
  ChangeOptions with_margin = options;
  with_margin.margin = shown.margin;
  const PairedChange time = paired_change(configuration.a_ns, configuration.b_ns, with_margin);
  configuration.kind = time.kind;
  configuration.time_kind = time.kind;
  configuration.not_slower = time.not_slower;
  shown.time = estimate_of(time);
  shown.pairs = time.pairs;
  shown.pairs_needed = time.pairs_needed;
  shown.flags.insert(shown.flags.end(), time.flags.begin(), time.flags.end());
  if (!configuration.a_cycles.empty()) {
    const PairedChange cycles =
        paired_change(configuration.a_cycles, configuration.b_cycles, with_margin);
    shown.cycles = estimate_of(cycles);
    configuration.cycles_kind = cycles.kind;
    const double clocks = *configuration.b_mhz / *configuration.a_mhz;
    const bool other_clock = std::abs(clocks - 1) > options.threshold;
    if (other_clock && disagree(time, cycles, clocks)) {
      configuration.clock_changed = true;
      configuration.kind = ChangeKind::kUnclear;
      shown.flags.emplace_back("clock-changed");
    }
  }
  compare_tails(options.threshold, configuration);
  if (configuration.contradiction != Contradiction::kNone) {
    configuration.kind = ChangeKind::kUnclear;
    configuration.not_slower = false;
  }
  shown.change = to_string(configuration.kind);
}

}  // namespace proofline
