// SPDX-License-Identifier: Apache-2.0
//
// How the time grows: log on both axes, so that a power of the size is a straight line, with the
// slopes to compare with that come nearest to what was measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "views/charts/benchmark_charts.h"
#include "views/charts/chart_scale.h"

namespace proofline {
namespace {

struct Growth {
  std::string_view name;  // with n for the size
  double (*of)(double n);
};

constexpr std::array<Growth, 5> kGrowths = {{
    {"constant", [](double) { return 1.0; }},
    {"n", [](double n) { return n; }},
    // As in sorting; below two the logarithm would vanish.
    {"n log n", [](double n) { return n * std::log2(std::max(n, 2.0)); }},
    {"n\u00b2", [](double n) { return n * n; }},
    {"n\u00b3", [](double n) { return n * n * n; }},
}};

// The power of n that the growth looks like between two sizes.
double exponent_of(const Growth& growth, double from, double to) {
  return std::log(growth.of(to) / growth.of(from)) / std::log(to / from);
}

struct Trend {
  const ChartPoint* from = nullptr;
  const ChartPoint* to = nullptr;
  double exponent = 0;
};

// Over the larger sizes: the small ones are all overhead.
Trend trend_of(const ChartSeries& series) {
  Trend trend;
  const std::size_t half = series.points.size() / 2;
  trend.to = &series.points.back();
  trend.from = &series.points[half == 0 ? 0 : half - 1];
  trend.exponent = std::log(trend.to->y / trend.from->y) / std::log(trend.to->x / trend.from->x);
  return trend;
}

// The nearest one, and the nearest on its other side: what was measured is between them.
std::vector<const Growth*> growths_round(const Trend& trend) {
  const Growth* below = nullptr;
  const Growth* above = nullptr;
  for (const Growth& growth : kGrowths) {
    const double exponent = exponent_of(growth, trend.from->x, trend.to->x);
    if (exponent <= trend.exponent) below = &growth;
    if (exponent > trend.exponent && above == nullptr) above = &growth;
  }
  std::vector<const Growth*> growths;
  for (const Growth* growth : {below, above}) {
    if (growth != nullptr) growths.push_back(growth);
  }
  return growths;
}

// From the largest size down, as far as the chart's values go.
ChartGuide guide_of(const Growth& growth, const ChartPoint& anchor, double least_x,
                    double least_y) {
  constexpr int kSteps = 32;
  ChartGuide guide{fmt::format("\u221d {}", growth.name), {}};
  if (growth.name == "constant") guide.name = growth.name;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = anchor.x * std::pow(least_x / anchor.x, static_cast<double>(i) / kSteps);
    const double y = anchor.y * growth.of(x) / growth.of(anchor.x);
    if (y < least_y) break;
    guide.corners.emplace_back(x, y);
  }
  return guide;
}

}  // namespace

Result<Chart> scaling_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options) {
  auto chart = latency_chart(points, options);
  if (!chart) return chart;
  chart->y.title = "time of one execution, lower is better";
  chart->x.scale = Scale::kLog;
  chart->y.scale = Scale::kLog;
  double least_x = std::numeric_limits<double>::infinity();
  double least_y = std::numeric_limits<double>::infinity();
  const ChartSeries* longest = nullptr;
  for (const ChartSeries& series : chart->series) {
    for (const ChartPoint& point : series.points) {
      if (!(point.x > 0)) continue;
      least_x = std::min(least_x, point.x);
      least_y = std::min(least_y, point.y);
    }
    const bool grows =
        series.points.front().x > 0 && series.points.back().x > series.points.front().x;
    if (grows && (longest == nullptr || series.points.size() > longest->points.size())) {
      longest = &series;
    }
  }
  if (longest == nullptr) {
    return fail(ErrorKind::kInput, "no implementation was measured at two sizes above zero");
  }
  const Trend trend = trend_of(*longest);
  if (!std::isfinite(trend.exponent)) {
    return fail(ErrorKind::kInput, "the two largest sizes are the same");
  }
  std::string shown;
  for (const Growth* growth : growths_round(trend)) {
    shown += fmt::format("{}{}", shown.empty() ? "" : ", ", growth->name);
    chart->guides.push_back(guide_of(*growth, *trend.to, least_x, least_y));
  }
  const std::string name = elide_middle(to_valid_utf8(longest->name), 40);
  chart->title = chart_title(points, "how the time grows");
  chart->caption = chart_caption(
      points,
      fmt::format("Medians. From {} to {} the time{}{} grows with n to the power {:.2f}; dashed, "
                  "through its last point: the slopes next to that ({}).",
                  chart_value_text(trend.from->x, ""), chart_value_text(trend.to->x, ""),
                  name.empty() ? "" : " of ", name, trend.exponent, shown));
  return chart;
}

}  // namespace proofline
