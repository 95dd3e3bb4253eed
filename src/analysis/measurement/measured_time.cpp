// SPDX-License-Identifier: Apache-2.0
#include "analysis/measurement/measured_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace proofline {
namespace {

constexpr double kConfidence = 0.95;

std::optional<double> median_of_known(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

// Samples of one start are not independent of each other: of several starts, each is one value.
Interval interval_of(const std::map<std::uint32_t, std::vector<double>>& by_run) {
  if (by_run.size() == 1) return median_interval_in_series(by_run.begin()->second, kConfidence);
  std::vector<double> medians;
  medians.reserve(by_run.size());
  for (const auto& [run, times] : by_run) medians.push_back(median(times));
  return median_interval(medians, kConfidence);
}

}  // namespace

MeasuredTime measured_time(const Measurement& measurement) {
  const std::vector<Sample>& samples = measurement.samples;
  MeasuredTime result;
  if (samples.empty()) {
    result.median_ns = measurement.summary_ns;
    result.samples = measurement.summary_of;
    return result;
  }
  result.throttled = static_cast<std::uint64_t>(std::count_if(
      samples.begin(), samples.end(), [](const Sample& sample) { return sample.throttled; }));
  result.throttled_only = result.throttled == samples.size();
  std::vector<double> times;
  std::vector<double> clocks;
  std::vector<double> powers;
  std::map<std::uint32_t, std::vector<double>> by_run;
  times.reserve(samples.size());
  for (const Sample& sample : samples) {
    times.push_back(sample.ns);
    by_run[sample.run].push_back(sample.ns);
    if (sample.sm_mhz) clocks.push_back(*sample.sm_mhz);
    if (sample.watts) powers.push_back(*sample.watts);
  }
  result.samples = times.size();
  result.starts = by_run.size();
  result.median_ns = median(times);
  const Interval interval = interval_of(by_run);
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) result.interval = interval;
  if (times.size() > 1 && *result.median_ns > 0) {
    result.spread = robust_spread(times) / *result.median_ns;
  }
  result.sm_mhz = median_of_known(clocks);
  result.watts = median_of_known(powers);
  return result;
}

}  // namespace proofline
