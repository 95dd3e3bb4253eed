// SPDX-License-Identifier: Apache-2.0
//
// What samples must be like to be compared, and what becomes of those that are not.
#include <gtest/gtest.h>

#include <limits>
#include <utility>
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

void keep_summary_alone(Measurement& one, double ns) {
  one.samples.clear();
  one.summary_ns = ns;
  one.summary_kind = "mean";
  one.summary_of = 500;
}

TEST(DecideSamples, SummariesDecideLargeChangesOnlyAndSaySo) {
  for (const auto& [ratio, verdict] :
       {std::pair(0.85, DecisionVerdict::kKeep), std::pair(0.92, DecisionVerdict::kInconclusive),
        std::pair(1.0, DecisionVerdict::kInconclusive),
        std::pair(1.08, DecisionVerdict::kInconclusive),
        std::pair(1.2, DecisionVerdict::kRevert)}) {
    TwoSides sides({1.0});
    sides.interleaved = false;
    keep_summary_alone(sides.a.measurements[0], 1e5);
    keep_summary_alone(sides.b.measurements[0], 1e5 * ratio);
    const Decision decision = sides.decided();
    EXPECT_EQ(decision.verdict, verdict) << ratio;
    EXPECT_TRUE(holds(decision.configurations.at(0).flags, "summary-only"));
    EXPECT_TRUE(says(all_notes(decision), "only changes beyond 10 % are decided"));
    if (verdict == DecisionVerdict::kInconclusive) {
      EXPECT_TRUE(says(all_next(decision), "--benchmark_repetitions"));
    } else {
      EXPECT_TRUE(says(decision.reason, "from summaries without samples"));
    }
  }
}

void throttle(Measurement& one, std::size_t every, double slow) {
  for (std::size_t i = 0; i < one.samples.size(); i += every) {
    one.samples[i].ns *= slow;
    one.samples[i].throttled = true;
  }
}

void set_clock(Measurement& measurement, double mhz) {
  for (Sample& sample : measurement.samples) sample.sm_mhz = mhz;
}

// Without its throttled samples B would be faster.
TEST(DecideSamples, AThrottledSideIsNotTakenForTheRestOfIt) {
  TwoSides sides({0.9});
  throttle(sides.b.measurements[0], 2, 1.5);
  const Decision decision = sides.decided();
  EXPECT_NE(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(decision.configurations.at(0).throttled, 50U);
  EXPECT_EQ(decision.configurations.at(0).b_throttled, 0.5);
  EXPECT_TRUE(holds(decision.configurations.at(0).flags, "throttled-unequally"));
  EXPECT_TRUE(says(all_notes(decision), "50 samples: taken while the GPU was held back"));
}

TEST(DecideSamples, AGainIsWithheldWhereTheOtherSideWasHeldBack) {
  TwoSides sides({0.9});
  throttle(sides.a.measurements[0], 2, 1);
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(says(decision.reason, "held back in 50 % of A's samples and 0 % of B's"));
}

// Being held back takes clocks away, not cycles.
TEST(DecideSamples, AGainInCyclesTooIsNotThrottlings) {
  for (const auto& [a_mhz, verdict] : {std::pair(1980.0, DecisionVerdict::kKeep),
                                       std::pair(1785.0, DecisionVerdict::kInconclusive)}) {
    TwoSides sides({0.9});
    throttle(sides.a.measurements[0], 2, 1);
    set_clock(sides.a.measurements[0], a_mhz);
    set_clock(sides.b.measurements[0], 1980);
    const Decision decision = sides.decided();
    EXPECT_EQ(decision.verdict, verdict) << a_mhz;
    EXPECT_TRUE(holds(decision.configurations.at(0).flags, "throttled-unequally"));
  }
}

TEST(DecideSamples, BothAtThePowerLimitAreDecidedAndLabelled) {
  TwoSides sides({0.7});
  throttle(sides.a.measurements[0], 1, 1);
  throttle(sides.b.measurements[0], 1, 1);
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_TRUE(says(decision.reason, "; at the power limit"));
  EXPECT_TRUE(holds(decision.configurations.at(0).flags, "at-the-power-limit"));
}

TEST(DecideSamples, AMeanThatIsSlowerWithholdsAGain) {
  TwoSides sides({0.95}, {20, 20, 0.002});
  for (std::size_t i = 0; i < 400; ++i) {
    if (i % 20 < 9) sides.b.measurements[0].samples[i].ns *= 3;
  }
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(says(decision.reason, "but B's mean is 1.81 times A's"));
  const DecidedConfiguration& one = decision.configurations.at(0);
  EXPECT_TRUE(holds(one.flags, "slower-mean"));
  EXPECT_LT(one.time.ratio, 1);
  EXPECT_NEAR(one.mean_ratio.value_or(0), 1.8, 0.05);
  EXPECT_NEAR(one.upper_ratio.value_or(0), 2.85, 0.05);
}

// The mean is still faster: half as long in most starts, twice as long in three of twenty.
TEST(DecideSamples, ASlowEndWithholdsAGain) {
  TwoSides sides({0.5}, {20, 1, 0.002});
  for (const std::size_t i : {3U, 9U, 16U}) sides.b.measurements[0].samples[i].ns *= 4;
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(holds(decision.configurations.at(0).flags, "slower-end"));
  EXPECT_LT(decision.configurations.at(0).mean_ratio.value_or(2), 1);
  // What both sides do alike withholds nothing.
  for (const std::size_t i : {2U, 8U, 15U}) sides.a.measurements[0].samples[i].ns *= 3;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
}

TEST(DecideSamples, ASlowTailIsADifference) {
  TwoSides sides({1.0}, {20, 20, 0.002});
  for (std::size_t i = 0; i < 400; ++i) {
    if (i % 20 < 5) sides.b.measurements[0].samples[i].ns *= 2;
  }
  sides.options.keep_same = true;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive);
}

// More of them never give less of an answer.
TEST(DecideSamples, OneOrTwoStartsInTurnAreInconclusive) {
  for (const std::size_t starts : {1U, 2U, 3U, 5U}) {
    const Decision decision = TwoSides({0.5}, {starts, 40, 0.002}).decided();
    EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive) << starts;
    EXPECT_EQ(decision.configurations.at(0).pairs, starts < 3 ? 0 : starts);
  }
  EXPECT_TRUE(says(TwoSides({0.5}, {1, 40, 0.002}).decided().reason,
                   "cannot compare at n=1024: 1 run of each side"));
  EXPECT_EQ(TwoSides({0.5}, {6, 40, 0.002}).decided().verdict, DecisionVerdict::kKeep);
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
  EXPECT_TRUE(says(all_notes(decision), "what differs between runs is not in the interval"));
}

// However many samples it has: the next start may differ by as much.
TEST(DecideSamples, OneStartOfEachShowsLargeChangesOnly) {
  for (const double factor : {0.95, 1.0, 1.05}) {
    TwoSides sides({factor}, {1, 2000, 0.0001});
    sides.interleaved = false;
    EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive) << factor;
    EXPECT_TRUE(says(all_next(sides.decided()), "run both programs at least ten times"));
  }
  TwoSides slower({1.2}, {1, 2000, 0.0001});
  slower.interleaved = false;
  EXPECT_EQ(slower.decided().verdict, DecisionVerdict::kRevert);
}

// The GPU was warmer, or had a neighbour.
TEST(DecideSamples, SidesMeasuredApartShowNoSmallChange) {
  for (const double factor : {0.98, 1.0, 1.02}) {
    TwoSides sides({factor});
    sides.interleaved = false;
    EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive) << factor;
    EXPECT_TRUE(
        says(all_next(sides.decided()), "measured apart, equal programs may differ by 3 %"));
    sides.interleaved = true;
    EXPECT_NE(sides.decided().verdict, DecisionVerdict::kInconclusive) << factor;
  }
  TwoSides clear({0.9});
  clear.interleaved = false;
  EXPECT_EQ(clear.decided().verdict, DecisionVerdict::kKeep);
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
  // A change in cycles that is too small to matter does not make the clock's one a gain.
  TwoSides little({0.898});
  set_clock(little.a.measurements[0], 1800);
  set_clock(little.b.measurements[0], 2000);
  const Decision of_little = little.decided();
  EXPECT_EQ(of_little.verdict, DecisionVerdict::kInconclusive);
  EXPECT_LT(of_little.configurations.at(0).cycles->high, 1);
  // Where both say faster, the clock's part in it changes nothing.
  TwoSides mixed({0.7});
  set_clock(mixed.a.measurements[0], 1965);
  set_clock(mixed.b.measurements[0], 1980);
  EXPECT_EQ(mixed.decided().verdict, DecisionVerdict::kKeep);
  // Nor does it hide a loss.
  TwoSides hidden({1.0});
  set_clock(hidden.a.measurements[0], 1800);
  set_clock(hidden.b.measurements[0], 2000);
  hidden.options.keep_same = true;
  EXPECT_EQ(hidden.decided().verdict, DecisionVerdict::kInconclusive);
}

// At the power limit the clock jumps from run to run, and cycles with it; B's is lower here.
TEST(DecideSamples, AClockThatWentTheOtherWayIsNoObjection) {
  TwoSides sides({0.92});
  for (Sample& one : sides.a.measurements[0].samples) one.sm_mhz = one.run % 2 == 0 ? 1500 : 1930;
  set_clock(sides.b.measurements[0], 1700);
  EXPECT_GT(sides.decided().configurations.at(0).cycles->high, 1);
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  std::swap(sides.a, sides.b);
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kRevert);
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

TEST(DecideSamples, PowerAndMemoryStandBesideTheTime) {
  TwoSides sides({0.5});
  EXPECT_FALSE(sides.decided().configurations.at(0).a_watts);
  for (Sample& sample : sides.a.measurements[0].samples) sample.watts = 400;
  for (Sample& sample : sides.b.measurements[0].samples) sample.watts = 650;
  sides.a.measurements[0].peak_memory_bytes = 1U << 30U;
  sides.b.measurements[0].peak_memory_bytes = 1U << 20U;
  const DecidedConfiguration one = sides.decided().configurations.at(0);
  EXPECT_EQ(one.a_watts, 400);
  EXPECT_EQ(one.b_watts, 650);
  EXPECT_EQ(one.b_peak_bytes, 1U << 20U);
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
