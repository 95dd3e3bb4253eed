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
// The middle value; of an even count the lower one of the two, so that it is one of the values.
// Reorders them. Not of an empty span.
double lower_median(std::span<double> values);
std::int64_t lower_median(std::span<std::int64_t> values);
std::uint64_t lower_median(std::span<std::uint64_t> values);
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

// An interval that holds the median of the distribution after `values` with at least this
// confidence, whatever that distribution: between two order statistics, so the same values give the
// same interval. Unbounded (infinities) where there are too few for that confidence.
Interval median_interval(std::span<const double> values, double confidence);

// The same for values that are looked at again and again while they grow in number: all the
// intervals, of however many values, hold the median together with this confidence. So measuring
// may end when the interval says what one wants to know. Wider than the one above.
Interval median_interval_at_any_time(std::span<const double> values, double confidence);

// The same for values in the order in which they were taken, of which neighbours may be alike: of
// stretches so long that their medians no longer are, and never narrower than the one above.
// Unbounded where there are no stretches so long.
Interval median_interval_in_series(std::span<const double> values, double confidence);

// How many of n values each end of these intervals leaves out; 0 where there are too few.
std::size_t values_beyond_interval(std::size_t n, double confidence);

// The least chance of each of n independent events with which at least k of them happen with this
// probability; 1 where k is n and the probability 1.
double least_chance(std::size_t n, std::size_t k, double probability);

}  // namespace proofline
