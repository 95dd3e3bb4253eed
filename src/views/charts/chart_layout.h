// SPDX-License-Identifier: Apache-2.0
//
// Where everything of a chart goes, in pixels: the plot with its scales, the points, and the
// series' names at its right, each as near as there is room to where its line ends. Fonts are not
// known here, so that widths of text are estimates on the safe side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/charts/chart.h"
#include "views/charts/chart_scale.h"

namespace proofline {

struct ChartBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool overlaps(const ChartBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct PlacedPoint {
  double x = 0;
  double y = 0;
  std::optional<double> low;  // the interval's ends; what has no place ends at the plot's edge
  std::optional<double> high;
  const ChartPoint* point = nullptr;
};

struct PlacedSeries {
  const ChartSeries* series = nullptr;
  std::vector<PlacedPoint> points;
  bool dense = false;  // so many points that each of them gets no mark of its own
  std::string name;    // shortened to the room that there is
  double name_y = 0;
};

struct PlacedArrow {
  const ChartArrow* arrow = nullptr;
  double x = 0;  // where it starts
  double y = 0;
  double dx = 0;
  double dy = 0;
};

struct ChartLayout {
  double height = 0;
  ChartBox plot;
  ChartScale x;
  ChartScale y;
  std::vector<std::string> title;
  std::vector<std::string> caption;
  std::vector<PlacedSeries> series;
  std::vector<PlacedArrow> arrows;

  double x_of(double value) const;
  double y_of(double value) const;
};

constexpr double kChartWidth = 820;
constexpr double kChartMargin = 24;
constexpr double kTitleSize = 17;  // of type, in pixels
constexpr double kTextSize = 12;
constexpr double kTitleLine = 23;  // from one line to the next
constexpr double kTextLine = 17;

bool has_place(const Chart& chart, double x, double y);

double text_width(std::string_view text, double size);

ChartLayout lay_out(const Chart& chart);

}  // namespace proofline
