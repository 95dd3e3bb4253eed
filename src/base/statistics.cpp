// SPDX-License-Identifier: Apache-2.0
//
// Order statistics do all the work. The interval of the median is the one between two of them: how
// many of n independent values lie below the true median is binomial with probability one half,
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

std::vector<double> distances_from_median(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return distances;
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
  const std::size_t cut = values_to_cut(values.size(), (1 - confidence) / 2);
  if (cut == 0) return {-kInfinity, kInfinity};
  const std::vector<double> ordered = sorted(values);
  return {ordered[cut - 1], ordered[ordered.size() - cut]};
}

}  // namespace proofline
