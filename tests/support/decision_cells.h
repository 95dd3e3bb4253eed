// SPDX-License-Identifier: Apache-2.0
//
// Measurements that are made to mislead, drawn at random, and the decision on each: a side that was
// throttled, a slow tail that the median does not see, a disturbance with a period, sides measured
// apart. benchmarks/decision_noise counts verdicts over thousands of draws, a test over a few.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurement/decision.h"
#include "support/noise.h"

namespace proofline {

struct DecisionCell {
  std::string name;
  // The verdicts that are right here; any other is an error, but that INCONCLUSIVE is one only
  // where `must_decide`.
  std::vector<DecisionVerdict> right;
  bool must_decide = false;
  double most_wrong = 0.05;  // share of draws
  std::function<Decision(NoiseSource&)> draw;
};

const std::vector<DecisionCell>& decision_cells();

bool is_wrong(const DecisionCell& cell, DecisionVerdict verdict);

// Samples of one process of which each depends on the one before it: the share of draws in which
// the interval shown for their median holds the true one.
struct CoverageCell {
  std::string name;
  double correlation = 0;  // of a sample with the next
  std::size_t samples = 0;
};
const std::vector<CoverageCell>& coverage_cells();

// Starts are added until the answer is clear, as bench does it.
struct StoppingCell {
  std::string name;
  double ratio = 1;
  double noise = 0.01;  // from start to start
  std::size_t configurations = 1;
  DecisionVerdict right = DecisionVerdict::kNoDifference;
};
const std::vector<StoppingCell>& stopping_cells();

struct Stopped {
  std::size_t starts = 0;
  DecisionVerdict verdict = DecisionVerdict::kInconclusive;
};
Stopped draw_until_clear(const StoppingCell& cell, NoiseSource& source);

enum class Coverage { kHeld, kMissed, kNoInterval };
Coverage draw_coverage(const CoverageCell& cell, NoiseSource& source);

}  // namespace proofline
