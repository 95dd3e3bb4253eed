// SPDX-License-Identifier: Apache-2.0
//
// See sample_flags.h. The thresholds were chosen with simulated noise: on normal noise each flag
// stays silent in at least 97 of 100 comparisons, whatever the number of pairs.
#include "analysis/measurement/sample_flags.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/statistics.h"

namespace proofline {
namespace {

// Relative differences below this are not worth a word, however regular they are: a timer's own
// steps are of that size.
constexpr double kWorthNaming = 0.02;
// No timer resolves less; only rounding differs by as little.
constexpr double kNoSpread = 1e-9;
// Samples so many spreads away from the median are no part of the same noise.
constexpr double kFarAway = 7;
// A trend must hold for most pairs, and be beyond what chance gives in one of 300 comparisons.
constexpr double kTrendCorrelation = 0.5;
constexpr double kTrendDeviations = 2.9;
// The best split of normal noise has its halves 2.7 of their own deviations apart, of uniform noise
// 3.5.
constexpr double kModesApart = 5;
constexpr std::size_t kFewestForModes = 10;
constexpr std::size_t kFewestInMode = 3;
// A mode has at least this share of the samples; fewer are outliers.
constexpr double kSmallestMode = 0.15;

// Ranks from 0; equal values share the mean of theirs.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return values[x] < values[y]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double shared = static_cast<double>(first + last - 1) / 2;
    for (std::size_t i = first; i < last; ++i) result[order[i]] = shared;
  }
  return result;
}

// Spearman's rank correlation of the values with their own position; 0 where all are equal.
double correlation_with_position(std::span<const double> values) {
  const std::vector<double> rank = ranks(values);
  const double middle = static_cast<double>(values.size() - 1) / 2;
  double common = 0;
  double of_ranks = 0;
  double of_positions = 0;
  for (std::size_t i = 0; i < rank.size(); ++i) {
    const double position = static_cast<double>(i) - middle;
    common += position * (rank[i] - middle);
    of_ranks += (rank[i] - middle) * (rank[i] - middle);
    of_positions += position * position;
  }
  return of_ranks > 0 ? common / std::sqrt(of_ranks * of_positions) : 0;
}

// Of both halves of the pairs together: what drifts moves both. A rank correlation is large only
// where the trend is large against the spread.
bool drifts(std::span<const double> log_a, std::span<const double> log_b) {
  std::vector<double> both;
  both.reserve(log_a.size());
  for (std::size_t i = 0; i < log_a.size(); ++i) both.push_back((log_a[i] + log_b[i]) / 2);
  if (quantile(both, 0.9) - quantile(both, 0.1) < kWorthNaming) return false;
  const double correlation = std::abs(correlation_with_position(both));
  return correlation >= kTrendCorrelation &&
         correlation * std::sqrt(static_cast<double>(both.size() - 1)) >= kTrendDeviations;
}

struct Group {
  double mean = 0;
  double squares = 0;  // of the differences from the mean, summed
  double deviation = 0;
};

// Of sorted values first to last, from the sums of all values and of all squares before each.
Group group_between(std::span<const double> sums, std::span<const double> squares,
                    std::size_t first, std::size_t last) {
  const auto count = static_cast<double>(last - first);
  Group group;
  group.mean = (sums[last] - sums[first]) / count;
  group.squares = std::max(0.0, squares[last] - squares[first] - count * group.mean * group.mean);
  group.deviation = std::sqrt(group.squares / (count - 1));
  return group;
}

// Whether the split that leaves the least variance leaves two groups far apart, for both of them:
// the far end of a heavy tail is apart as well, but as wide as it is far away.
bool has_two_modes(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < kFewestForModes) return false;
  std::vector<double> ordered(values.begin(), values.end());
  std::sort(ordered.begin(), ordered.end());
  // Of differences from the median: squares of the values themselves would drown the differences.
  const double origin = ordered[n / 2];
  std::vector<double> sums(n + 1);
  std::vector<double> squares(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = ordered[i] - origin;
    sums[i + 1] = sums[i] + difference;
    squares[i + 1] = squares[i] + difference * difference;
  }
  const std::size_t fewest =
      std::max(kFewestInMode, static_cast<std::size_t>(kSmallestMode * static_cast<double>(n)) + 1);
  Group lower;
  Group upper;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t split = fewest; split + fewest <= n; ++split) {
    const Group below = group_between(sums, squares, 0, split);
    const Group above = group_between(sums, squares, split, n);
    if (below.squares + above.squares >= least) continue;
    least = below.squares + above.squares;
    lower = below;
    upper = above;
  }
  const double apart = upper.mean - lower.mean;
  return apart >= kWorthNaming && apart > kModesApart * std::max(lower.deviation, upper.deviation);
}

// How far from the median a value may be before it is odd.
double usual_distance(std::span<const double> values) {
  return std::max(kWorthNaming, kFarAway * cautious_spread(values));
}

bool starts_slowly(std::span<const double> values) {
  const std::span<const double> rest = values.subspan(1);
  return values[0] - median(rest) > usual_distance(rest);
}

// A few far away; many would be a mode of their own.
bool has_outliers(std::span<const double> values) {
  const double middle = median(values);
  const double usual = usual_distance(values);
  const auto far =
      static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double value) {
        return std::abs(value - middle) > usual;
      }));
  const auto most = static_cast<std::size_t>(kSmallestMode * static_cast<double>(values.size()));
  return far > 0 && far <= std::max<std::size_t>(1, most);
}

bool has_no_spread(std::span<const double> log_a, std::span<const double> log_b) {
  std::vector<double> ratios;
  ratios.reserve(log_a.size());
  for (std::size_t i = 0; i < log_a.size(); ++i) ratios.push_back(log_b[i] - log_a[i]);
  return robust_spread(ratios) < kNoSpread;
}

}  // namespace

std::vector<std::string> sample_flags(std::span<const double> log_a,
                                      std::span<const double> log_b) {
  std::vector<std::string> flags;
  if (log_a.size() < 3) return flags;
  if (drifts(log_a, log_b)) flags.emplace_back("drift");
  if (has_two_modes(log_a) || has_two_modes(log_b)) flags.emplace_back("two-modes");
  const bool slow_start = starts_slowly(log_a) || starts_slowly(log_b);
  // What the slow start says need not be said twice.
  const std::size_t from = slow_start ? 1 : 0;
  if (has_outliers(log_a.subspan(from)) || has_outliers(log_b.subspan(from))) {
    flags.emplace_back("outliers");
  }
  if (slow_start) flags.emplace_back("slow-start");
  if (has_no_spread(log_a, log_b)) flags.emplace_back("no-spread");
  return flags;
}

}  // namespace proofline
