// SPDX-License-Identifier: Apache-2.0
//
// The charts that make sense for measurements: time and rate against size with intervals, speed-up
// against a baseline, growth with slopes to compare with, the roofline with arrows from A to B, and
// of one configuration the distributions. Each benchmark has its own.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"
#include "views/charts/benchmark_points.h"
#include "views/charts/chart.h"

namespace proofline {

enum class ChartKind { kLatency, kThroughput, kSpeedup, kScaling, kRoofline, kDistribution };
constexpr std::array<ChartKind, 6> kChartKinds = {ChartKind::kLatency,  ChartKind::kThroughput,
                                                  ChartKind::kSpeedup,  ChartKind::kScaling,
                                                  ChartKind::kRoofline, ChartKind::kDistribution};
std::string_view to_string(ChartKind kind);

// A measured ceiling of the GPU.
struct ChartRoof {
  std::string name;  // "DRAM", "fp32"
  double per_second = 0;
  bool bytes = false;  // bytes a second; otherwise FLOP a second
};

struct BenchmarkChartOptions {
  std::string x_axis;    // "": the one with the most values
  std::string baseline;  // what a speed-up is against, by its name in charts; "": the first
  // Where the sides were compared: its paired intervals are narrower than those of two medians.
  const Decision* decision = nullptr;
  std::vector<ChartRoof> roofs;
  std::string roofs_from;  // the GPU and when they were measured; "": given by hand
};

struct BenchmarkChart {
  std::string stem;  // for a file's name: "latency", "throughput-bytes-transpose"
  Chart chart;
};

struct BenchmarkCharts {
  std::vector<BenchmarkChart> charts;
  std::vector<std::string> missing;  // what could not be drawn, and why
};

// An error only for an x axis or a baseline that was asked for and is nowhere.
Result<BenchmarkCharts> benchmark_charts(const BenchmarkSeries& series,
                                         const std::vector<ChartKind>& kinds,
                                         const BenchmarkChartOptions& options);

// --- their parts, one function for each kind; kInput where there is nothing to draw

Result<Chart> latency_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options);
enum class RateOf { kBytes, kFlops };
Result<Chart> throughput_chart(const BenchmarkPoints& points, RateOf rate,
                               const BenchmarkChartOptions& options);
Result<Chart> speedup_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options);
Result<Chart> scaling_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options);
Result<Chart> roofline_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options);
Result<Chart> distribution_chart(const BenchmarkPoints& points,
                                 const BenchmarkChartOptions& options);

// "transpose: time of one execution", "Time of one execution"
std::string chart_title(const BenchmarkPoints& points, std::string_view what);
// How it was measured, these words, and what is not shown.
std::string chart_caption(const BenchmarkPoints& points, std::string_view words);

}  // namespace proofline
