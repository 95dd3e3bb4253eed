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
  EXPECT_EQ(announcer_.sentences[0].find("timed by the program's own result"), 0U);
  EXPECT_EQ(announcer_.sentences[1].find(std::to_string(run->starts) +
                                         " starts of each side: after 6 pairs"),
            0U)
      << announcer_.sentences[1];
  EXPECT_TRUE(std::filesystem::exists(run->folder + "/benchmark.json"));
}

TEST_F(BenchSessionTest, LeavesNoProgressInFrontOfASentenceOrAnError) {
  plan_.starts = 2;
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
  EXPECT_EQ(describe_schedule(plan_, {{"a", {"/bin/a"}}, {"b", {"/bin/b", "x y"}}}),
            "# measured\n"
            "/bin/a\n"
            "/bin/b 'x y'\n"
            "/bin/b 'x y'\n"
            "/bin/a\n");
}

}  // namespace
}  // namespace proofline::bench_session_test
