// SPDX-License-Identifier: Apache-2.0
//
// What interleaved starts say of the noise here: how many starts a change needs, and how often
// nothing is taken for one.
#include "diagnosis/decision/selftest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "views/measurement/selftest_document.h"

namespace proofline::selftest_test {
namespace {

// Pairs with this deviation from start to start; B is so many times as slow.
BenchmarkSeries noisy_series(std::size_t starts, double deviation, double factor) {
  BenchmarkSeries series;
  series.interleaved = true;
  std::uint64_t state = 7;
  const auto uniform = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 11U) * 0x1p-53;
  };
  for (const double slow : {1.0, factor}) {
    Measurement measurement;
    measurement.benchmark = "fake";
    for (std::uint32_t run = 0; run < starts; ++run) {
      const double noise = uniform() + uniform() + uniform() + uniform() - 2;  // of variance 1/3
      measurement.samples.push_back(
          {1e5 * slow * (1 + deviation * 1.732 * noise), {}, false, run, {}});
    }
    series.sides.push_back({slow == 1.0 ? "a" : "b", {}});
    series.sides.back().benchmark.measurements.push_back(std::move(measurement));
  }
  return series;
}

TEST(StartsNeeded, GrowWithTheSpreadAndShrinkWithTheEffect) {
  const StartsNeeded calm = starts_needed(noisy_series(6, 0.002, 1.001), 0.03);
  const StartsNeeded noisy = starts_needed(noisy_series(6, 0.05, 1.001), 0.03);
  EXPECT_GT(calm.starts, 0U);
  EXPECT_LT(calm.starts, noisy.starts);
  EXPECT_LT(noisy.starts, starts_needed(noisy_series(6, 0.05, 1.001), 0.01).starts);
  EXPECT_EQ(noisy.configuration, "fake");
  EXPECT_NEAR(noisy.spread, 0.07, 0.06);
}

TEST(StartsNeeded, AreNotKnownWithoutTwoSides) {
  BenchmarkSeries one = noisy_series(6, 0.01, 1.001);
  one.sides.pop_back();
  EXPECT_EQ(starts_needed(one, 0.03).starts, 0U);
}

TEST(Selftest, KeepsThePromiseOnPlainNoise) {
  const auto selftest = judge_selftest(noisy_series(20, 0.01, 1.0000001));
  ASSERT_TRUE(selftest) << selftest.error().message;
  EXPECT_TRUE(selftest->false_alarms.kept());
  EXPECT_LE(selftest->false_alarms.rate, 0.06);
  EXPECT_LT(selftest->false_alarms.low, selftest->false_alarms.high);
  ASSERT_EQ(selftest->configurations.size(), 1U);
  const SelftestConfiguration& one = selftest->configurations[0];
  EXPECT_NEAR(one.spread, 0.014, 0.007);
  EXPECT_EQ(one.compared.pairs, 20U);
  ASSERT_EQ(one.detectable.size(), 5U);
  for (std::size_t i = 1; i < one.detectable.size(); ++i) {
    EXPECT_LE(one.detectable[i].change, one.detectable[i - 1].change);
  }
}

// What depends on the order or on the side is in no pair that is turned round at random.
TEST(Selftest, AProgramThatDiffersFromItselfBreaksThePromise) {
  const auto selftest = judge_selftest(noisy_series(20, 0.001, 1.02));
  ASSERT_TRUE(selftest) << selftest.error().message;
  EXPECT_EQ(selftest->false_alarms.observed, 1U);
  EXPECT_FALSE(selftest->false_alarms.kept());
}

TEST(Selftest, NoAlarmMayMeanThatThereIsNone) {
  const FalseAlarms alarms = judge_selftest(noisy_series(20, 0.0001, 1.0000001))->false_alarms;
  EXPECT_EQ(alarms.alarms, 0U);
  EXPECT_EQ(alarms.low, 0);
  EXPECT_GT(alarms.high, 0);
}

TEST(Selftest, GivesTheSameAnswerTwice) {
  const BenchmarkSeries series = noisy_series(12, 0.02, 1.0000001);
  EXPECT_EQ(judge_selftest(series)->false_alarms.alarms,
            judge_selftest(series)->false_alarms.alarms);
}

TEST(Selftest, SeesDrift) {
  BenchmarkSeries series = noisy_series(12, 0.0001, 1.0000001);
  for (BenchmarkSide& side : series.sides) {
    for (Sample& sample : side.benchmark.measurements[0].samples)
      sample.ns *= 1 + 0.01 * sample.run;
  }
  EXPECT_NEAR(judge_selftest(series)->configurations.at(0).drift, 0.079, 0.002);
}

TEST(Selftest, NeedsSomethingToCompare) {
  const auto selftest = judge_selftest(noisy_series(2, 0.01, 1.0000001));
  ASSERT_FALSE(selftest);
  EXPECT_EQ(selftest.error().kind, ErrorKind::kInput);
}

std::string title_of(const Selftest& selftest) {
  return std::get<Points>(compose_selftest(selftest).blocks.at(0)).points.at(0).title;
}

TEST(Selftest, ThePromiseIsBrokenOnlyBeyondChance) {
  Selftest selftest;
  selftest.false_alarms = {0.05, 0, 1000, 58, 0.058, 0.045, 0.074};
  EXPECT_TRUE(selftest.false_alarms.kept());
  EXPECT_TRUE(title_of(selftest).starts_with("The promise holds: 5.8 %")) << title_of(selftest);
  selftest.false_alarms = {0.05, 0, 1000, 90, 0.09, 0.074, 0.109};
  EXPECT_FALSE(selftest.false_alarms.kept());
  EXPECT_TRUE(title_of(selftest).starts_with("Too many false alarms: 9 %")) << title_of(selftest);
}

}  // namespace
}  // namespace proofline::selftest_test
