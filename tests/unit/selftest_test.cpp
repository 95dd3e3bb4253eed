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

#include "diagnosis/decision/outlook.h"
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

// A fixed confidence that holds at any number of starts.
TEST(Outlook, ClearsWhereEveryConfigurationIs) {
  EXPECT_TRUE(outlook_on(noisy_series(8, 0.002, 1.6), {}, 0.03).clear);
  EXPECT_FALSE(outlook_on(noisy_series(7, 0.002, 1.6), {}, 0.03).clear) << "one start less";
  const Outlook calm = outlook_on(noisy_series(8, 0.01, 1.02), {}, 0.03);
  const Outlook noisy = outlook_on(noisy_series(8, 0.05, 1.02), {}, 0.03);
  EXPECT_FALSE(noisy.clear);
  EXPECT_LT(calm.starts, noisy.starts);
}

// That nothing will lift what speaks against an answer does not make one of it.
TEST(Outlook, GoesOnWhileNothingIsThereToWithhold) {
  for (const auto& [starts, clear] : {std::pair(7, false), std::pair(8, true)}) {
    BenchmarkSeries series = noisy_series(starts, 0.002, 0.6);
    for (Measurement& one : series.sides.front().benchmark.measurements) {
      for (Sample& sample : one.samples) sample.throttled = true;
    }
    EXPECT_EQ(outlook_on(series, {}, 0.03).clear, clear) << starts;
  }
}

TEST(Outlook, RulesOutTheEffect) {
  EXPECT_TRUE(outlook_on(noisy_series(30, 0.01, 1.001), {}, 0.03).effect_ruled_out);
  EXPECT_FALSE(outlook_on(noisy_series(30, 0.1, 1.001), {}, 0.03).effect_ruled_out);
}

TEST(Outlook, IsNeverClearWithoutAComparison) {
  BenchmarkSeries one = noisy_series(6, 0.01, 1.001);
  one.sides.pop_back();
  EXPECT_FALSE(outlook_on(one, {}, 0.03).clear);
}

TEST(Selftest, KeepsThePromiseOnPlainNoise) {
  const auto selftest = judge_selftest(noisy_series(20, 0.01, 1.0000001));
  ASSERT_TRUE(selftest) << selftest.error().message;
  EXPECT_TRUE(selftest->false_alarms.kept());
  EXPECT_EQ(selftest->false_alarms.window, 6U);
  EXPECT_EQ(selftest->false_alarms.comparisons, 3U);
  EXPECT_EQ(selftest->false_alarms.alarms, 0U);
  EXPECT_LT(selftest->false_alarms.low, selftest->false_alarms.high);
  ASSERT_EQ(selftest->configurations.size(), 1U);
  const SelftestConfiguration& one = selftest->configurations[0];
  EXPECT_NEAR(one.spread, 0.014, 0.007);
  EXPECT_EQ(one.compared.pairs, 20U);
  EXPECT_NEAR(one.smallest_visible, 0.022, 0.012);
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
  selftest.starts = 20;
  selftest.false_alarms = {0.05, 0, 6, 3, 1, 0.33, 0.008, 0.91};
  EXPECT_TRUE(selftest.false_alarms.kept());
  EXPECT_TRUE(title_of(selftest).starts_with("No false alarm as it ran")) << title_of(selftest);
  selftest.false_alarms = {0.05, 0, 6, 20, 9, 0.45, 0.23, 0.68};
  EXPECT_FALSE(selftest.false_alarms.kept());
  EXPECT_EQ(title_of(selftest), "Too many false alarms: 9 of 20 windows of 6 runs report a change");
}

// For a while one side is slower, then the other: over all starts that evens out.
TEST(Selftest, WindowsAreTakenInTheOrderInWhichTheyRan) {
  BenchmarkSeries series = noisy_series(60, 0.001, 1.0000001);
  for (std::size_t side = 0; side < 2; ++side) {
    for (Sample& sample : series.sides[side].benchmark.measurements[0].samples) {
      if (sample.run / 6 % 2 == side) sample.ns *= 1.05;
    }
  }
  const auto selftest = judge_selftest(series);
  ASSERT_TRUE(selftest) << selftest.error().message;
  EXPECT_EQ(selftest->false_alarms.observed, 0U);
  EXPECT_EQ(selftest->false_alarms.alarms, 10U);
  EXPECT_FALSE(selftest->false_alarms.kept());
}

// That nothing is seen is no praise where nothing could be.
TEST(Selftest, SaysWhatTheNoiseHides) {
  const auto selftest = judge_selftest(noisy_series(20, 0.3, 1.0000001));
  ASSERT_TRUE(selftest) << selftest.error().message;
  EXPECT_GT(selftest->configurations.at(0).smallest_visible, 0.3);
  EXPECT_NE(title_of(*selftest).find("20 runs show changes of"), std::string::npos);
}

}  // namespace
}  // namespace proofline::selftest_test
