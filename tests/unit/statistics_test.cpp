// SPDX-License-Identifier: Apache-2.0
//
// Known values, the edges, and by simulation that the interval of the median keeps its promise
// under every kind of noise.
#include "base/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/check.h"
#include "support/effort.h"
#include "support/noise.h"

namespace proofline::statistics_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 1, 2, ... n: a value is its own rank.
std::vector<double> ranks_up_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.3);
  EXPECT_EQ(median(values), 2.5);
  EXPECT_EQ(median(ranks_up_to(5)), 3);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Quantile, TakesAnyNumbers) {
  EXPECT_EQ(quantile(ranks_up_to(3), -1), 1);
  EXPECT_EQ(quantile(ranks_up_to(3), 2), 3);
  EXPECT_EQ(median(std::vector<double>{kInfinity, kInfinity}), kInfinity);
  // NaN counts as larger than all else.
  const std::vector<double> some_nan = {std::nan(""), 2, 1, std::nan(""), 3};
  EXPECT_EQ(median(some_nan), 3);
  EXPECT_THROW(median({}), CheckFailed);
}

TEST(RobustSpread, IsTheDeviationOfNormalNoiseWhateverAFewValuesAre) {
  NoiseSource source(1);
  std::vector<double> values(4000);
  for (double& value : values) value = 5 + 0.2 * source.normal();
  EXPECT_NEAR(robust_spread(values), 0.2, 0.02);
  for (std::size_t i = 0; i < 200; ++i) values[i] = 1e9;
  EXPECT_NEAR(robust_spread(values), 0.2, 0.04);
  EXPECT_EQ(robust_spread(std::vector<double>{3, 3, 3, 9}), 0);
}

TEST(CautiousSpread, CountsWhatFewerThanHalfHave) {
  const std::vector<double> two_speeds = {3, 3, 3, 3, 3, 3, 9, 9, 9, 9};
  EXPECT_EQ(robust_spread(two_speeds), 0);
  EXPECT_NEAR(cautious_spread(two_speeds), 6 / 1.2815515655446004, 1e-9);
}

TEST(NormalQuantile, AgreesWithTables) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-12);
  EXPECT_EQ(normal_quantile(0), -kInfinity);
  EXPECT_EQ(normal_quantile(1), kInfinity);
  EXPECT_TRUE(std::isfinite(normal_quantile(std::numeric_limits<double>::denorm_min())));
  EXPECT_TRUE(std::isnan(normal_quantile(std::nan(""))));
}

TEST(NormalQuantile, InvertsTheDistribution) {
  for (double x = -8; x <= 4; x += 0.37) {
    EXPECT_NEAR(normal_quantile(std::erfc(-x / std::sqrt(2.0)) / 2), x, 1e-10) << x;
  }
}

struct RankCase {
  std::size_t n;
  double confidence;
  double low;
  double high;
};

// Ranks of the sign test's interval, as textbooks list them.
TEST(MedianInterval, HasTheRanksOfTheSignTest) {
  for (const RankCase& known :
       {RankCase{6, 0.95, 1, 6}, RankCase{8, 0.95, 1, 8}, RankCase{9, 0.95, 2, 8},
        RankCase{10, 0.95, 2, 9}, RankCase{20, 0.95, 6, 15}, RankCase{20, 0.99, 4, 17},
        RankCase{50, 0.95, 18, 33}, RankCase{100, 0.95, 40, 61}}) {
    const Interval interval = median_interval(ranks_up_to(known.n), known.confidence);
    EXPECT_EQ(interval.low, known.low) << known.n;
    EXPECT_EQ(interval.high, known.high) << known.n;
  }
}

TEST(MedianInterval, IsUnboundedForTooFewValues) {
  for (const std::size_t n : {0, 1, 2, 5}) {
    EXPECT_EQ(median_interval(ranks_up_to(n), 0.95).low, -kInfinity) << n;
    EXPECT_EQ(median_interval(ranks_up_to(n), 0.95).high, kInfinity) << n;
  }
  EXPECT_EQ(median_interval(ranks_up_to(7), 0.99).low, -kInfinity);
  EXPECT_EQ(median_interval(ranks_up_to(8), 0.99).low, 1);
  EXPECT_EQ(median_interval(ranks_up_to(1000), 1).low, -kInfinity);
}

TEST(MedianInterval, OfManyValuesIsThatOfTheNormalApproximation) {
  const auto n = effort<std::size_t>(1'000'000, 1'000'000, 10'000);
  const Interval interval = median_interval(ranks_up_to(n), 0.95);
  const double half_width = 1.96 * std::sqrt(static_cast<double>(n)) / 2;
  EXPECT_NEAR(interval.low, static_cast<double>(n) / 2 - half_width, 2);
  EXPECT_NEAR(interval.high, static_cast<double>(n) / 2 + half_width, 3);
}

TEST(MedianInterval, OfEqualValuesIsTheValue) {
  const Interval interval = median_interval(std::vector<double>(20, 3.5), 0.95);
  EXPECT_EQ(interval.low, 3.5);
  EXPECT_EQ(interval.high, 3.5);
}

TEST(MedianInterval, DoesNotDependOnOrder) {
  NoiseSource source(2);
  std::vector<double> values(30);
  for (double& value : values) value = source.normal();
  const Interval interval = median_interval(values, 0.95);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(median_interval(values, 0.95).low, interval.low);
  EXPECT_EQ(median_interval(values, 0.95).high, interval.high);
}

double binomial_at_least(std::size_t n, double probability, std::size_t least) {
  const auto count = static_cast<double>(n);
  double sum = 0;
  for (std::size_t k = least; k <= n; ++k) {
    const auto hits = static_cast<double>(k);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(hits + 1) - std::lgamma(count - hits + 1) +
                    hits * std::log(probability) + (count - hits) * std::log1p(-probability));
  }
  return sum;
}

// The lower end of the bootstrap's percentile interval. A resample's (lower) middle value is at
// most the j-th of n where at least half of the resample comes from the first j.
std::size_t bootstrap_rank(std::size_t n, double miss) {
  std::size_t rank = 1;
  while (binomial_at_least(n, static_cast<double>(rank) / static_cast<double>(n), (n + 1) / 2) <
         miss) {
    ++rank;
  }
  return rank;
}

TEST(MedianInterval, IsNeverNarrowerThanTheBootstrap) {
  for (const double confidence : {0.8, 0.95, 0.99, 0.9999}) {
    for (std::size_t n = 5; n <= 100; n += effort<std::size_t>(1, 1, 19)) {
      const Interval interval = median_interval(ranks_up_to(n), confidence);
      const auto rank = static_cast<double>(bootstrap_rank(n, (1 - confidence) / 2));
      EXPECT_LE(interval.low, rank) << n << " at " << confidence;
      EXPECT_GE(interval.high, static_cast<double>(n) + 1 - rank) << n << " at " << confidence;
      // Nor much wider, once it has an end.
      EXPECT_GE(std::max(1.0, interval.low), rank - 3) << n << " at " << confidence;
    }
  }
}

class MedianIntervalCoverage : public testing::TestWithParam<Noise> {};

// Log ratios of A against A have the median 0.
TEST_P(MedianIntervalCoverage, IsAtLeastTheConfidence) {
  const int trials = effort(2000, 2000, 200);
  NoiseSource source(3);
  for (const std::size_t pairs : {6, 7, 9, 13, 20, 37, 100}) {
    for (const double confidence : {0.95, 0.99}) {
      int held = 0;
      for (int trial = 0; trial < trials; ++trial) {
        const SimulatedPairs times = simulate_pairs(GetParam(), pairs, 1, source);
        std::vector<double> log_ratios(pairs);
        for (std::size_t i = 0; i < pairs; ++i) log_ratios[i] = std::log(times.b[i] / times.a[i]);
        const Interval interval = median_interval(log_ratios, confidence);
        if (interval.low <= 0 && interval.high >= 0) ++held;
      }
      // Three standard errors of a share that is just what it must be.
      const double tolerance = 3 * std::sqrt(confidence * (1 - confidence) / trials);
      EXPECT_GE(static_cast<double>(held) / trials, confidence - tolerance)
          << pairs << " pairs at " << confidence;
    }
  }
}

std::string noise_name(const testing::TestParamInfo<Noise>& info) {
  std::string name(to_string(info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Noises, MedianIntervalCoverage, testing::ValuesIn(all_noises()),
                         noise_name);

// Eight values on one side of a number are the first that make it an unlikely median at 95 %.
TEST(MedianIntervalAtAnyTime, IsBoundedFromEightValuesOn) {
  std::vector<double> values;
  for (int i = 1; i <= 8; ++i) {
    const Interval interval = median_interval_at_any_time(values, 0.95);
    EXPECT_TRUE(std::isinf(interval.low) && std::isinf(interval.high)) << i;
    values.push_back(i);
  }
  const Interval interval = median_interval_at_any_time(values, 0.95);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 8);
}

TEST(MedianIntervalAtAnyTime, IsNeverNarrowerThanThatOfOneLook) {
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) {
    values.push_back(i);
    const Interval once = median_interval(values, 0.95);
    const Interval always = median_interval_at_any_time(values, 0.95);
    EXPECT_LE(always.low, once.low);
    EXPECT_GE(always.high, once.high);
  }
}

// Looked at after each of 200 values; one look in twenty would miss it at some time many times
// over.
TEST(MedianIntervalAtAnyTime, HoldsAtAllLooksTogether) {
  const int trials = effort(2000, 100, 20);
  NoiseSource source(21);
  int missed = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values;
    bool out = false;
    for (int i = 0; i < 200; ++i) {
      values.push_back(source.normal());
      const Interval interval = median_interval_at_any_time(values, 0.95);
      out = out || interval.low > 0 || interval.high < 0;
    }
    missed += out ? 1 : 0;
  }
  EXPECT_LE(missed, 0.05 * trials + 3 * std::sqrt(0.05 * 0.95 * trials));
}

TEST(LeastChance, IsThatOfTheBinomial) {
  EXPECT_NEAR(least_chance(1, 1, 0.95), 0.95, 1e-9);
  EXPECT_NEAR(least_chance(10, 10, 0.5), std::pow(0.5, 0.1), 1e-9);
  EXPECT_NEAR(least_chance(20, 1, 0.025), 1 - std::pow(0.975, 1.0 / 20), 1e-9);
}

}  // namespace
}  // namespace proofline::statistics_test
