// SPDX-License-Identifier: Apache-2.0
//
// That the verdict on pairs of times can be relied on: what it says of made-up pairs, how often it
// is wrong under simulated noise, and that it finds what it promised to find.
#include "analysis/measurement/paired_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/effort.h"
#include "support/noise.h"

namespace proofline::paired_change_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kPilot = 10;

bool has_flag(const PairedChange& change, std::string_view flag) {
  return std::find(change.flags.begin(), change.flags.end(), flag) != change.flags.end();
}

PairedChange change_of(const SimulatedPairs& times, const ChangeOptions& options = {}) {
  return paired_change(times.a, times.b, options);
}

SimulatedPairs simulated(Noise noise, std::size_t pairs, double ratio, std::uint64_t seed,
                         double scale = 1) {
  NoiseSource source(seed);
  return simulate_pairs(noise, pairs, ratio, source, scale);
}

// Times of A, and of B with each ratio in turn.
SimulatedPairs with_ratios(const std::vector<double>& ratios) {
  SimulatedPairs times;
  for (const double ratio : ratios) {
    times.a.push_back(1000);
    times.b.push_back(1000 * ratio);
  }
  return times;
}

TEST(PairedChange, TellsFasterSlowerSameAndUnclear) {
  const PairedChange slower = change_of(with_ratios({1.02, 1.03, 1.04, 1.03, 1.05, 1.01}));
  EXPECT_EQ(slower.kind, ChangeKind::kSlower);
  EXPECT_NEAR(slower.ratio, 1.03, 1e-9);
  EXPECT_NEAR(slower.interval.low, 1.01, 1e-9);
  EXPECT_NEAR(slower.interval.high, 1.05, 1e-9);
  EXPECT_EQ(slower.pairs, 6u);
  EXPECT_FALSE(slower.pairs_needed);

  EXPECT_EQ(change_of(with_ratios({0.9, 0.91, 0.89, 0.9, 0.95, 0.9})).kind, ChangeKind::kFaster);
  // Regular, but too small to matter.
  EXPECT_EQ(change_of(with_ratios({1.001, 1.002, 1.003, 1.001, 1.002, 1.004})).kind,
            ChangeKind::kSame);
  // On one side, but not beyond what matters.
  EXPECT_EQ(change_of(with_ratios({1.001, 1.02, 1.03, 1.01, 1.02, 1.04})).kind,
            ChangeKind::kUnclear);
  const PairedChange unclear = change_of(with_ratios({1.01, 1.02, 0.99, 1.03, 0.98, 1.01}));
  EXPECT_EQ(unclear.kind, ChangeKind::kUnclear);
  ASSERT_TRUE(unclear.pairs_needed);
  EXPECT_GT(*unclear.pairs_needed, 6u);
}

TEST(PairedChange, SwappingTheSidesTurnsTheAnswerRound) {
  const SimulatedPairs times = simulated(Noise::kNormal, 41, 1.05, 1);
  const PairedChange forth = paired_change(times.a, times.b, {});
  const PairedChange back = paired_change(times.b, times.a, {});
  EXPECT_EQ(forth.kind, ChangeKind::kSlower);
  EXPECT_EQ(back.kind, ChangeKind::kFaster);
  EXPECT_NEAR(back.ratio, 1 / forth.ratio, 1e-12);
  EXPECT_NEAR(back.interval.low, 1 / forth.interval.high, 1e-12);
  EXPECT_NEAR(back.interval.high, 1 / forth.interval.low, 1e-12);
}

TEST(PairedChange, TheSamePairsGiveTheSameAnswer) {
  const SimulatedPairs times = simulated(Noise::kHeavyTailed, 50, 1.01, 2);
  const PairedChange once = change_of(times);
  const PairedChange again = change_of(times);
  EXPECT_EQ(once.ratio, again.ratio);
  EXPECT_EQ(once.interval.low, again.interval.low);
  EXPECT_EQ(once.interval.high, again.interval.high);
  EXPECT_EQ(once.pairs_needed, again.pairs_needed);
  EXPECT_EQ(once.flags, again.flags);
}

TEST(PairedChange, OneOrTwoPairsGiveNoRatio) {
  for (std::size_t pairs = 0; pairs < 3; ++pairs) {
    const PairedChange change = change_of(with_ratios(std::vector<double>(pairs, 2.0)));
    EXPECT_EQ(change.kind, ChangeKind::kUnclear);
    EXPECT_EQ(change.ratio, 1);
    EXPECT_EQ(change.pairs, pairs);
    EXPECT_EQ(change.interval.low, 0);
    EXPECT_EQ(change.interval.high, kInfinity);
    EXPECT_EQ(change.pairs_needed, std::optional<std::size_t>(13));
    EXPECT_EQ(change.flags, std::vector<std::string>{"few-pairs"});
  }
}

TEST(PairedChange, TooFewPairsForTheConfidenceDecideNothing) {
  const SimulatedPairs five = with_ratios({2, 2.1, 2.2, 1.9, 2});
  EXPECT_EQ(change_of(five).kind, ChangeKind::kUnclear);
  EXPECT_NEAR(change_of(five).ratio, 2, 1e-9);
  EXPECT_TRUE(has_flag(change_of(five), "few-pairs"));

  const SimulatedPairs six = with_ratios({2, 2.1, 2.2, 1.9, 2, 2});
  EXPECT_EQ(change_of(six).kind, ChangeKind::kSlower);
  EXPECT_FALSE(has_flag(change_of(six), "few-pairs"));
  // Among many comparisons six pairs in agreement are no wonder.
  ChangeOptions many;
  many.comparisons = 500;
  EXPECT_EQ(change_of(six, many).kind, ChangeKind::kUnclear);
  EXPECT_GT(change_of(six, many).pairs_needed, std::optional<std::size_t>(15));
}

TEST(PairedChange, LeavesOutPairsThatAreNoTimes) {
  SimulatedPairs times = with_ratios(std::vector<double>(12, 1.5));
  times.a[0] = 0;
  times.b[1] = -1;
  times.a[2] = std::nan("");
  times.b[3] = kInfinity;
  times.a.push_back(1);  // without a partner
  const PairedChange change = change_of(times);
  EXPECT_EQ(change.pairs, 8u);
  EXPECT_EQ(change.kind, ChangeKind::kSlower);
  EXPECT_NEAR(change.ratio, 1.5, 1e-12);
}

TEST(PairedChange, AnswersToTheMostExtremeTimes) {
  const std::vector<double> tiny(10, std::numeric_limits<double>::denorm_min());
  const std::vector<double> huge(10, std::numeric_limits<double>::max());
  EXPECT_EQ(paired_change(tiny, huge, {}).kind, ChangeKind::kSlower);
  EXPECT_EQ(paired_change(huge, tiny, {}).kind, ChangeKind::kFaster);
}

TEST(PairedChange, AMarginIsBeyondTheThreshold) {
  ChangeOptions options;
  const SimulatedPairs pairs = with_ratios(std::vector<double>(10, 0.96));
  EXPECT_EQ(change_of(pairs, options).kind, ChangeKind::kFaster);
  options.margin = 0.03;
  EXPECT_EQ(change_of(pairs, options).kind, ChangeKind::kFaster);
  options.margin = 0.04;
  EXPECT_EQ(change_of(pairs, options).kind, ChangeKind::kUnclear);
  EXPECT_EQ(change_of(with_ratios(std::vector<double>(10, 1.0)), options).kind,
            ChangeKind::kUnclear);
}

TEST(PairedChange, NotSlowerIsLessThanTheSame) {
  const SimulatedPairs gain = with_ratios({0.97, 0.98, 0.99, 1.0, 0.999, 1.002});
  EXPECT_EQ(change_of(gain).kind, ChangeKind::kUnclear);
  EXPECT_TRUE(change_of(gain).not_slower);
  EXPECT_FALSE(change_of(with_ratios({0.97, 0.98, 0.99, 1.0, 0.999, 1.02})).not_slower);
}

TEST(PairedChange, NeverSettlesWhatCannotBeSettled) {
  // Half of the pairs each way, and no tolerance: no number of pairs gives a sign.
  ChangeOptions exact;
  exact.threshold = 0;
  const PairedChange change =
      change_of(with_ratios({1.01, 1 / 1.01, 1.01, 1 / 1.01, 1.01, 1 / 1.01}), exact);
  EXPECT_EQ(change.kind, ChangeKind::kUnclear);
  EXPECT_FALSE(change.pairs_needed);
  // Nor does any give certainty.
  ChangeOptions certain;
  certain.confidence = 1;
  EXPECT_FALSE(change_of(with_ratios(std::vector<double>(50, 2.0)), certain).pairs_needed);
}

TEST(PairedChange, ThePairsItAsksForSettleIt) {
  NoiseSource source(4);
  int unclear = 0;
  int settled = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const PairedChange first = change_of(simulate_pairs(Noise::kNormal, 8, 1.03, source, 2));
    if (first.kind != ChangeKind::kUnclear) continue;
    ++unclear;
    ASSERT_TRUE(first.pairs_needed);
    if (*first.pairs_needed > 100'000) continue;
    const auto second =
        change_of(simulate_pairs(Noise::kNormal, *first.pairs_needed, 1.03, source, 2));
    if (second.kind == ChangeKind::kSlower) ++settled;
  }
  EXPECT_GT(unclear, 50);
  // The change itself is known from eight pairs only, so that this is no 95 of 100.
  EXPECT_GE(settled, unclear * 80 / 100);
}

TEST(PairsToSee, GrowWithNoiseComparisonsAndSmallerChanges) {
  const ChangeOptions one;
  ChangeOptions many;
  many.comparisons = 500;
  EXPECT_EQ(pairs_to_see(0.03, 0, one), 13u);
  EXPECT_LT(pairs_to_see(0.03, 0.02, one), pairs_to_see(0.03, 0.04, one));
  EXPECT_LT(pairs_to_see(0.03, 0.02, one), pairs_to_see(0.01, 0.02, one));
  EXPECT_LT(pairs_to_see(0.03, 0.02, one), pairs_to_see(0.03, 0.02, many));
  // As many for a gain as for the loss that takes it back.
  EXPECT_EQ(pairs_to_see(0.25, 0.2, one), pairs_to_see(-0.2, 0.2, one));
  // What is tolerated is never seen.
  EXPECT_EQ(pairs_to_see(one.threshold, 0.01, one), std::numeric_limits<std::size_t>::max());
  const std::size_t never = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(pairs_to_see(0, 0.01, one), never);
  EXPECT_EQ(pairs_to_see(-2, 0.01, one), never);
  EXPECT_EQ(pairs_to_see(0.03, kInfinity, one), never);
  EXPECT_EQ(pairs_to_see(0.03, std::nan(""), one), never);
}

// Of a hundred, with noise of one per cent from start to start.
TEST(SmallestChangeSeen, IsSeenAsOftenAsPromised) {
  const double spread = 0.01 * std::sqrt(2.0);
  const int trials = effort(2000, 400, 50);
  for (const std::size_t pairs : {10, 20, 50}) {
    const double change = smallest_change_seen(pairs, spread, {});
    const auto found = [&](double effect) {
      NoiseSource source(pairs);
      int slower = 0;
      for (int trial = 0; trial < trials; ++trial) {
        const auto times = simulate_pairs(Noise::kNormal, pairs, 1 + effect, source);
        if (change_of(times).kind == ChangeKind::kSlower) ++slower;
      }
      return slower;
    };
    EXPECT_NEAR(found(change), 0.95 * trials, 3.5 * std::sqrt(0.05 * 0.95 * trials)) << pairs;
    EXPECT_LT(found(change / 2), 0.9 * trials) << pairs;
  }
  EXPECT_NEAR(smallest_change_seen(10, spread, {}), 0.031, 0.001);
  EXPECT_NEAR(smallest_change_seen(20, spread, {}), 0.020, 0.002);
  EXPECT_NEAR(smallest_change_seen(50, spread, {}), 0.015, 0.001);
  EXPECT_EQ(smallest_change_seen(5, spread, {}), kInfinity);
  // What is tolerated is not seen as a change by any number.
  EXPECT_NEAR(smallest_change_seen(1000, 0, {}), ChangeOptions().threshold, 1e-12);
}

TEST(SampleFlags, FewPairsAreNamedUntilThereAreEnough) {
  EXPECT_TRUE(has_flag(change_of(simulated(Noise::kNormal, 5, 1, 5)), "few-pairs"));
  EXPECT_FALSE(has_flag(change_of(simulated(Noise::kNormal, 6, 1, 5)), "few-pairs"));
}

struct FlagCase {
  Noise noise;
  std::string_view flag;
};

// Of 100 comparisons of 40 pairs.
int times_flagged(Noise noise, std::string_view flag) {
  NoiseSource source(6);
  int flagged = 0;
  for (int trial = 0; trial < 100; ++trial) {
    if (has_flag(change_of(simulate_pairs(noise, 40, 1, source)), flag)) ++flagged;
  }
  return flagged;
}

TEST(SampleFlags, AreRaisedByTheirNoise) {
  for (const FlagCase& noisy :
       {FlagCase{Noise::kDrift, "drift"}, FlagCase{Noise::kTwoClocks, "two-modes"},
        FlagCase{Noise::kFlicker, "two-modes"}, FlagCase{Noise::kOutliers, "outliers"},
        FlagCase{Noise::kSlowStart, "slow-start"}}) {
    EXPECT_GE(times_flagged(noisy.noise, noisy.flag), 95) << to_string(noisy.noise);
  }
}

TEST(SampleFlags, StaySilentWithoutIt) {
  for (const std::string_view flag :
       {"drift", "two-modes", "outliers", "slow-start", "no-spread"}) {
    EXPECT_LE(times_flagged(Noise::kNormal, flag), 3) << flag;
  }
  // What has one mode, however it is spread.
  for (const Noise noise : {Noise::kHeavyTailed, Noise::kDrift, Noise::kOutliers, Noise::kSlowStart,
                            Noise::kQuantised}) {
    EXPECT_LE(times_flagged(noise, "two-modes"), 3) << to_string(noise);
  }
  // The first sample is no outlier besides.
  EXPECT_LE(times_flagged(Noise::kSlowStart, "outliers"), 3);
}

TEST(SampleFlags, NoSpreadIsNamed) {
  const PairedChange change = change_of(with_ratios(std::vector<double>(20, 1.03)));
  EXPECT_EQ(change.flags, std::vector<std::string>{"no-spread"});
  EXPECT_EQ(change.spread, 0);
  EXPECT_EQ(change.kind, ChangeKind::kSlower);
  // A ratio that differs by rounding alone has no spread either.
  SimulatedPairs times = simulated(Noise::kNormal, 20, 1, 7);
  for (std::size_t i = 0; i < 20; ++i) times.b[i] = 1.03 * times.a[i];
  EXPECT_TRUE(has_flag(change_of(times), "no-spread"));
}

TEST(SampleFlags, WorkWithoutAnyNoiseBesides) {
  SimulatedPairs times = with_ratios(std::vector<double>(20, 1));
  for (std::size_t i = 0; i < 20; i += 2) times.a[i] = times.b[i] = 1120;
  EXPECT_EQ(change_of(times).flags, (std::vector<std::string>{"two-modes", "no-spread"}));
  times = with_ratios(std::vector<double>(20, 1));
  times.b[7] = 3000;
  EXPECT_EQ(change_of(times).flags, (std::vector<std::string>{"outliers", "no-spread"}));
}

class NoisyChange : public testing::TestWithParam<Noise> {};

// What the tool asks for after a first try of a few pairs.
std::size_t pairs_asked_for(Noise noise, const ChangeOptions& options, NoiseSource& source) {
  const PairedChange pilot = change_of(simulate_pairs(noise, kPilot, 1, source), options);
  return pairs_to_see(0.03, pilot.spread, options);
}

TEST_P(NoisyChange, NoneIsSeenIn500KernelsThatDidNotChange) {
  ChangeOptions options;
  options.comparisons = 500;
  NoiseSource source(8);
  const int comparisons = effort(20, 4, 1);
  int alarms = 0;
  for (int comparison = 0; comparison < comparisons; ++comparison) {
    // More pairs would only take longer: the chance of a false alarm is the same.
    const std::size_t pairs =
        std::min<std::size_t>(60, pairs_asked_for(GetParam(), options, source));
    bool any = false;
    for (std::size_t kernel = 0; kernel < options.comparisons; ++kernel) {
      const ChangeKind kind = change_of(simulate_pairs(GetParam(), pairs, 1, source), options).kind;
      any = any || kind == ChangeKind::kFaster || kind == ChangeKind::kSlower;
    }
    if (any) ++alarms;
  }
  // At most one in twenty, and three standard errors of so few.
  EXPECT_LE(alarms, 0.05 * comparisons + 3 * std::sqrt(0.05 * 0.95 * comparisons));
}

TEST_P(NoisyChange, ThreePercentAreFoundWithThePairsAskedFor) {
  const int trials = effort(100, 100, 20);
  for (const std::size_t comparisons : {1, 500}) {
    ChangeOptions options;
    options.comparisons = comparisons;
    NoiseSource source(9);
    int found = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const std::size_t pairs = pairs_asked_for(GetParam(), options, source);
      const ChangeKind kind =
          change_of(simulate_pairs(GetParam(), pairs, 1.03, source), options).kind;
      EXPECT_NE(kind, ChangeKind::kFaster);
      if (kind == ChangeKind::kSlower) ++found;
    }
    EXPECT_GE(found, trials * 95 / 100) << comparisons << " comparisons";
  }
}

// With the fewest pairs and much noise, where being wrong is easiest.
TEST_P(NoisyChange, ASlowDownIsNotTakenForAGain) {
  const int trials = effort(2000, 2000, 200);
  NoiseSource source(10);
  int wrong = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t pairs = 6 + static_cast<std::size_t>(trial % 10);
    const ChangeKind kind = change_of(simulate_pairs(GetParam(), pairs, 1.03, source, 3)).kind;
    if (kind == ChangeKind::kFaster) ++wrong;
  }
  EXPECT_LE(wrong, trials * 25 / 1000);
}

std::string noise_name(const testing::TestParamInfo<Noise>& info) {
  std::string name(to_string(info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Noises, NoisyChange, testing::ValuesIn(all_noises()), noise_name);

}  // namespace
}  // namespace proofline::paired_change_test
