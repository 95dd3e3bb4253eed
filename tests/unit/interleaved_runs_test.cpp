// SPDX-License-Identifier: Apache-2.0
//
// That sides are started in a balanced order, that each way of timing gives what the program did,
// and that a start that fails is never counted.
#include "tools/starts/interleaved_runs.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>

#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_dir.h"

namespace proofline::interleaved_runs_test {
namespace {

using Order = std::vector<std::size_t>;
using Words = std::vector<std::string>;

TEST(RoundOrder, OfTwoIsABBAOrBAAB) {
  std::set<Order> blocks;
  for (std::size_t round = 0; round < 40; round += 2) {
    Order block = round_order(2, round, 7);
    for (const std::size_t side : round_order(2, round + 1, 7)) block.push_back(side);
    blocks.insert(block);
  }
  EXPECT_EQ(blocks, (std::set<Order>{{0, 1, 1, 0}, {1, 0, 0, 1}}));
}

TEST(RoundOrder, IsThatOfItsSeed) {
  const auto order_of = [](std::uint32_t seed) {
    std::vector<Order> rounds;
    for (std::size_t round = 0; round < 20; ++round) rounds.push_back(round_order(2, round, seed));
    return rounds;
  };
  EXPECT_EQ(order_of(1), order_of(1));
  EXPECT_NE(order_of(1), order_of(2));
}

TEST(RoundOrder, ABlockGivesEachSideEachDistanceFromItsMiddle) {
  for (std::size_t sides = 1; sides <= 6; ++sides) {
    for (std::size_t round = 0; round < 20; round += 2) {
      const Order there = round_order(sides, round, 3);
      const Order back = round_order(sides, round + 1, 3);
      EXPECT_EQ(std::set(there.begin(), there.end()).size(), sides);
      EXPECT_EQ(Order(there.rbegin(), there.rend()), back);
    }
  }
}

class InterleavedRunsTest : public testing::Test {
 protected:
  RunFolder folder() const {
    auto folder = RunFolder::create(dir_.path("runs"), "test");
    if (!folder) throw std::runtime_error(folder.error().message);
    return std::move(*folder);
  }

  // Starts of this side and of others are lines of one file.
  RunSide side(const std::string& label, const Words& more = {}) const {
    Words argv{PROOFLINE_FAKE_BENCHMARK, "--name=" + label, "--count=" + dir_.path("starts")};
    argv.insert(argv.end(), more.begin(), more.end());
    return {label, argv};
  }

  Words started() const {
    Words lines;
    std::ifstream file(dir_.path("starts"));
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  TempDir dir_;
};

InterleavedOptions timed_by(TimeBy time_by) {
  InterleavedOptions options;
  options.time_by = time_by;
  options.time_limit = std::chrono::minutes(1);
  options.order_seed = 2;  // a b b a, a b b a
  return options;
}

TEST_F(InterleavedRunsTest, PutStartsTogetherSideBySide) {
  RunFolder run = folder();
  InterleavedRuns runs({side("a", {"--configurations=2"}), side("b", {"--configurations=2"})},
                       timed_by(TimeBy::kProgram), run);
  ASSERT_TRUE(runs.warm_up());
  for (int i = 0; i < 3; ++i) {
    const auto done = runs.run_round();
    ASSERT_TRUE(done) << done.error().message;
  }
  EXPECT_EQ(started(), (Words{"a", "b", "a", "b", "b", "a", "a", "b"}));
  const BenchmarkSeries series = runs.series();
  EXPECT_TRUE(series.interleaved);
  ASSERT_EQ(series.sides.size(), 2U);
  for (const BenchmarkSide& one : series.sides) {
    EXPECT_EQ(one.benchmark.machine.gpu, "Fake GPU");
    EXPECT_NE(one.benchmark.command.find("--name=" + one.label), std::string::npos);
    ASSERT_EQ(one.benchmark.measurements.size(), 2U);
    for (const Measurement& measurement : one.benchmark.measurements) {
      std::vector<std::uint32_t> starts;
      for (const Sample& sample : measurement.samples) starts.push_back(sample.run);
      EXPECT_EQ(starts, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
    }
  }
}

TEST_F(InterleavedRunsTest, ReadWhatTheProgramPrintsToo) {
  RunFolder run = folder();
  InterleavedRuns runs({side("a", {"--print"})}, timed_by(TimeBy::kProgram), run);
  ASSERT_TRUE(runs.run_round());
  EXPECT_EQ(runs.series().sides.front().benchmark.measurements.at(0).benchmark, "fake");
}

TEST_F(InterleavedRunsTest, ChooseTheProgramsOwnResultWhereThereIsOne) {
  RunFolder run = folder();
  InterleavedRuns runs({side("a")}, {}, run);
  const auto choice = runs.choose_time_by();
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->time_by, TimeBy::kProgram);
  EXPECT_TRUE(runs.series().sides.front().benchmark.measurements.empty());
}

TEST_F(InterleavedRunsTest, ChooseTheWallClockForAProgramWithoutResultAndKernels) {
  ::setenv("PROOFLINE_CUPTI", PROOFLINE_FAKE_CUPTI, 1);
  RunFolder run = folder();
  InterleavedRuns runs({side("a", {"--silent"})}, {}, run);
  const auto choice = runs.choose_time_by();
  ::unsetenv("PROOFLINE_CUPTI");
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->time_by, TimeBy::kWall);
  EXPECT_NE(choice->why.find("no GPU kernels"), std::string::npos) << choice->why;
  ASSERT_TRUE(runs.run_round());
  const Benchmark benchmark = runs.series().sides.front().benchmark;
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  EXPECT_EQ(benchmark.measurements[0].timed_by, TimedBy::kWallClock);
  EXPECT_EQ(benchmark.measurements[0].samples.size(), 1U);
}

TEST_F(InterleavedRunsTest, AResultThatCannotBeReadIsNotPassedOver) {
  RunFolder run = folder();
  InterleavedRuns runs({side("a", {"--cut"})}, {}, run);
  const auto choice = runs.choose_time_by();
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().kind, ErrorKind::kInput);
}

TEST_F(InterleavedRunsTest, AFailureSaysWhichStartAndWhatItSaid) {
  RunFolder run = folder();
  InterleavedRuns runs({side("a", {"--fail-at=1"})}, timed_by(TimeBy::kProgram), run);
  const auto done = runs.run_round();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kTool);
  EXPECT_EQ(done.error().message,
            "a-1: the program exited with 3; the last that it said is \"out of memory\"");
}

TEST_F(InterleavedRunsTest, KeepGoingLeavesAFailedStartOutAndSaysSo) {
  RunFolder run = folder();
  InterleavedOptions options = timed_by(TimeBy::kProgram);
  options.keep_going = true;
  InterleavedRuns runs({side("a", {"--fail-at=4"}), side("b")}, options, run);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(runs.run_round());
  const Benchmark a = runs.series().sides.front().benchmark;
  std::set<std::uint32_t> counted;
  for (const Sample& sample : a.measurements.at(0).samples) counted.insert(sample.run);
  EXPECT_EQ(counted, (std::set<std::uint32_t>{0, 2}));
  ASSERT_EQ(a.notes.size(), 1U);
  EXPECT_EQ(a.notes[0].kind, NoteKind::kLoss);
  EXPECT_NE(a.notes[0].what.find("out of memory"), std::string::npos) << a.notes[0].what;
}

TEST_F(InterleavedRunsTest, AStartThatHangsIsEnded) {
  RunFolder run = folder();
  InterleavedOptions options = timed_by(TimeBy::kProgram);
  options.time_limit = std::chrono::milliseconds(50);
  InterleavedRuns runs({side("a", {"--hang-at=1"})}, options, run);
  const auto done = runs.run_round();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kTimeLimit);
}

TEST_F(InterleavedRunsTest, OneWrongStartMakesTheConfigurationWrong) {
  SideResult result;
  Benchmark right;
  right.measurements.emplace_back().samples.emplace_back().ns = 1000;
  Benchmark wrong;
  wrong.measurements.emplace_back().state = MeasurementState::kWrong;
  wrong.measurements.back().reason = "7 elements are wrong";
  wrong.measurements.back().correctness.state = CheckState::kFailed;
  result.add(right, 0);
  result.add(wrong, 1);
  result.add(right, 2);
  ASSERT_EQ(result.benchmark().measurements.size(), 1U);
  const Measurement& all = result.benchmark().measurements[0];
  EXPECT_EQ(all.state, MeasurementState::kWrong);
  EXPECT_EQ(all.reason, "7 elements are wrong");
  EXPECT_EQ(all.correctness.state, CheckState::kFailed);
}

TEST_F(InterleavedRunsTest, ASummaryIsTheSampleOfItsStart) {
  SideResult result;
  for (const double ns : {100.0, 110.0}) {
    Benchmark start;
    start.measurements.emplace_back().summary_ns = ns;
    start.measurements.back().summary_kind = "mean";
    result.add(start, ns > 100 ? 1 : 0);
  }
  const Measurement& all = result.benchmark().measurements.at(0);
  ASSERT_EQ(all.samples.size(), 2U);
  EXPECT_EQ(all.samples[1].ns, 110);
  EXPECT_EQ(all.samples[1].run, 1U);
  EXPECT_FALSE(all.summary_ns);
  ASSERT_EQ(result.benchmark().notes.size(), 1U);
  EXPECT_EQ(result.benchmark().notes[0].count, 2U);
}

class KernelTimes : public InterleavedRunsTest {
 protected:
  void SetUp() override { ::setenv("PROOFLINE_CUPTI", PROOFLINE_FAKE_CUPTI, 1); }
  void TearDown() override { ::unsetenv("PROOFLINE_CUPTI"); }

  static RunSide cuda(const std::string& label, const Words& launches) {
    Words argv{PROOFLINE_FAKE_CUDA_PROGRAM};
    argv.insert(argv.end(), launches.begin(), launches.end());
    return {label, argv};
  }

  // One round of these sides.
  Result<BenchmarkSeries> measure(std::vector<RunSide> sides, KernelFilter filter = {}) {
    RunFolder run = folder();
    InterleavedOptions options = timed_by(TimeBy::kCupti);
    options.kernel = std::move(filter);
    InterleavedRuns runs(std::move(sides), options, run);
    if (auto done = runs.run_round(); !done) return tl::make_unexpected(done.error());
    return runs.series();
  }
};

TEST_F(KernelTimes, AreOneMeasurementForEachKernelAndShape) {
  const Words launches{"_Z5scalePff*3:5000@264x256", "_Z5scalePff:7000@1x32", "_Z5shiftPff:3000"};
  const auto series = measure({cuda("a", launches), cuda("b", launches)});
  ASSERT_TRUE(series) << series.error().message;
  const std::vector<Measurement>& found = series->sides.front().benchmark.measurements;
  ASSERT_EQ(found.size(), 3U);
  std::set<std::string> names;
  for (const Measurement& one : found) {
    names.insert(configuration_name(one) + " " + std::to_string(one.samples.size()) + " x " +
                 std::to_string(static_cast<int>(one.samples.at(0).ns)));
    EXPECT_EQ(one.timed_by, TimedBy::kCupti);
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"scale(float*, float) grid=1x1x1 block=32x1x1 1 x 7000",
                                   "scale(float*, float) grid=264x1x1 block=256x1x1 3 x 5000",
                                   "shift(float*, float) grid=1x1x1 block=32x1x1 1 x 3000"}));
}

TEST_F(KernelTimes, OfOtherKernelsAreComparedAsAWhole) {
  const auto series = measure({cuda("a", {"naive*2:5000"}), cuda("b", {"tiled:3000@8x64"})});
  ASSERT_TRUE(series) << series.error().message;
  for (const auto& [label, benchmark] : series->sides) {
    ASSERT_EQ(benchmark.measurements.size(), 2U);
    EXPECT_EQ(benchmark.measurements[1].benchmark, kAllKernels);
    EXPECT_EQ(benchmark.measurements[1].samples.at(0).ns, label == "a" ? 10000 : 3000);
  }
}

TEST_F(KernelTimes, AreOfTheKernelsThatWereAskedFor) {
  const auto wants = [](const char* function) {
    return [function](const Launch& launch) { return launch.function == function; };
  };
  const Words launches{"_Z5scalePff*3:5000", "_Z5shiftPff:3000"};
  const auto series = measure({cuda("a", launches)}, wants("shift"));
  ASSERT_TRUE(series) << series.error().message;
  ASSERT_EQ(series->sides.front().benchmark.measurements.size(), 1U);
  EXPECT_EQ(series->sides.front().benchmark.measurements[0].benchmark, "shift(float*, float)");
  const auto none = measure({cuda("a", launches)}, wants("gemm"));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("scale(float*, float)"), std::string::npos)
      << none.error().message;
}

TEST_F(KernelTimes, OfManyLaunchesAreThinnedOut) {
  const auto series = measure({cuda("a", {"step*5000"})});
  ASSERT_TRUE(series) << series.error().message;
  EXPECT_EQ(series->sides.front().benchmark.measurements.at(0).samples.size(), 100U);
}

TEST_F(KernelTimes, NeedAKernel) {
  const auto series = measure({cuda("a", {"--init"})});
  ASSERT_FALSE(series);
  EXPECT_EQ(series.error().kind, ErrorKind::kInput);
}

}  // namespace
}  // namespace proofline::interleaved_runs_test
