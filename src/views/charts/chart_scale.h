// SPDX-License-Identifier: Apache-2.0
//
// From numbers to places on a chart's axis: the range that is shown, round values to mark in it
// (1, 2, 5 times powers of ten; decades or powers of two on a log scale), and their words, with SI
// prefixes: "1.2 TB/s", "250 µs", "16 Ki".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "views/charts/chart.h"

namespace proofline {

struct ChartTick {
  double value = 0;
  std::string label;
};

// What an axis has to show. `add` leaves out what its scale has no place for.
class ChartExtent {
 public:
  explicit ChartExtent(Scale scale) : scale_(scale) {}

  // Finite, not at the edge of what a double holds, and positive on a log scale.
  static bool can_show(double value, Scale scale);
  void add(double value);
  // For what is drawn beside the data: the range holds it too.
  void stretch(double value);
  // Starts at zero where all is above it and the lowest is below this share of the highest: lengths
  // can then be compared by eye. A log scale has no zero.
  void reach_zero(double below_share);

  Scale scale() const { return scale_; }
  bool is_empty() const { return empty_; }
  double low() const { return low_; }
  double high() const { return high_; }
  // Sizes mostly are; their log axis is marked in these then.
  bool is_powers_of_two() const { return 2 * powers_of_two_ > values_; }

 private:
  Scale scale_;
  bool empty_ = true;
  double low_ = 0;
  double high_ = 0;
  std::size_t values_ = 0;
  std::size_t powers_of_two_ = 0;
};

class ChartScale {
 public:
  // The range from the first tick to the last holds all of the extent. There are at most
  // `most_ticks`, which is 3 or more; none for an empty extent.
  ChartScale(const ChartExtent& extent, std::string_view unit, std::size_t most_ticks);

  // 0 at the low end of the range, 1 at the high end; values outside are taken to the nearer end.
  double position(double value) const;
  const std::vector<ChartTick>& ticks() const { return ticks_; }

 private:
  double place(double value) const;

  bool log_;
  double low_ = 0;
  double high_ = 1;
  std::vector<ChartTick> ticks_;
};

// Four significant digits with the unit's prefix: 12345 ns is "12.35 µs", 1.5 x is "1.5×".
std::string chart_value_text(double value, std::string_view unit);

}  // namespace proofline
