// SPDX-License-Identifier: Apache-2.0
#include "views/benchmark_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace proofline {
namespace {

constexpr double kConfidence = 0.95;

Cell number_cell(std::optional<double> number) {
  return {number ? fmt::format("{}", *number) : "", true};
}

std::string axes_text(const std::vector<Axis>& axes) {
  Measurement alone;
  alone.axes = axes;
  return configuration_name(alone);
}

}  // namespace

MeasuredTime measured_time(const Measurement& measurement) {
  MeasuredTime result;
  std::vector<double> times;
  std::vector<double> throttled;
  for (const Sample& sample : measurement.samples) {
    (sample.throttled ? throttled : times).push_back(sample.ns);
  }
  result.throttled = throttled.size();
  if (times.empty()) times.swap(throttled);
  result.samples = times.empty() ? measurement.summary_of : times.size();
  if (times.empty()) {
    result.median_ns = measurement.summary_ns;
    return result;
  }
  result.median_ns = median(times);
  const Interval interval = median_interval(times, kConfidence);
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) result.interval = interval;
  if (times.size() > 1 && *result.median_ns > 0) {
    result.spread = robust_spread(times) / *result.median_ns;
  }
  return result;
}

Document compose_benchmark_rows(const BenchmarkSeries& series) {
  Table table;
  for (const char* title : {"side", "benchmark", "implementation", "configuration", "state",
                            "reason", "kind", "ns", "low_ns", "high_ns", "spread", "samples",
                            "throttled", "bytes", "flops", "timed_by", "cache", "stopped"}) {
    table.columns.push_back({title});
  }
  for (const BenchmarkSide& side : series.sides) {
    for (const Measurement& measurement : side.benchmark.measurements) {
      const MeasuredTime time = measured_time(measurement);
      const bool summary = measurement.samples.empty();
      const auto end = [&](double Interval::*bound) {
        return number_cell(time.interval ? std::optional((*time.interval).*bound) : std::nullopt);
      };
      table.rows.push_back({{side.label},
                            {measurement.benchmark},
                            {measurement.implementation},
                            {axes_text(measurement.axes)},
                            {std::string(to_string(measurement.state))},
                            {measurement.reason},
                            {summary ? measurement.summary_kind : "median"},
                            number_cell(time.median_ns),
                            end(&Interval::low),
                            end(&Interval::high),
                            number_cell(time.spread),
                            {std::to_string(time.samples), true},
                            {std::to_string(time.throttled), true},
                            number_cell(measurement.bytes),
                            number_cell(measurement.flops),
                            {std::string(to_string(measurement.timed_by))},
                            {std::string(to_string(measurement.cache))},
                            {std::string(to_string(measurement.stopped))}});
    }
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline
