// SPDX-License-Identifier: Apache-2.0
//
// What charts show of measurements: for each benchmark the configurations that were timed, each
// with the median of its samples and the interval of that.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "model/measurement/benchmark.h"

namespace proofline {

struct BenchmarkPoint {
  const Measurement* measurement = nullptr;
  std::size_t side = 0;
  std::string subject;  // side and implementation, as far as there are several: "before tiled"
  std::string place;    // the axes: the same for what can be compared
  double ns = 0;        // the median
  std::optional<Interval> interval;
  bool throttled_only = false;  // see analysis/measurement/measured_time.h
};

struct BenchmarkPoints {
  std::string benchmark;
  std::vector<BenchmarkPoint> points;
  std::vector<std::string> subjects;                // in the order of the files
  std::map<std::string_view, std::size_t> omitted;  // why, and how many: "wrong", "skipped"
  // "NVIDIA H200, timed by cuda-graph, cache hot", as far as all agree, and how many are throttled.
  std::string conditions;
};

// One for each benchmark, in the order of the files. The points refer to the series.
std::vector<BenchmarkPoints> benchmark_points(const BenchmarkSeries& series);

}  // namespace proofline
