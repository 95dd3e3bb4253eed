// SPDX-License-Identifier: Apache-2.0
//
// A chart as plain data, and its drawing as SVG: latency or throughput against size with intervals,
// speed-ups, scaling with reference slopes, rooflines with arrows from A to B. Text in it is a
// stranger's and is escaped on the way out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proofline {

enum class Scale { kLinear, kLog };

struct ChartAxis {
  std::string title;  // "sequence length"
  std::string unit;   // "ns", "B/s", "FLOP/s", "" ; ticks get SI prefixes where there is one
  Scale scale = Scale::kLinear;
};

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::optional<double> low;  // of y
  std::optional<double> high;
  std::string label;  // shown when the pointer rests on it, and beside it where `labelled`
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
  bool line = true;       // points are joined
  bool labelled = false;  // with their labels beside them
};

// A line without points: a roof, a slope to compare with, no change.
struct ChartGuide {
  std::string name;
  std::vector<std::pair<double, double>> corners;
};

struct ChartArrow {
  double from_x = 0;
  double from_y = 0;
  double to_x = 0;
  double to_y = 0;
  std::string label;
};

struct Chart {
  std::string title;
  std::string caption;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
  std::vector<ChartGuide> guides;
  std::vector<ChartArrow> arrows;
};

// One SVG file: no script, no outside references, readable on light and dark ground, and to people
// who cannot tell red from green. Points that a log scale cannot show are left out and counted in
// the caption.
std::string draw_svg(const Chart& chart);

}  // namespace proofline
