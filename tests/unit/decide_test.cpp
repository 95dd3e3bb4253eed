// SPDX-License-Identifier: Apache-2.0
//
// Each verdict and its sentence, which configuration is compared with which, and the explanation.
#include "diagnosis/decision/decide.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "support/benchmark_sides.h"

namespace proofline::decide_test {
namespace {

TEST(Decide, AClearGainIsKept) {
  const Decision decision = TwoSides({0.763}).decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_TRUE(says(decision.reason, "1.31"));
  EXPECT_TRUE(says(decision.reason, "x faster ("));
  EXPECT_TRUE(says(decision.reason, "clear gain"));
  EXPECT_TRUE(decision.next.empty());
  ASSERT_TRUE(decision.overall);
  EXPECT_NEAR(decision.overall->ratio, 0.763, 0.002);
  const DecidedConfiguration& one = decision.configurations.at(0);
  EXPECT_EQ(one.change, "faster");
  EXPECT_EQ(one.pairs, 20U);
  EXPECT_TRUE(one.interleaved);
  EXPECT_LE(one.time.low, one.time.ratio);
  EXPECT_LE(one.time.ratio, one.time.high);
  EXPECT_NEAR(one.a_ns, 1e5, 500);
  EXPECT_NEAR(one.b_ns, 76300, 500);
}

TEST(Decide, ASmallGainIsKeptWhereItHelps) {
  const Decision decision = TwoSides({0.98, 1.0}).decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(changes(decision), (Texts{"faster", "same"}));
  EXPECT_TRUE(says(decision.reason, "at n=1024, faster in 1 of 2 configurations"));
  EXPECT_TRUE(says(decision.reason, "the same at n=2048; no configuration is slower"));
  EXPECT_TRUE(says(all_next(decision), "where it helps: at n=1024"));
}

TEST(Decide, ARegressionAnywhereReverts) {
  const Decision decision = TwoSides({0.8, 1.08, 1.0}).decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kRevert);
  EXPECT_TRUE(says(decision.reason, "1.080 times as long ("));
  EXPECT_TRUE(says(decision.reason, "at n=2048"));
  EXPECT_TRUE(says(all_next(decision), "keep it for those alone where it is faster: at n=1024"));
}

TEST(Decide, NoDifferenceIsAVerdictOfItsOwn) {
  TwoSides sides({1.0, 1.0});
  for (const bool keep_same : {false, true}) {
    sides.options.keep_same = keep_same;
    const Decision decision = sides.decided();
    EXPECT_EQ(decision.verdict, DecisionVerdict::kNoDifference);
    EXPECT_EQ(verdict_text(decision), "NO DIFFERENCE (above 0.5 %)");
    EXPECT_TRUE(says(decision.reason, "below 0.5 % in all 2 configurations"));
    EXPECT_EQ(decision.keep_same, keep_same);
  }
}

// Not faster for certain, and not the same for certain, but no slower.
TEST(Decide, WhereItMustNotCostItNeedNotBeKnownWhetherItGains) {
  TwoSides sides({0.992}, {12, 1, 0.008});
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive);
  sides.options.keep_same = true;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kNoDifference);
  EXPECT_TRUE(says(sides.decided().reason, "B is slower by at most 0.5 %: it takes"));
  TwoSides slower({1.008}, {12, 1, 0.008});
  slower.options.keep_same = true;
  EXPECT_EQ(slower.decided().verdict, DecisionVerdict::kInconclusive);
}

// A change of which a part is within the threshold is no gain yet.
TEST(Decide, FasterMeansThatTheBoundIsBeyondTheThreshold) {
  TwoSides sides({0.99});
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  sides.options.threshold = 0.0101;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive);
}

TEST(Decide, NamesTheCrossoverAlongAnAxis) {
  EXPECT_TRUE(says(TwoSides({1.1, 1.05, 0.9, 0.8}).decided().reason,
                   "; it pays for n >= 4096 only: the crossover lies between n=2048 and n=4096"));
  EXPECT_TRUE(says(TwoSides({0.8, 0.9, 1.1}).decided().reason, "; it pays for n <= 2048 only: "));
  // A winner that changes twice crosses nowhere in particular.
  EXPECT_FALSE(says(TwoSides({1.1, 0.9, 1.1}).decided().reason, "crossover"));
}

TEST(Decide, WhatCostsNextToNothingStopsNoGain) {
  TwoSides sides({0.8, 1.05});
  for (Benchmark* side : {&sides.a, &sides.b}) {
    for (Sample& sample : side->measurements[1].samples) sample.ns /= 1000;
  }
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(changes(decision), (Texts{"faster", "slower"}));
  EXPECT_TRUE(says(decision.reason, "what may be lost at n=2048 is below 0.5 % of the time"));
  // As often as it runs here, it matters.
  sides.options.weights = {{"n=2048", 1000}};
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kRevert);
}

TEST(Decide, StartsThatWereAddedUntilItWasClearNeedAWiderInterval) {
  TwoSides sides({0.8}, {7, 1, 0.002});
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  sides.a.until_clear = sides.b.until_clear = true;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(sides.decided().until_clear);
}

TEST(Decide, NoiseIsInconclusiveAndSaysHowMuchMoreIsNeeded) {
  const Decision decision = TwoSides({0.995}, {10, 3, 0.05}).decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_EQ(changes(decision), (Texts{"unclear"}));
  const auto needed = decision.configurations.at(0).pairs_needed;
  ASSERT_TRUE(needed);
  EXPECT_GT(*needed, 10U);
  EXPECT_TRUE(says(all_next(decision), "about " + group_digits(*needed) + " runs"));
}

TEST(Decide, AGainThatMayBeTooSmallIsSaidToBeOne) {
  const Decision decision = TwoSides({0.994}, {16, 3, 0.006}).decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  ASSERT_EQ(decision.configurations.size(), 1U);
  EXPECT_LT(decision.configurations[0].time.high, 1);
  EXPECT_TRUE(says(decision.reason, "whether B is faster by 0.5 % or more: B takes"))
      << decision.reason;
}

TEST(Decide, OneUnclearConfigurationLeavesAllOpen) {
  TwoSides sides({0.8});
  SideNoise noise;
  sides.a.measurements.push_back(measured(noise, "9", 1e5, {10, 3, 0.05}));
  sides.b.measurements.push_back(measured(noise, "9", 1e5, {10, 3, 0.05}));
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(says(decision.reason, "cannot tell at n=9"));
  EXPECT_TRUE(says(decision.reason, "faster in 1 of 2 configurations"));
  ASSERT_TRUE(decision.overall);  // of the 10 runs that both have
  EXPECT_NEAR(decision.overall->ratio, std::sqrt(0.8), 0.05);
}

TEST(Decide, TheWholeIsOfWhatCanBeCompared) {
  TwoSides sides({0.8, 0.8});
  sides.each_b([](Measurement& one) {
    if (one.axes[0].value == "1024") one.samples.resize(2);
  });
  const Decision decision = sides.decided();
  ASSERT_TRUE(decision.overall);
  EXPECT_NEAR(decision.overall->ratio, 0.8, 0.01);
}

TEST(Decide, EqualProgramsInManyConfigurationsAreNotCalledChanged) {
  const std::size_t count = 100;
  const Decision decision = TwoSides(std::vector<double>(count, 1.0), {15, 1, 0.02}).decided();
  for (const std::string& change : changes(decision)) {
    EXPECT_NE(change, "faster");
    EXPECT_NE(change, "slower");
  }
  // The confidence of one is for all of them together, so its interval is wider.
  const Decision alone = TwoSides({1.0}, {15, 1, 0.02}).decided();
  const RatioEstimate& wide = decision.configurations.at(0).time;
  const RatioEstimate& narrow = alone.configurations.at(0).time;
  EXPECT_EQ(wide.ratio, narrow.ratio);
  EXPECT_GT(wide.high - wide.low, narrow.high - narrow.low);
}

// --- which configuration is which

TEST(DecideMatch, UnmatchedConfigurationsAreListed) {
  TwoSides sides({0.5, 0.5});
  sides.b.measurements.at(1).axes = {{"n", "77"}};
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.unmatched, (Texts{"A: transpose n=2048", "B: transpose n=77"}));
  EXPECT_TRUE(says(all_notes(decision), "2 measurements: not compared"));
}

TEST(DecideMatch, WhatBNoLongerDoesIsNoGain) {
  TwoSides sides({0.5, 0.5});
  sides.b.measurements.at(1).state = MeasurementState::kSkipped;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInconclusive);
  sides.b.measurements.pop_back();
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInconclusive);
  EXPECT_TRUE(says(decision.reason, "but B has no time at n=2048, which A has"));
  EXPECT_EQ(gate(decision, "same-inputs"), GateState::kNotRun);
  std::swap(sides.a, sides.b);
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kRevert);  // slower where both have a time
  std::swap(sides.a, sides.b);
  sides.options.force = true;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
}

TEST(DecideMatch, KernelsMayGoWhereTheTimeOfAllIsCompared) {
  TwoSides sides({0.5, 0.5});
  sides.a.measurements.at(0).benchmark = kAllKernels;
  sides.b.measurements.at(0).benchmark = kAllKernels;
  sides.b.measurements.pop_back();
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
}

TEST(DecideMatch, TheOnlyImplementationsOfTwoFilesAreCompared) {
  TwoSides sides({0.5, 0.5});
  for (Measurement& one : sides.a.measurements) one.implementation = "naive";
  sides.each_b([](Measurement& one) { one.implementation = "tiled"; });
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(decision.configurations.at(0).implementation_a, "naive");
  EXPECT_EQ(decision.configurations.at(0).implementation_b, "tiled");
}

TEST(DecideMatch, SeveralImplementationsAreComparedByName) {
  TwoSides sides({0.5, 1.5});
  sides.a.measurements[0].implementation = sides.b.measurements[0].implementation = "naive";
  sides.a.measurements[1].implementation = "tiled";
  sides.b.measurements[1].implementation = "vector";
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.configurations.size(), 1U);
  EXPECT_EQ(decision.unmatched.size(), 2U);
}

TEST(DecideMatch, AxesInAnyOrder) {
  TwoSides sides({0.5});
  sides.a.measurements[0].axes = {{"m", "1"}, {"n", "2"}};
  sides.b.measurements[0].axes = {{"n", "2"}, {"m", "1"}};
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  EXPECT_TRUE(sides.decided().differences.empty());
}

// --- explanation

FactChange fact(std::string name, FactValue a, FactValue b) {
  FactChange change;
  change.name = std::move(name);
  change.a = std::move(a);
  change.b = std::move(b);
  return change;
}

TEST(DecideExplanation, SaysWhatTheProfilesSay) {
  ProfileComparison profiles;
  KernelComparison& pair = profiles.kernels.emplace_back();
  pair.a.display_name = "naive";
  pair.b.display_name = "tiled";
  pair.facts = {fact("duration", 2.0, 1.0),
                fact("stall.barrier.share", 0.41, 0.03),
                fact("stall.wait.share", 0.10, 0.11),
                fact("stall.group.sync.share", 0.41, 0.03),
                fact("occupancy.registers_per_thread", 40.0, 52.0),
                fact("occupancy.achieved", 0.5, 0.5),
                fact("execution.instructions", 1000.0, 800.0)};
  FindingChange gone;
  gone.id = "barrier-stalls";
  gone.status = FindingStatus::kGone;
  pair.findings = {gone};
  TwoSides sides({0.763});
  sides.evidence.profiles = &profiles;
  EXPECT_EQ(sides.decided().explanation,
            (Texts{"naive -> tiled: barrier share 41 % to 3 %; 12 registers more; same "
                   "occupancy; 20 % fewer instructions; barrier-stalls is gone"}));
  pair.facts.push_back(fact("stall.source", "counters", "samples"));
  EXPECT_FALSE(says(sides.decided().explanation.at(0), "barrier share"));
}

TEST(DecideExplanation, NeverDecides) {
  const ProfileComparison nothing;
  TwoSides sides({0.763});
  sides.evidence.profiles = &nothing;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  EXPECT_TRUE(sides.decided().explanation.empty());
  EXPECT_TRUE(says(all_notes(sides.decided()), "no kernel in common"));
}

TEST(Decide, HostileNamesAreInertAndShortInSentences) {
  TwoSides sides({1.5, 0.5});
  const std::string name = "\x1b[2J\n" + std::string(1 << 20, 'x');
  for (Benchmark* side : {&sides.a, &sides.b}) {
    for (Measurement& one : side->measurements) one.axes[0].name = name;
  }
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kRevert);
  for (const std::string& text : {decision.reason, all_next(decision)}) {
    EXPECT_FALSE(says(text, "\x1b"));
    EXPECT_LT(text.size(), 2000U);
  }
}

}  // namespace
}  // namespace proofline::decide_test
