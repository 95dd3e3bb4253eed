// SPDX-License-Identifier: Apache-2.0
//
// A measurement without a command line: what it tells, in which order, and what it leaves.
#include "workflow/bench/bench_session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/collecting_announcer.h"
#include "support/temp_dir.h"

namespace proofline::bench_session_test {
namespace {

// A seed by which the first block is a b b a. The noise of a start goes by its number: where it
// decides what is said, the order must not be left to chance, or equal programs look different once
// in a while, as they may.
constexpr std::size_t kAbba = 2;

class BenchSessionTest : public testing::Test {
 protected:
  BenchSessionTest() { plan_.run.runs = dir_.path("runs"); }

  RunSide side(const std::string& label, const std::string& more) const {
    return {label, {PROOFLINE_FAKE_BENCHMARK, "--count=" + dir_.path("starts"), more}};
  }

  TempDir dir_;
  BenchPlan plan_;
  CollectingAnnouncer announcer_;
};

TEST_F(BenchSessionTest, TellsHowItTimesAndHowOftenBeforeTheResult) {
  const auto run =
      measure_sides(plan_, {side("a", "--factor=1"), side("b", "--factor=0.8")}, announcer_);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(announcer_.sentences.size(), 2U);
  EXPECT_EQ(announcer_.sentences[0].find("timing by the program's own result"), 0U);
  EXPECT_EQ(announcer_.sentences[1],
            "clear after " + std::to_string(run->starts) + " runs of each side");
  EXPECT_EQ(run->starts, 8U) << "the fewest that can be clear";
  EXPECT_TRUE(run->series.sides[1].benchmark.until_clear);
  EXPECT_TRUE(run->series.order_seed);
  EXPECT_TRUE(std::filesystem::exists(run->folder + "/benchmark.json"));
}

// 20 % of noise: not even a change of 3 % could be ruled out with so few.
TEST_F(BenchSessionTest, GivesUpAtTheMostStartsAndSaysSo) {
  plan_.max_starts = 10;
  plan_.order_seed = kAbba;
  const RunSide noisy = side("a", "--noise=0.2");
  const auto run = measure_sides(plan_, {noisy, {"b", noisy.argv}}, announcer_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->starts, 10U);
  EXPECT_EQ(announcer_.sentences.back(),
            "not clear after 10 runs of each side, the most that max_starts allows");
}

TEST_F(BenchSessionTest, StopsWhereMoreStartsWouldSettleNothing) {
  plan_.effect = 0.2;
  plan_.max_starts = 30;
  plan_.order_seed = kAbba;
  const RunSide noisy = side("a", "--noise=0.02");
  const auto run = measure_sides(plan_, {noisy, {"b", noisy.argv}}, announcer_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_LT(run->starts, 30U);
  EXPECT_EQ(announcer_.sentences.back().find("a change of 20 % is ruled out after"), 0U)
      << announcer_.sentences.back();
}

TEST_F(BenchSessionTest, AFixedNumberOfStartsIsNotByResult) {
  plan_.starts = 3;
  plan_.order_seed = 12;
  const auto run =
      measure_sides(plan_, {side("a", "--factor=1"), side("b", "--factor=1")}, announcer_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->series.sides[0].benchmark.until_clear);
  EXPECT_EQ(run->series.order_seed, 12U);
}

TEST_F(BenchSessionTest, LeavesNoProgressInFrontOfASentenceOrAnError) {
  plan_.starts = 2;
  plan_.order_seed = kAbba;
  plan_.time_by = "program";
  const auto run =
      measure_sides(plan_, {side("a", "--factor=1"), side("b", "--fail-at=5")}, announcer_);
  ASSERT_FALSE(run);
  EXPECT_GT(announcer_.shown, 0);
  EXPECT_TRUE(announcer_.cleared_before_each);
  EXPECT_EQ(announcer_.line, "");
}

TEST_F(BenchSessionTest, ShowsTheProgramsOutputInsteadOfProgress) {
  plan_.starts = 1;
  plan_.warm_up = 0;
  plan_.run.show_output = true;
  ASSERT_TRUE(measure_sides(plan_, {side("a", "--factor=1")}, announcer_));
  EXPECT_EQ(announcer_.shown, 0);
}

TEST_F(BenchSessionTest, DescribesEveryStartInItsOrder) {
  plan_.starts = 2;
  plan_.warm_up = 0;
  plan_.time_by = "wall";
  plan_.order_seed = kAbba;
  EXPECT_EQ(describe_schedule(plan_, {{"a", {"/bin/a"}}, {"b", {"/bin/b", "x y"}}}),
            "# measured\n"
            "/bin/a\n"
            "/bin/b 'x y'\n"
            "/bin/b 'x y'\n"
            "/bin/a\n");
}

}  // namespace
}  // namespace proofline::bench_session_test
