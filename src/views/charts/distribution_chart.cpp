// SPDX-License-Identifier: Apache-2.0
//
// How the times of one configuration are spread, without an axis to plot against: for each side the
// share of its samples that took at most so long. What lies further left is faster; a steep line is
// a steady one; where lines cross, neither is always the faster.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "views/charts/benchmark_charts.h"
#include "views/charts/chart_rows.h"

namespace proofline {
namespace {

// A picture shows no more of a line than this.
constexpr std::size_t kMostCurveSteps = 400;
// Fewer samples are no distribution.
constexpr std::size_t kFewestSamples = 3;

// From the fastest sample to the slowest, in steps.
ChartSeries distribution_of(const BenchmarkPoint& point) {
  std::vector<double> times;
  times.reserve(point.measurement->samples.size());
  for (const Sample& sample : point.measurement->samples) times.push_back(sample.ns);
  std::sort(times.begin(), times.end());
  ChartSeries series{point.subject.empty() ? "all" : point.subject, {}};
  const std::size_t step = std::max<std::size_t>(1, times.size() / kMostCurveSteps);
  const auto count = static_cast<double>(times.size());
  double share = 0;
  for (std::size_t i = 0; i < times.size(); i += step) {
    const std::size_t last = std::min(i + step, times.size()) - 1;
    series.points.push_back({times[last], 100 * share, {}, {}, ""});
    share = static_cast<double>(last + 1) / count;
    series.points.push_back({times[last], 100 * share, {}, {}, ""});
  }
  return series;
}

}  // namespace

Result<Chart> distribution_chart(const BenchmarkPoints& points,
                                 const BenchmarkChartOptions& /*options*/) {
  std::set<std::string_view> places;
  for (const BenchmarkPoint& point : points.points) places.insert(point.place);
  if (places.size() > 1) {
    return fail(ErrorKind::kInput,
                fmt::format("it is drawn of one configuration, and there are {}", places.size()));
  }
  Chart chart;
  for (const BenchmarkPoint& point : points.points) {
    if (point.measurement->samples.size() < kFewestSamples) continue;
    chart.series.push_back(distribution_of(point));
  }
  if (chart.series.empty()) {
    return fail(ErrorKind::kInput, "no measurement has three samples or more");
  }
  std::vector<double> times;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) times.push_back(point.x);
  }
  chart.x = {"time of one execution, left is faster", "ns",
             spans(times, 20) ? Scale::kLog : Scale::kLinear};
  chart.y = {"samples that took at most so long", "%"};
  chart.title = chart_title(points, "distribution of times");
  chart.caption = chart_caption(points, "Every sample counts, throttled ones too.");
  return chart;
}

}  // namespace proofline
