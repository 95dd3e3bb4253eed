// SPDX-License-Identifier: Apache-2.0
//
// What became slower in the course of a journal, and which attempt did it.
#include "store/entries/regressions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/entries/attempts.h"
#include "support/journal_builder.h"

namespace proofline::regressions_test {
namespace {

RecordedMeasurement recorded(double ns) {
  RecordedMeasurement one;
  one.configuration = "transpose n=8192";
  one.state = "measured";
  one.median_ns = ns;
  one.low_ns = 0.995 * ns;
  one.high_ns = 1.005 * ns;
  return one;
}

// Attempts that measured the code before and after their change.
class History {
 public:
  void attempt(const std::string& id, double before, double after, AttemptState state,
               const std::string& gpu = "NVIDIA H200") {
    journal_.open(id, "change " + id);
    BenchmarkEntry measured;
    measured.interleaved = true;
    for (const double ns : {before, after}) {
      RecordedSide& side = measured.sides.emplace_back();
      side.gpu = gpu;
      side.measurements.push_back(recorded(ns));
    }
    journal_.add("m" + id, id, measured);
    journal_.add("c" + id, id, CloseEntry{state, ""});
  }

  void kept_though_slower(const std::string& id) {
    journal_.open(id, "change " + id);
    DecisionEntry decided;
    decided.verdict = DecisionVerdict::kKeep;
    RecordedChange& change = decided.configurations.emplace_back();
    change.configuration = "transpose n=64";
    change.change = "slower";
    change.time = RecordedRatio{1.2, 1.15, 1.25};
    journal_.add("d" + id, id, decided);
  }

  std::vector<HistoryChange> regressions() const {
    return regressions_of(attempts_of(journal_.entries));
  }

 private:
  JournalBuilder journal_;
};

TEST(Regressions, WhatComesBetweenTwoAttemptsIsFoundThere) {
  History history;
  history.attempt("a1", 100, 80, AttemptState::kKept);
  history.attempt("a2", 81, 90, AttemptState::kReverted);
  history.attempt("a3", 95, 70, AttemptState::kReverted);
  const auto found = history.regressions();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].attempt, "");
  EXPECT_EQ(found[0].after, "a2");
  EXPECT_EQ(found[0].before, "a3");
  EXPECT_NEAR(found[0].ratio, 95.0 / 80, 1e-9);
  EXPECT_GT(found[0].low, 1);
  EXPECT_LT(found[0].low, found[0].ratio);
  EXPECT_GT(found[0].high, found[0].ratio);
}

TEST(Regressions, NoiseAndKeptGainsAreNone) {
  History history;
  history.attempt("a1", 100, 80, AttemptState::kKept);
  history.attempt("a2", 82, 60, AttemptState::kKept);
  history.attempt("a3", 61, 59, AttemptState::kInconclusive);
  EXPECT_TRUE(history.regressions().empty());
}

// Each step is as small as noise; together they are not.
TEST(Regressions, ALossInSmallStepsIsFound) {
  History history;
  for (int i = 0; i < 8; ++i) {
    const double ns = 100 * (1 + 0.01 * i);
    history.attempt("a" + std::to_string(i), ns, ns, AttemptState::kNoDifference);
  }
  const auto found = history.regressions();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].before, "a5");
}

TEST(Regressions, AnotherGpuIsAnotherHistory) {
  History history;
  history.attempt("a1", 100, 80, AttemptState::kReverted);
  history.attempt("a2", 200, 90, AttemptState::kReverted, "NVIDIA A100");
  EXPECT_TRUE(history.regressions().empty());
}

TEST(Regressions, WhatAKeptAttemptMadeSlowerIsItsOwn) {
  History history;
  history.kept_though_slower("a1");
  const auto found = history.regressions();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].attempt, "a1");
  EXPECT_EQ(found[0].hypothesis, "change a1");
  EXPECT_EQ(found[0].low, 1.15);
}

}  // namespace
}  // namespace proofline::regressions_test
