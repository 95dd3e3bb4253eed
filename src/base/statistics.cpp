// SPDX-License-Identifier: Apache-2.0
//
// Order statistics do all the work. The interval of the median is the one between two of them: how
// many of n independent values are below the true median is binomial with probability one half,
// whatever their distribution, so the interval needs no random numbers and no assumption.
//
// The bootstrap of a median has a closed form as well (a binomial tail for each order statistic),
// and its percentile interval never reaches beyond this one: the spread of a resampled rank is
// largest in the middle, which is the one used here. A test compares the two.
#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

namespace proofline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The median absolute deviation of a normal distribution is its standard deviation over this.
constexpr double kDeviationsPerMad = 1.4826;

// NaN sorts last, so that no input breaks the order that sorting relies on.
std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end(),
            [](double x, double y) { return x < y || (std::isnan(y) && !std::isnan(x)); });
  return result;
}

// How many of n values may be cut off at each end so that the median is still between the rest:
// the largest k with P(Binomial(n, 1/2) < k) <= miss.
std::size_t values_to_cut(std::size_t n, double miss) {
  const auto count = static_cast<double>(n);
  // Further than this from the middle all probabilities together are below 1e-300.
  const double first = std::floor(std::max(0.0, count / 2 - 20 * std::sqrt(count)));
  double log_probability = std::lgamma(count + 1) - std::lgamma(first + 1) -
                           std::lgamma(count - first + 1) - count * std::log(2.0);
  double below = 0;
  for (auto k = static_cast<std::size_t>(first); k < (n + 1) / 2; ++k) {
    below += std::exp(log_probability);
    if (!(below <= miss)) return k;
    const auto taken = static_cast<double>(k);
    log_probability += std::log((count - taken) / (taken + 1));
  }
  return (n + 1) / 2;
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// A bet that values fall below a number more often than they should if it were the median, with the
// chance drawn evenly between a half and one. What it has made of 1 after n values, j of them
// below, is 2^(n+1) times the integral of p^j (1-p)^(n-j) over these chances. Were the number the
// median, it would reach 1/miss at any time with a probability of at most miss (Ville's
// inequality).
std::size_t values_to_cut_at_any_time(std::size_t n, double miss) {
  const auto count = static_cast<double>(n);
  const double enough = -std::log(miss);
  double above = std::exp(-(count + 1) * std::log(2.0));  // P(Binomial(n + 1, 1/2) > j)
  for (std::size_t j = n; 2 * j > n; --j) {
    const auto below = static_cast<double>(j);
    const double made = std::log1p(-above) + (count + 1) * std::log(2.0) - std::log(count + 1) -
                        log_choose(count, below);
    if (made < enough) return n - j;
    above += std::exp(log_choose(count + 1, below) - (count + 1) * std::log(2.0));
  }
  return n / 2;
}

Interval between(std::span<const double> values, std::size_t cut) {
  if (cut == 0) return {-kInfinity, kInfinity};
  const std::vector<double> ordered = sorted(values);
  return {ordered[cut - 1], ordered[ordered.size() - cut]};
}

// Numbers of stretches that a series is cut into, the finest first, to see whether neighbours are
// alike. What is weakly alike escapes notice, so that stretches twice as long are then taken, but
// no fewer than bound a median well.
constexpr std::size_t kStretches[] = {40, 20};
constexpr std::size_t kFewestStretches = 10;
// Neighbours in a series are alike where their ranks correlate by more. By chance alone one series
// of 40 independent values in fifteen comes so far.
constexpr double kAlike = 0.2;

std::vector<double> medians_of_stretches(std::span<const double> values, std::size_t count) {
  std::vector<double> medians;
  medians.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * values.size() / count;
    const std::size_t end = (i + 1) * values.size() / count;
    medians.push_back(median(values.subspan(begin, end - begin)));
  }
  return medians;
}

// Of ranks, so that no single value makes it or hides it.
bool neighbours_are_alike(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  if (ordered.front() == ordered.back()) return false;
  std::vector<double> ranks;
  ranks.reserve(values.size());
  for (const double value : values) {
    const auto [first, last] = std::equal_range(ordered.begin(), ordered.end(), value);
    ranks.push_back(static_cast<double>((first - ordered.begin()) + (last - ordered.begin())) / 2);
  }
  const double middle = static_cast<double>(ranks.size()) / 2;
  double together = 0;
  double alone = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    alone += (ranks[i] - middle) * (ranks[i] - middle);
    if (i > 0) together += (ranks[i] - middle) * (ranks[i - 1] - middle);
  }
  return together > kAlike * alone;
}

std::vector<double> distances_from_median(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return distances;
}

template <class T>
T middle_of(std::span<T> values) {
  CHECK(!values.empty(), "no values, no median");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double quantile(std::span<const double> values, double share) {
  CHECK(!values.empty(), "no values, no quantile");
  const std::vector<double> ordered = sorted(values);
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  // Not between two equal infinities, which would give NaN.
  if (rest == 0 || ordered[below] == ordered[below + 1]) return ordered[below];
  return std::lerp(ordered[below], ordered[below + 1], rest);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }
double lower_median(std::span<double> values) { return middle_of(values); }
std::int64_t lower_median(std::span<std::int64_t> values) { return middle_of(values); }
std::uint64_t lower_median(std::span<std::uint64_t> values) { return middle_of(values); }

double robust_spread(std::span<const double> values) {
  return kDeviationsPerMad * median(distances_from_median(values));
}

double cautious_spread(std::span<const double> values) {
  const std::vector<double> distances = distances_from_median(values);
  return std::max(kDeviationsPerMad * median(distances),
                  quantile(distances, 0.8) / normal_quantile(0.9));
}

// Newton's method on the logarithm of the lower tail. That is concave, so that from a start below
// the root each step goes towards it and never past it.
double normal_quantile(double probability) {
  if (std::isnan(probability)) return probability;
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  if (probability > 0.5) return -normal_quantile(1 - probability);
  probability = std::max(probability, 1e-300);  // the tail below that is 0 to erfc
  const double root_of_two_pi = std::sqrt(2 * std::numbers::pi);
  // Below the root, as the tail below -x is at most half of exp(-x * x / 2).
  double x = -std::sqrt(-2 * std::log(probability));
  for (int step = 0; step < 50; ++step) {
    const double tail = std::erfc(-x / std::sqrt(2.0)) / 2;
    const double density = std::exp(-x * x / 2) / root_of_two_pi;
    const double change = std::log(probability / tail) * tail / density;
    x += change;
    if (!(change > 1e-15)) break;
  }
  return x;
}

Interval median_interval(std::span<const double> values, double confidence) {
  return between(values, values_beyond_interval(values.size(), confidence));
}

Interval median_interval_at_any_time(std::span<const double> values, double confidence) {
  return between(values, values_to_cut_at_any_time(values.size(), (1 - confidence) / 2));
}

Interval median_interval_in_series(std::span<const double> values, double confidence) {
  for (const std::size_t wanted : kStretches) {
    const std::size_t count = std::min(wanted, values.size());
    if (count == 0) break;
    if (neighbours_are_alike(medians_of_stretches(values, count))) continue;
    const std::size_t taken = std::max(count / 2, std::min(kFewestStretches, values.size()));
    const Interval of_stretches = median_interval(medians_of_stretches(values, taken), confidence);
    const Interval of_values = median_interval(values, confidence);
    return {std::min(of_stretches.low, of_values.low), std::max(of_stretches.high, of_values.high)};
  }
  return {-kInfinity, kInfinity};
}

std::size_t values_beyond_interval(std::size_t n, double confidence) {
  return values_to_cut(n, (1 - confidence) / 2);
}

double least_chance(std::size_t n, std::size_t k, double probability) {
  const auto count = static_cast<double>(n);
  const auto at_least = [&](double chance) {
    double sum = 0;
    for (std::size_t i = k; i <= n; ++i) {
      const auto events = static_cast<double>(i);
      sum += std::exp(log_choose(count, events) + events * std::log(chance) +
                      (count - events) * std::log1p(-chance));
    }
    return sum;
  };
  double low = 0;
  double high = 1;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    (at_least(middle) >= probability ? high : low) = middle;
  }
  return high;
}

}  // namespace proofline
