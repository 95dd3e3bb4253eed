// SPDX-License-Identifier: Apache-2.0
#include "views/charts/chart_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace proofline {
namespace {

constexpr double kPlotHeight = 360;
constexpr double kInset = 10;              // between the ends of a scale and the edge of the plot
constexpr std::size_t kMostSeries = 20;    // whose names fit below each other
constexpr std::size_t kMarkedPoints = 64;  // of a series, each with its mark
constexpr std::size_t kMostPoints = 600;   // of a series; of more, those that show
constexpr std::size_t kMostArrows = 200;
constexpr std::size_t kMostCaptionLines = 8;
constexpr std::size_t kNameColumns = 30;

// --- text

// A stranger's text of any length, made visible and broken at spaces; what is left after `most`
// lines is cut.
std::vector<std::string> wrapped(std::string_view raw, double size, std::size_t most) {
  const auto columns =
      static_cast<std::size_t>((kChartWidth - 2 * kChartMargin) / text_width("x", size));
  const std::string visible = elide_middle(escape_terminal(raw), 1000);
  std::vector<std::string> lines;
  std::string line;
  const auto finish = [&] {
    if (!line.empty()) lines.push_back(elide_middle(line, columns));
    line.clear();
  };
  std::string_view rest = visible;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (display_width(line) + 1 + display_width(word) > columns) finish();
    if (!line.empty()) line += ' ';
    line += word;
  }
  finish();
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() += " \u2026";
  }
  return lines;
}

// --- points

struct Extents {
  ChartExtent x;
  ChartExtent y;
  std::size_t left_out = 0;

  explicit Extents(const Chart& chart) : x(chart.x.scale), y(chart.y.scale) {
    for (const ChartSeries& series : chart.series) {
      for (const ChartPoint& point : series.points) add(chart, point);
    }
    const auto stretch = [&](double at_x, double at_y) {
      if (!has_place(chart, at_x, at_y)) return;
      x.stretch(at_x);
      y.stretch(at_y);
    };
    for (const ChartGuide& guide : chart.guides) {
      for (const auto& [at_x, at_y] : guide.corners) stretch(at_x, at_y);
    }
    for (const ChartArrow& arrow : chart.arrows) {
      stretch(arrow.from_x, arrow.from_y);
      stretch(arrow.to_x, arrow.to_y);
    }
    // Where all values are nearly the same, zero would hide how they differ; on the x axis it is
    // only room.
    y.reach_zero(0.75);
    x.reach_zero(0.2);
  }

 private:
  void add(const Chart& chart, const ChartPoint& point) {
    if (!has_place(chart, point.x, point.y)) {
      ++left_out;
      return;
    }
    x.add(point.x);
    y.add(point.y);
    if (point.low) y.stretch(*point.low);
    if (point.high) y.stretch(*point.high);
  }
};

std::vector<PlacedPoint> place_points(const Chart& chart, const ChartSeries& series,
                                      const ChartLayout& layout) {
  const auto end = [&](const std::optional<double>& value) -> std::optional<double> {
    if (!value || !std::isfinite(*value)) return std::nullopt;
    return layout.y_of(*value);
  };
  std::vector<PlacedPoint> points;
  for (const ChartPoint& point : series.points) {
    if (!has_place(chart, point.x, point.y)) continue;
    points.push_back(
        {layout.x_of(point.x), layout.y_of(point.y), end(point.low), end(point.high), &point});
  }
  return points;
}

// Of a line, a column of pixels shows no more than the lowest and the highest of its points.
std::vector<PlacedPoint> thinned_line(const std::vector<PlacedPoint>& points,
                                      const ChartBox& plot) {
  struct Column {
    const PlacedPoint* top = nullptr;
    const PlacedPoint* bottom = nullptr;
  };
  std::vector<Column> columns(static_cast<std::size_t>(plot.width()) + 1);
  for (const PlacedPoint& point : points) {
    Column& column = columns[static_cast<std::size_t>(point.x - plot.left)];
    if (column.top == nullptr || point.y < column.top->y) column.top = &point;
    if (column.bottom == nullptr || point.y > column.bottom->y) column.bottom = &point;
  }
  std::vector<PlacedPoint> kept;
  for (const Column& column : columns) {
    if (column.top != nullptr) kept.push_back(*column.top);
    if (column.top != column.bottom) kept.push_back(*column.bottom);
  }
  return kept;
}

// Of dots, those show that do not are on another one.
std::vector<PlacedPoint> thinned_dots(const std::vector<PlacedPoint>& points,
                                      const ChartBox& plot) {
  constexpr double kDot = 4;
  const auto columns = static_cast<std::size_t>(plot.width() / kDot) + 1;
  std::vector<bool> taken(columns * (static_cast<std::size_t>(plot.height() / kDot) + 1));
  std::vector<PlacedPoint> kept;
  for (const PlacedPoint& point : points) {
    const auto row = static_cast<std::size_t>((point.y - plot.top) / kDot);
    const std::size_t cell = row * columns + static_cast<std::size_t>((point.x - plot.left) / kDot);
    if (!taken[cell]) kept.push_back(point);
    taken[cell] = true;
  }
  return kept;
}

// --- names

// As near to where the lines end as their number allows, in that order.
void spread_names(const ChartBox& plot, std::vector<PlacedSeries>& series) {
  std::vector<PlacedSeries*> order;
  double listed = plot.top;  // points that no line joins end nowhere: their names are a list
  for (PlacedSeries& one : series) {
    one.name_y = one.series->line && !one.points.empty() ? one.points.back().y : listed++;
    order.push_back(&one);
  }
  std::stable_sort(order.begin(), order.end(), [](const PlacedSeries* a, const PlacedSeries* b) {
    return a->name_y < b->name_y;
  });
  double least = plot.top + kTextLine / 2;
  for (PlacedSeries* one : order) {
    one->name_y = std::max(one->name_y, least);
    least = one->name_y + kTextLine;
  }
  double most = plot.bottom - kTextLine / 2;
  std::for_each(order.rbegin(), order.rend(), [&most](PlacedSeries* one) {
    one->name_y = std::min(one->name_y, most);
    most = one->name_y - kTextLine;
  });
}

double widest(const std::vector<ChartTick>& ticks) {
  double width = 0;
  for (const ChartTick& tick : ticks) width = std::max(width, text_width(tick.label, kTextSize));
  return width;
}

// As many ticks as their labels leave room for.
ChartScale fitting_scale(const ChartExtent& extent, std::string_view unit, double width) {
  constexpr std::size_t kMost = 10;
  constexpr std::size_t kLeast = 3;
  for (std::size_t most = kMost; most > kLeast; --most) {
    ChartScale scale(extent, unit, most);
    double nearest = width;
    for (std::size_t i = 1; i < scale.ticks().size(); ++i) {
      const double gap =
          scale.position(scale.ticks()[i].value) - scale.position(scale.ticks()[i - 1].value);
      nearest = std::min(nearest, gap * width);
    }
    if (nearest > widest(scale.ticks()) + 1.2 * kTextSize) return scale;
  }
  return {extent, unit, kLeast};
}

std::vector<PlacedArrow> place_arrows(const Chart& chart, const ChartLayout& layout) {
  std::vector<PlacedArrow> arrows;
  for (std::size_t i = 0; i < std::min(chart.arrows.size(), kMostArrows); ++i) {
    const ChartArrow& arrow = chart.arrows[i];
    if (!has_place(chart, arrow.from_x, arrow.from_y)) continue;
    if (!has_place(chart, arrow.to_x, arrow.to_y)) continue;
    const double x = layout.x_of(arrow.from_x);
    const double y = layout.y_of(arrow.from_y);
    arrows.push_back({&arrow, x, y, layout.x_of(arrow.to_x) - x, layout.y_of(arrow.to_y) - y});
  }
  return arrows;
}

std::string whole_caption(const Chart& chart, std::size_t left_out) {
  std::string caption = chart.caption;
  const auto add = [&](const std::string& sentence) {
    if (!caption.empty()) caption += ' ';
    caption += sentence;
  };
  const bool log = chart.x.scale == Scale::kLog || chart.y.scale == Scale::kLog;
  if (left_out > 0) {
    add(fmt::format(
        "{} not shown: {}.", plural(left_out, "point"),
        log ? "a log scale has no place for what is not above zero" : "not a finite number"));
  }
  if (chart.series.size() > kMostSeries) {
    add(fmt::format("{} more series not shown.", group_digits(chart.series.size() - kMostSeries)));
  }
  if (chart.arrows.size() > kMostArrows) {
    add(plural(chart.arrows.size() - kMostArrows, "more arrow") + " not shown.");
  }
  return caption;
}

}  // namespace

bool has_place(const Chart& chart, double x, double y) {
  return ChartExtent::can_show(x, chart.x.scale) && ChartExtent::can_show(y, chart.y.scale);
}

double text_width(std::string_view text, double size) {
  constexpr double kWidthOfType = 0.6;  // of a wide sans, on average
  return static_cast<double>(display_width(text)) * kWidthOfType * size;
}

double ChartLayout::x_of(double value) const {
  return plot.left + kInset + x.position(value) * (plot.width() - 2 * kInset);
}

double ChartLayout::y_of(double value) const {
  return plot.bottom - kInset - y.position(value) * (plot.height() - 2 * kInset);
}

ChartLayout lay_out(const Chart& chart) {
  constexpr std::size_t kMostRows = 8;
  const Extents extents(chart);
  const std::size_t shown = std::min(chart.series.size(), kMostSeries);
  std::vector<PlacedSeries> series(shown);
  double names_width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    series[i].series = &chart.series[i];
    series[i].name = elide_middle(escape_terminal(chart.series[i].name), kNameColumns);
    names_width = std::max(names_width, text_width(series[i].name, kTextSize));
  }
  ChartScale y(extents.y, chart.y.unit, kMostRows);
  ChartBox plot;
  const std::vector<std::string> title = wrapped(chart.title, kTitleSize, 2);
  plot.left = kChartMargin + widest(y.ticks()) + 10;
  plot.right = kChartWidth - kChartMargin - (names_width > 0 ? names_width + 28 : 10);
  plot.top = kChartMargin + kTitleLine * static_cast<double>(title.size()) + 24;
  plot.bottom = plot.top + kPlotHeight;
  ChartScale x = fitting_scale(extents.x, chart.x.unit, plot.width() - 2 * kInset);
  ChartLayout layout{0,
                     plot,
                     std::move(x),
                     std::move(y),
                     title,
                     wrapped(whole_caption(chart, extents.left_out), kTextSize, kMostCaptionLines),
                     std::move(series),
                     {}};
  for (PlacedSeries& one : layout.series) {
    one.points = place_points(chart, *one.series, layout);
    one.dense = one.points.size() > kMarkedPoints;
    if (one.points.size() <= kMostPoints) continue;
    one.points = one.series->line ? thinned_line(one.points, plot) : thinned_dots(one.points, plot);
  }
  layout.arrows = place_arrows(chart, layout);
  spread_names(plot, layout.series);
  layout.height = plot.bottom + 52 + kTextLine * static_cast<double>(layout.caption.size()) + 12;
  return layout;
}

}  // namespace proofline
