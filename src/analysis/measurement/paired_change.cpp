// SPDX-License-Identifier: Apache-2.0
//
// The verdict follows from the interval alone, and the interval is at a confidence that is
// corrected for the number of comparisons (Bonferroni), so that all of them together hold at the
// one asked for. The interval of a median by order statistics is the sign test turned round; so the
// pairs that a change needs are those that a sign test needs to see it beyond the threshold.
#include "analysis/measurement/paired_change.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "analysis/measurement/sample_flags.h"

namespace proofline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFewestPairs = 3;
// Upper bound for a number of pairs that is worth suggesting.
constexpr double kMostPairs = 1e9;
// However small the spread of a few pairs is, one pair in twenty may yet go astray.
constexpr double kMostRegular = 0.95;
// Where the spread that pairs_to_see is asked about comes from: a first try of so many pairs.
constexpr double kPilotPairs = 10;

struct Pairs {
  std::vector<double> log_a;
  std::vector<double> log_b;
  std::vector<double> log_ratios;
};

bool is_time(double value) { return std::isfinite(value) && value > 0; }

// A pair is left out where either half is no time at all: its ratio would be infinite, or NaN.
Pairs usable_pairs(std::span<const double> a, std::span<const double> b) {
  Pairs pairs;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!is_time(a[i]) || !is_time(b[i])) continue;
    pairs.log_a.push_back(std::log(a[i]));
    pairs.log_b.push_back(std::log(b[i]));
    pairs.log_ratios.push_back(pairs.log_b.back() - pairs.log_a.back());
  }
  return pairs;
}

// The chance of a false alarm that is left for one of the comparisons.
double miss_of_one(const ChangeOptions& options) {
  return (1 - options.confidence) /
         static_cast<double>(std::max<std::size_t>(1, options.comparisons));
}

// A spread of few pairs may well be half of what it would be of many, and pairs grow with its
// square. In simulated noise this margin finds what is there often enough after ten pairs.
double with_margin(double spread, double pairs) { return spread * (1 + 1.5 / std::sqrt(pairs)); }

// The chance that one pair shows the sign of a change that is so many spreads away from none. Up to
// one median deviation (1 / 1.4826 spreads) it is the least possible where larger deviations are
// not more frequent than smaller ones: a quarter of the pairs is there, at worst evenly. Further
// out the tails are Cauchy's, which are heavier than those of clocks.
double chance_of_sign(double distance) {
  const double deviations = distance * 1.4826;
  const double beyond_half =
      deviations < 1 ? deviations / 4 : std::atan(deviations) / std::numbers::pi;
  return std::min(kMostRegular, 0.5 + beyond_half);
}

// How many deviations of the count of signs the interval of so many pairs reaches to each side.
double reach_of(double pairs, const ChangeOptions& options) {
  const double miss = miss_of_one(options) / 2;
  if (!options.until_clear) return -normal_quantile(miss);
  // The normal approximation of what the bet in median_interval_at_any_time has made.
  return std::sqrt(2 * std::log(std::max(1.0, std::sqrt(pairs / (2 * std::numbers::pi))) / miss));
}

// Pairs for a sign test with that chance, by the normal approximation of the binomial. The 1 under
// the root is for ranks being whole numbers, so that every larger number of pairs will do as well.
std::optional<std::size_t> pairs_for_chance(double chance, const ChangeOptions& options) {
  const double beyond_half = chance - 0.5;
  if (!(beyond_half > 0)) return std::nullopt;
  const double power = std::clamp(options.power, 0.5, 1.0);
  double pairs = 1;
  // The reach grows so slowly with the pairs that a few rounds settle it.
  for (int round = 0; round < (options.until_clear ? 8 : 1); ++round) {
    const double half =
        (normal_quantile(power) * std::sqrt(chance * (1 - chance)) + reach_of(pairs, options) / 2) /
        (2 * beyond_half);
    const double root = half + std::sqrt(half * half + 1 / beyond_half);
    pairs = std::ceil(root * root);
    if (!(pairs <= kMostPairs)) return std::nullopt;
  }
  return static_cast<std::size_t>(pairs);
}

// `distance` between logarithms of ratios; `spread` with its margin.
std::optional<std::size_t> pairs_for_distance(double distance, double spread,
                                              const ChangeOptions& options) {
  if (!(distance > 0) || !(spread >= 0)) return std::nullopt;
  return pairs_for_chance(spread > 0 ? chance_of_sign(distance / spread) : kMostRegular, options);
}

ChangeKind kind_of(const Interval& log_interval, double tolerated) {
  if (log_interval.low >= -tolerated && log_interval.high <= tolerated) return ChangeKind::kSame;
  if (log_interval.high < -tolerated) return ChangeKind::kFaster;
  if (log_interval.low > tolerated) return ChangeKind::kSlower;
  return ChangeKind::kUnclear;
}

Interval interval_of_median(std::span<const double> values, double confidence,
                            const ChangeOptions& options) {
  return options.until_clear ? median_interval_at_any_time(values, confidence)
                             : median_interval(values, confidence);
}

// An interval is clear when it ends before the threshold, or is within it. At least half as many
// pairs again: those that there are did not do.
std::optional<std::size_t> pairs_to_settle(const PairedChange& change, double log_ratio,
                                           double tolerated, const ChangeOptions& options) {
  if (change.pairs < kFewestPairs) return pairs_for_chance(kMostRegular, options);
  const double distance = std::abs(std::abs(log_ratio) - tolerated);
  std::optional<std::size_t> needed = pairs_for_distance(
      distance, with_margin(change.spread, static_cast<double>(change.pairs)), options);
  if (needed) needed = std::max(*needed, change.pairs + change.pairs / 2 + 1);
  return needed;
}

}  // namespace

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kFaster: return "faster";
    case ChangeKind::kSlower: return "slower";
    case ChangeKind::kSame: return "same";
    case ChangeKind::kUnclear: return "unclear";
  }
  return "";
}

PairedChange paired_change(std::span<const double> a, std::span<const double> b,
                           const ChangeOptions& options) {
  const Pairs pairs = usable_pairs(a, b);
  const double tolerated = std::log1p(std::max(0.0, options.threshold));
  const double margin = std::log1p(std::max(0.0, options.margin));
  PairedChange change;
  change.pairs = pairs.log_ratios.size();
  double log_ratio = 0;
  Interval log_interval{-kInfinity, kInfinity};
  if (change.pairs >= kFewestPairs) {
    log_ratio = median(pairs.log_ratios);
    const double miss = miss_of_one(options);
    log_interval = interval_of_median(pairs.log_ratios, 1 - miss, options);
    // One side of it is asked about, so all that may be missed is on that side.
    change.not_slower =
        interval_of_median(pairs.log_ratios, 1 - 2 * miss, options).high + margin <= tolerated;
    change.spread = cautious_spread(pairs.log_ratios);
  }
  change.ratio = std::exp(log_ratio);
  change.interval = {std::exp(log_interval.low), std::exp(log_interval.high)};
  change.kind = kind_of({log_interval.low - margin, log_interval.high + margin}, tolerated);
  if (change.kind == ChangeKind::kUnclear) {
    change.pairs_needed = pairs_to_settle(change, log_ratio, tolerated, options);
  }
  change.flags = sample_flags(pairs.log_a, pairs.log_b);
  if (std::isinf(log_interval.low)) change.flags.insert(change.flags.begin(), "few-pairs");
  return change;
}

std::size_t pairs_to_see(double effect, double spread, const ChangeOptions& options) {
  const double beyond = std::abs(std::log1p(effect)) - std::log1p(std::max(0.0, options.threshold));
  return pairs_for_distance(beyond, with_margin(spread, kPilotPairs), options)
      .value_or(std::numeric_limits<std::size_t>::max());
}

// Enough pairs must be beyond the threshold for the interval's near end to be one of them.
double smallest_change_seen(std::size_t pairs, double spread, const ChangeOptions& options) {
  const std::size_t beyond = values_beyond_interval(pairs, 1 - miss_of_one(options));
  if (beyond == 0) return kInfinity;
  const double chance = least_chance(pairs, pairs - beyond + 1, options.power);
  return (1 + options.threshold) * std::exp(normal_quantile(chance) * spread) - 1;
}

}  // namespace proofline
