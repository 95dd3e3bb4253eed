// SPDX-License-Identifier: Apache-2.0
//
// What samples must be like to be compared, and what becomes of those that are not.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "diagnosis/decision/decide.h"
#include "support/benchmark_sides.h"

namespace proofline::decide_samples_test {
namespace {

TEST(DecideSamples, OneOrTwoSamplesGiveNoPercentage) {
  for (const std::size_t count : {1U, 2U}) {
    const Decision decision = TwoSides({0.1}, {1, count, 0.001}).decided();
    EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
    EXPECT_TRUE(says(decision.reason, "cannot compare"));
    EXPECT_FALSE(says(decision.reason + all_next(decision), "%"));
    EXPECT_EQ(decision.configurations.at(0).pairs, 0U);
    EXPECT_TRUE(holds(decision.configurations.at(0).flags, "too-few-samples"));
    EXPECT_FALSE(decision.overall);
  }
}

TEST(DecideSamples, ASummaryAloneIsInconclusive) {
  TwoSides sides({0.5});
  sides.each_b([](Measurement& one) {
    one.samples.clear();
    one.summary_ns = 1;
    one.summary_kind = "median";
  });
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(says(all_next(decision), "--benchmark_repetitions"));
  EXPECT_TRUE(holds(decision.configurations.at(0).flags, "summary-only"));
}

TEST(DecideSamples, ThrottledSamplesAreSetApart) {
  TwoSides sides({1.0});
  // Held back, half of B takes twice as long; without those it is the same.
  sides.each_b([](Measurement& one) {
    for (std::size_t i = 0; i < one.samples.size(); i += 2) {
      one.samples[i].ns *= 2;
      one.samples[i].throttled = true;
    }
  });
  const Decision decision = sides.decided();
  EXPECT_EQ(changes(decision), (Texts{"same"}));
  EXPECT_EQ(decision.configurations.at(0).throttled, 50U);
  EXPECT_TRUE(says(all_notes(decision), "50 samples: taken while the GPU was held back"));
  sides.each_b([](Measurement& one) {
    for (Sample& sample : one.samples) sample.throttled = true;
  });
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive);
  const DecidedConfiguration throttled = sides.decided().configurations.at(0);
  EXPECT_TRUE(holds(throttled.flags, "throttled"));
  EXPECT_GT(throttled.b_ns, 0) << "shown, and marked by the flag";
}

TEST(DecideSamples, OneStartOfEachIsCutIntoStretches) {
  TwoSides sides({0.8}, {1, 200, 0.002});
  sides.interleaved = false;
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  const DecidedConfiguration& one = decision.configurations.at(0);
  EXPECT_EQ(one.pairs, 30U);
  EXPECT_FALSE(one.interleaved);
  EXPECT_TRUE(holds(one.flags, "one-process"));
  EXPECT_TRUE(holds(one.flags, "measured-apart"));
  EXPECT_TRUE(says(all_notes(decision), "what differs between starts is not in the interval"));
}

// However many samples it has: the next start may differ by as much.
TEST(DecideSamples, OneStartOfEachShowsLargeChangesOnly) {
  for (const double factor : {0.95, 1.0, 1.05}) {
    const Decision decision = TwoSides({factor}, {1, 2000, 0.0001}).decided();
    EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive) << factor;
    EXPECT_TRUE(says(all_next(decision), "start both programs at least ten times"));
  }
  EXPECT_EQ(TwoSides({1.2}, {1, 2000, 0.0001}).decided().verdict, DecisionVerdict::kRevert);
}

TEST(DecideSamples, RunsAreTheUnitWhereThereAreEnough) {
  TwoSides sides({0.8}, {12, 50, 0.002});
  sides.interleaved = false;
  const DecidedConfiguration one = sides.decided().configurations.at(0);
  EXPECT_EQ(one.pairs, 12U);  // however many samples a run has
  EXPECT_FALSE(holds(one.flags, "one-process"));
  EXPECT_TRUE(holds(one.flags, "measured-apart"));
}

TEST(DecideSamples, RunsAreMatchedByNumber) {
  TwoSides sides({1.0});
  // The machine slows down from run to run; B lacks the first five runs.
  for (Benchmark* side : {&sides.a, &sides.b}) {
    for (Sample& sample : side->measurements[0].samples) sample.ns *= 1 + 0.05 * sample.run;
  }
  std::erase_if(sides.b.measurements[0].samples, [](const Sample& one) { return one.run < 5; });
  const Decision decision = sides.decided();
  EXPECT_EQ(changes(decision), (Texts{"same"}));
  EXPECT_EQ(decision.configurations.at(0).pairs, 15U);
}

void set_clock(Measurement& measurement, double mhz) {
  for (Sample& sample : measurement.samples) sample.sm_mhz = mhz;
}

TEST(DecideSamples, AClockChangeIsNotTakenForAGain) {
  TwoSides sides({0.9});
  set_clock(sides.a.measurements[0], 1800);
  set_clock(sides.b.measurements[0], 2000);
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(says(decision.reason, "the clock changed, not the code"));
  EXPECT_EQ(changes(decision), (Texts{"unclear"}));
  ASSERT_TRUE(decision.configurations.at(0).cycles);
  EXPECT_NEAR(decision.configurations.at(0).cycles->ratio, 1, 0.003);
  // Nor is a small gain taken for a large one.
  TwoSides mixed({0.7});
  set_clock(mixed.a.measurements[0], 1400);
  set_clock(mixed.b.measurements[0], 1980);
  EXPECT_EQ(mixed.decided().verdict, DecisionVerdict::kInconclusive);
  // Nor does it hide a loss.
  TwoSides hidden({1.0});
  set_clock(hidden.a.measurements[0], 1800);
  set_clock(hidden.b.measurements[0], 2000);
  hidden.options.keep_same = true;
  EXPECT_EQ(hidden.decided().verdict, DecisionVerdict::kInconclusive);
}

TEST(DecideSamples, TheSameClockSaysTheSameInCycles) {
  TwoSides sides({0.9});
  set_clock(sides.a.measurements[0], 1800);
  set_clock(sides.b.measurements[0], 1800);
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_NEAR(decision.configurations.at(0).cycles->ratio, decision.configurations.at(0).time.ratio,
              1e-9);
}

TEST(DecideSamples, OddNumbersDoNoHarm) {
  TwoSides sides({0.5});
  sides.each_b([](Measurement& one) {
    for (const double ns : {0.0, -1.0, 1e308, 1e-308, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
      Sample sample;
      sample.ns = ns;
      sample.sm_mhz = ns;
      one.samples.push_back(sample);
    }
  });
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
}

TEST(DecideSamples, RatesAreOfTheDeclaredWork) {
  TwoSides sides({0.5});
  sides.a.measurements[0].bytes = sides.b.measurements[0].bytes = 1e9;
  const DecidedConfiguration one = sides.decided().configurations.at(0);
  ASSERT_TRUE(one.a_rate);
  EXPECT_EQ(one.rate_unit, "B/s");
  EXPECT_NEAR(*one.b_rate / *one.a_rate, 2, 0.02);
}

}  // namespace
}  // namespace proofline::decide_samples_test
