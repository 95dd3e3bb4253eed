// SPDX-License-Identifier: Apache-2.0
//
// Numbers of configurations as series of a chart: which axis of the configurations is the chart's
// x, and which of the others tell one series from another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "views/charts/chart.h"

namespace proofline {

struct ChartRow {
  std::string subject;                      // whose number it is: "tiled", "before tiled"
  const std::vector<Axis>* axes = nullptr;  // of the configuration
  double y = 0;
  std::optional<double> low;
  std::optional<double> high;
};

struct RowChart {
  ChartAxis x;
  std::vector<ChartSeries> series;             // each in the order of x
  std::vector<std::vector<std::size_t>> rows;  // of each series' points
};

// The x axis is the one asked for or else, of those that are a number in every row, the one with
// the most values. Axes that follow from it (M = N) tell nothing; the others that vary are part of
// the series' names. kInput where no axis will do, with those that there are.
Result<RowChart> chart_rows(const std::vector<ChartRow>& rows, std::string_view asked_axis,
                            std::string_view y_unit);

// "M=8192 N=8192"
std::string axes_text(const std::vector<Axis>& axes);

// Whether values are so far apart that only a log scale shows all of them.
bool spans(const std::vector<double>& values, double factor);

}  // namespace proofline
