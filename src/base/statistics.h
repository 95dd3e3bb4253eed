// SPDX-License-Identifier: Apache-2.0
//
// Robust statistics of plain numbers. Nothing here knows what was measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace proofline {

// By linear interpolation between order statistics; `share` 0 to 1. Not of an empty span.
double quantile(std::span<const double> values, double share);
double median(std::span<const double> values);
// Median absolute deviation times 1.4826: the standard deviation, where the values are normal.
double robust_spread(std::span<const double> values);
// The median deviation says nothing about the other half of the values: where a clock has two
// speeds, those are far off. So this is the spread above or the deviation that holds four values of
// five, whichever is larger, each as the standard deviation of a normal distribution.
double cautious_spread(std::span<const double> values);

// Of the standard normal distribution.
double normal_quantile(double probability);

struct Interval {
  double low = 0;
  double high = 0;
};

// An interval that holds the median of the distribution behind `values` with at least this
// confidence, whatever that distribution: between two order statistics, so the same values give the
// same interval. Unbounded (infinities) where there are too few for that confidence.
Interval median_interval(std::span<const double> values, double confidence);

}  // namespace proofline
