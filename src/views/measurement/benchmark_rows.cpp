// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/benchmark_rows.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "analysis/measurement/measured_time.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// What the time is.
std::string kind_text(const Measurement& measurement, const MeasuredTime& time) {
  if (measurement.samples.empty()) return measurement.summary_kind;
  return time.throttled_only ? "throttled median" : "median";
}

}  // namespace

Document compose_benchmark_rows(const BenchmarkSeries& series) {
  Table table;
  for (const char* title :
       {"side",      "benchmark", "implementation", "configuration", "state",  "reason",
        "kind",      "ns",        "low_ns",         "high_ns",       "spread", "samples",
        "throttled", "bytes",     "flops",          "timed_by",      "cache",  "stopped",
        "sm_mhz",    "watts",     "roof",           "roof_share"}) {
    table.columns.push_back({title});
  }
  for (const BenchmarkSide& side : series.sides) {
    for (const Measurement& measurement : side.benchmark.measurements) {
      const MeasuredTime time = measured_time(measurement);
      const auto end = [&](double Interval::*bound) {
        return number_cell(time.interval ? std::optional((*time.interval).*bound) : std::nullopt);
      };
      table.rows.push_back({{side.label},
                            {measurement.benchmark},
                            {measurement.implementation},
                            {configuration_name("", "", measurement.axes)},
                            {std::string(to_string(measurement.state))},
                            {measurement.reason},
                            {kind_text(measurement, time)},
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
                            {std::string(to_string(measurement.stopped))},
                            number_cell(time.sm_mhz),
                            number_cell(time.watts),
                            {measurement.roof},
                            number_cell(measurement.roof_share)});
    }
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline
