// SPDX-License-Identifier: Apache-2.0
//
// That measurements which mislead do not mislead: a short form of benchmarks/decision_noise, whose
// tables are in docs/measuring.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "support/decision_cells.h"
#include "support/effort.h"

namespace proofline::decision_noise_test {
namespace {

// At most so many, and three standard errors of so few draws.
double most_of(double share, int draws) {
  return share * draws + 3 * std::sqrt(share * (1 - share) * draws);
}

TEST(DecisionNoise, NoCellIsWrongMoreOftenThanItMay) {
  const int draws = effort(400, 25, 5);
  std::uint64_t seed = 100;
  for (const DecisionCell& cell : decision_cells()) {
    NoiseSource source(++seed);
    int wrong = 0;
    for (int i = 0; i < draws; ++i) {
      wrong += is_wrong(cell, cell.draw(source).verdict) ? 1 : 0;
    }
    EXPECT_LE(wrong, most_of(cell.most_wrong, draws)) << cell.name;
  }
}

TEST(DecisionNoise, StoppingWhenItIsClearKeepsTheErrorRate) {
  const int draws = effort(200, 8, 2);
  std::uint64_t seed = 200;
  for (const StoppingCell& cell : stopping_cells()) {
    NoiseSource source(++seed);
    int wrong = 0;
    for (int i = 0; i < draws; ++i) {
      const DecisionVerdict verdict = draw_until_clear(cell, source).verdict;
      if (verdict != cell.right && verdict != DecisionVerdict::kInconclusive) ++wrong;
    }
    EXPECT_LE(wrong, most_of(0.05, draws)) << cell.name;
  }
}

// Eight pairs that agree are the first that are enough at 95 %, thirteen for twenty configurations.
TEST(DecisionNoise, WhatIsPlainTakesFewStarts) {
  NoiseSource source(300);
  EXPECT_EQ(draw_until_clear(stopping_cells()[0], source).starts, 8U);
  EXPECT_EQ(draw_until_clear(stopping_cells()[1], source).starts, 13U);
}

TEST(DecisionNoise, TheIntervalOfOneProcessHoldsItsMedian) {
  const int draws = effort(400, 100, 20);
  std::uint64_t seed = 400;
  for (const CoverageCell& cell : coverage_cells()) {
    NoiseSource source(++seed);
    int missed = 0;
    for (int i = 0; i < draws; ++i) {
      if (draw_coverage(cell, source) == Coverage::kMissed) ++missed;
    }
    EXPECT_LE(missed, most_of(0.08, draws)) << cell.name;
  }
}

}  // namespace
}  // namespace proofline::decision_noise_test
