// SPDX-License-Identifier: Apache-2.0
//
// The command line of a program that uses the measurement library, and the axes it replaces.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/axes.h"
#include "bench/options.h"

namespace proofline::bench::bench_arguments_test {
namespace {

const AxisGroup kN = {"n", {"n"}, {{"1024"}, {"2048"}}};
const AxisGroup kType = {"dtype", {"dtype"}, {{"f16"}, {"f32"}}};
const AxisGroup kShape = {"mnk", {"m", "n", "k"}, {{"64", "64", "8"}}};

Result<Arguments> parse(std::vector<AxisGroup> groups, std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  return parse_arguments("suite", std::move(groups), static_cast<int>(words.size()), words.data());
}

std::string error_of(std::vector<AxisGroup> groups, std::vector<const char*> words) {
  const auto parsed = parse(std::move(groups), std::move(words));
  if (parsed) return "";
  EXPECT_EQ(parsed.error().kind, ErrorKind::kUsage);
  return parsed.error().message;
}

TEST(BenchAxes, EveryCombinationTheLastAxisFastest) {
  const auto all = all_combinations({kN, kType});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], (std::vector<Axis>{{"n", "1024"}, {"dtype", "f16"}}));
  EXPECT_EQ(all[1], (std::vector<Axis>{{"n", "1024"}, {"dtype", "f32"}}));
  EXPECT_EQ(all[3], (std::vector<Axis>{{"n", "2048"}, {"dtype", "f32"}}));
}

TEST(BenchAxes, WithoutAxesThereIsOneConfiguration) {
  EXPECT_EQ(all_combinations({}), std::vector<std::vector<Axis>>(1));
}

TEST(BenchAxes, TupleGivesItsAxesTogether) {
  const auto all = all_combinations({kShape});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0], (std::vector<Axis>{{"m", "64"}, {"n", "64"}, {"k", "8"}}));
}

TEST(BenchArguments, WithoutFlagsTheProgramsValuesStand) {
  const auto parsed = parse({kN}, {});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->groups[0].points, kN.points);
  EXPECT_EQ(parsed->options.time_by, std::vector{TimerChoice::kAuto});
  EXPECT_EQ(parsed->options.cache, CacheState::kHot);
  EXPECT_EQ(parsed->options.limits.precision, 0.005);
}

TEST(BenchArguments, FlagsReplaceValues) {
  const auto parsed = parse({kN, kShape}, {"--n", "128, 256", "--n", "512", "--mnk", "1,2,3",
                                           "--mnk", "4,5,6", "--time-by", "cupti", "--cache",
                                           "cold", "--precision", "1", "--implementation", "a,b"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->groups[0].points,
            (std::vector<std::vector<std::string>>{{"128"}, {"256"}, {"512"}}));
  EXPECT_EQ(parsed->groups[1].points,
            (std::vector<std::vector<std::string>>{{"1", "2", "3"}, {"4", "5", "6"}}));
  EXPECT_EQ(parsed->options.time_by, std::vector{TimerChoice::kCupti});
  EXPECT_EQ(parsed->options.cache, CacheState::kCold);
  EXPECT_EQ(parsed->options.limits.precision, 0.01);
  EXPECT_EQ(parsed->options.implementations, (std::vector<std::string>{"a", "b"}));
}

TEST(BenchArguments, UnderscoreIsAlsoADash) {
  const AxisGroup group = {"seq_len", {"seq_len"}, {{"1"}}};
  for (const char* flag : {"--seq-len", "--seq_len"}) {
    const auto parsed = parse({group}, {flag, "7"});
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->groups[0].points, (std::vector<std::vector<std::string>>{{"7"}}));
  }
}

TEST(BenchArguments, WordsWhereNumbersBelongAreRefused) {
  EXPECT_EQ(error_of({kN}, {"--n", "12,many"}), "--n: \"many\" is no whole number for n");
  EXPECT_EQ(error_of({kN}, {"--n", "12,"}), "--n: \"\" is no whole number for n");
  EXPECT_EQ(error_of({kN}, {"--n", "99999999999999999999"}),
            "--n: \"99999999999999999999\" is no whole number for n");
  EXPECT_EQ(error_of({kType}, {"--dtype", "bf16"}), "");
}

TEST(BenchArguments, TuplesNeedAllTheirValues) {
  EXPECT_EQ(error_of({kShape}, {"--mnk", "1,2"}),
            "--mnk \"1,2\": 3 values are needed, for m, n, k");
}

TEST(BenchArguments, UnknownFlagsAndWordsAreRefused) {
  EXPECT_NE(error_of({kN}, {"--m", "1"}), "");
  EXPECT_NE(error_of({kN}, {"--cache", "warm"}), "");
  EXPECT_NE(error_of({kN}, {"--max-samples", "0"}), "");
  EXPECT_NE(error_of({kN}, {"--precision", "-1"}), "");
}

TEST(BenchArguments, AxisWithTheNameOfAFlagIsRefused) {
  EXPECT_NE(error_of({{"cache", {"cache"}, {{"1"}}}}, {}), "");
  EXPECT_NE(error_of({{"with space", {"with space"}, {{"1"}}}}, {}), "");
}

TEST(BenchArguments, GraphReplayCannotKeepTheCacheCold) {
  EXPECT_NE(error_of({}, {"--time-by", "graph", "--cache", "cold"}), "");
}

TEST(BenchArguments, HelpNamesTheAxesAndTheirValues) {
  const auto parsed = parse({kN, kShape}, {"--help"});
  ASSERT_TRUE(parsed);
  EXPECT_NE(parsed->help.find("1024,2048"), std::string::npos) << parsed->help;
  EXPECT_NE(parsed->help.find("--mnk"), std::string::npos) << parsed->help;
}

TEST(BenchTimerChoice, DependsOnTheCacheAndNotOnTheDuration) {
  using enum TimerChoice;
  EXPECT_EQ(preferred_timer(kAuto, CacheState::kHot), TimedBy::kCudaGraph);
  EXPECT_EQ(preferred_timer(kAuto, CacheState::kRotating), TimedBy::kCudaGraph);
  EXPECT_EQ(preferred_timer(kAuto, CacheState::kCold), TimedBy::kCupti);
  EXPECT_EQ(preferred_timer(kEvents, CacheState::kHot), TimedBy::kCudaEvents);
}

TEST(BenchTimerChoice, CanBeSeveralToCompareThem) {
  const auto parsed = parse({kN}, {"--time-by", "graph,events,cupti"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  using enum TimerChoice;
  EXPECT_EQ(parsed->options.time_by, (std::vector{kGraph, kEvents, kCupti}));
  EXPECT_FALSE(parse({kN}, {"--time-by", "graph,never"}));
  EXPECT_FALSE(parse({kN}, {"--time-by", "events,graph", "--cache", "cold"}));
}

}  // namespace
}  // namespace proofline::bench::bench_arguments_test
