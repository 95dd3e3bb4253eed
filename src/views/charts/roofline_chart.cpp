// SPDX-License-Identifier: Apache-2.0
//
// The roofline: FLOP per second against FLOP a byte, both as declared, below what memory and
// arithmetic allow; arrows lead from A to B.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/propagate.h"
#include "views/charts/benchmark_charts.h"
#include "views/charts/chart_rows.h"
#include "views/charts/chart_scale.h"

namespace proofline {
namespace {

struct RoofPoint {
  double x = 0;  // FLOP a byte
  double y = 0;  // FLOP per second
};

std::optional<RoofPoint> roof_point(const BenchmarkPoint& point) {
  const auto& [flops, bytes] = std::tie(point.measurement->flops, point.measurement->bytes);
  if (!flops || !bytes || !(*flops > 0) || !(*bytes > 0)) return std::nullopt;
  return RoofPoint{*flops / *bytes, *flops * 1e9 / point.ns};
}

struct RoofSeries {
  std::vector<ChartSeries> series;
  std::string labels;  // the axis whose values are next to the points; "" all of them
};

// Each subject's points, where sizes do not tell them apart.
std::vector<ChartSeries> series_by_subject(const std::vector<const BenchmarkPoint*>& points) {
  std::vector<ChartSeries> all;
  std::map<std::string_view, std::size_t> index;
  for (const BenchmarkPoint* point : points) {
    const auto [at, is_new] = index.emplace(point->subject, all.size());
    if (is_new) all.push_back({point->subject, {}, false, true});
    const RoofPoint place = *roof_point(*point);
    all[at->second].points.push_back(
        {place.x, place.y, {}, {}, axes_text(point->measurement->axes)});
  }
  return all;
}

Result<RoofSeries> series_of(const BenchmarkPoints& points, std::string_view asked_axis) {
  std::vector<ChartRow> rows;
  std::vector<const BenchmarkPoint*> shown;
  for (const BenchmarkPoint& point : points.points) {
    const auto place = roof_point(point);
    if (!place) continue;
    rows.push_back({point.subject, &point.measurement->axes, place->y, {}, {}});
    shown.push_back(&point);
  }
  if (rows.empty()) {
    return fail(ErrorKind::kInput,
                "no measurement declares both its bytes and its floating-point operations");
  }
  auto by_size = chart_rows(rows, asked_axis, "FLOP/s");
  if (!by_size) {
    if (by_size.error().kind == ErrorKind::kUsage) return tl::make_unexpected(by_size.error());
    return RoofSeries{series_by_subject(shown), ""};
  }
  for (std::size_t i = 0; i < by_size->series.size(); ++i) {
    ChartSeries& series = by_size->series[i];
    series.line = false;
    series.labelled = true;
    for (std::size_t j = 0; j < series.points.size(); ++j) {
      ChartPoint& point = series.points[j];
      point.label = chart_value_text(point.x, "");
      point.x = roof_point(*shown[by_size->rows[i][j]])->x;
    }
  }
  return RoofSeries{std::move(by_size->series), by_size->x.title};
}

// Who comes before whom: where there are but two subjects, the first; of two sides, the first
// one's same implementation. Nothing where there are more sides.
std::vector<std::pair<const BenchmarkPoint*, const BenchmarkPoint*>> before_and_after(
    const BenchmarkPoints& points) {
  const bool two = points.subjects.size() == 2;
  std::size_t sides = 0;
  for (const BenchmarkPoint& point : points.points) sides = std::max(sides, point.side + 1);
  if (!two && sides != 2) return {};
  const auto key = [two](const BenchmarkPoint& point) {
    return std::pair<std::string_view, std::string_view>(
        two ? "" : std::string_view(point.measurement->implementation), point.place);
  };
  const auto is_first = [&](const BenchmarkPoint& point) {
    return two ? point.subject == points.subjects.front() : point.side == 0;
  };
  std::map<std::pair<std::string_view, std::string_view>, const BenchmarkPoint*> before;
  for (const BenchmarkPoint& point : points.points) {
    if (is_first(point)) before.emplace(key(point), &point);
  }
  std::vector<std::pair<const BenchmarkPoint*, const BenchmarkPoint*>> pairs;
  for (const BenchmarkPoint& point : points.points) {
    const auto found = before.find(key(point));
    if (!is_first(point) && found != before.end()) pairs.emplace_back(found->second, &point);
  }
  return pairs;
}

std::vector<ChartArrow> arrows_of(const BenchmarkPoints& points) {
  constexpr std::size_t kMostLabels = 12;  // more would hide the points
  std::vector<ChartArrow> arrows;
  for (const auto& [before, after] : before_and_after(points)) {
    const auto from = roof_point(*before);
    const auto to = roof_point(*after);
    if (!from || !to) continue;
    arrows.push_back(
        {from->x, from->y, to->x, to->y, fmt::format("{:.3g}\u00d7", before->ns / after->ns)});
  }
  if (arrows.size() <= kMostLabels) return arrows;
  for (ChartArrow& arrow : arrows) arrow.label.clear();
  return arrows;
}

// Memory allows its rate times the intensity, up to the highest rate of arithmetic.
std::vector<ChartGuide> guides_of(const std::vector<ChartRoof>& roofs, double least_x,
                                  double most_x) {
  double best_memory = 0;
  double best_arithmetic = 0;
  for (const ChartRoof& roof : roofs) {
    double& best = roof.bytes ? best_memory : best_arithmetic;
    best = std::max(best, roof.per_second);
  }
  const bool both = best_memory > 0 && best_arithmetic > 0;
  std::vector<ChartGuide> guides;
  for (const ChartRoof& roof : roofs) {
    if (!(roof.per_second > 0)) continue;
    const double rate = roof.per_second;
    ChartGuide guide{
        fmt::format("{} {}", roof.name, chart_value_text(rate, roof.bytes ? "B/s" : "FLOP/s")), {}};
    if (roof.bytes) {
      const double ridge = both ? best_arithmetic / rate : most_x;
      guide.corners = {{std::min(least_x, ridge), rate * std::min(least_x, ridge)},
                       {ridge, rate * ridge}};
    } else {
      guide.corners = {{both ? rate / best_memory : least_x, rate}, {most_x, rate}};
    }
    guides.push_back(std::move(guide));
  }
  return guides;
}

// With room on both sides of the points, and of the ridges.
std::pair<double, double> intensities(const std::vector<ChartSeries>& all,
                                      const std::vector<ChartRoof>& roofs) {
  double least = all.front().points.front().x;
  double most = least;
  const auto widen = [&](double x) {
    least = std::min(least, x / 4);
    most = std::max(most, x * 4);
  };
  for (const ChartSeries& series : all) {
    for (const ChartPoint& point : series.points) widen(point.x);
  }
  for (const ChartRoof& memory : roofs) {
    for (const ChartRoof& arithmetic : roofs) {
      const bool ridge = memory.bytes && !arithmetic.bytes && memory.per_second > 0;
      if (ridge) widen(arithmetic.per_second / memory.per_second);
    }
  }
  return {least, most};
}

std::string roofs_text(const BenchmarkChartOptions& options) {
  if (options.roofs.empty()) return ". No roofs are known.";
  if (options.roofs_from.empty()) return "; dashed: the roofs that were given.";
  return fmt::format("; dashed: the roofs measured on {}.", options.roofs_from);
}

}  // namespace

Result<Chart> roofline_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options) {
  ASSIGN_OR_RETURN(auto drawn, series_of(points, options.x_axis));
  Chart chart;
  chart.series = std::move(drawn.series);
  chart.arrows = arrows_of(points);
  // One end of an arrow says which configuration it is.
  for (std::size_t i = 1; i < chart.series.size(); ++i) {
    chart.series[i].labelled = chart.arrows.empty();
  }
  const auto [least_x, most_x] = intensities(chart.series, options.roofs);
  chart.guides = guides_of(options.roofs, least_x, most_x);
  chart.x = {"arithmetic intensity (FLOP a byte)", "", Scale::kLog};
  chart.y = {"FLOP per second, higher is better", "FLOP/s", Scale::kLog};
  chart.title = chart_title(points, "roofline");
  std::string words = "Medians; bytes and FLOP as declared";
  if (!drawn.labels.empty()) words += fmt::format("; beside the points: {}", drawn.labels);
  words += roofs_text(options);
  chart.caption = chart_caption(points, words);
  return chart;
}

}  // namespace proofline
