// SPDX-License-Identifier: Apache-2.0
//
// KEEP, REVERT, NO DIFFERENCE, INCONCLUSIVE or INVALID: what becomes of a change, by the durations
// that a benchmark measured before (A) and after it (B). Results must be right before a duration
// counts.
//
//   const auto before = proofline::load_benchmark("before.json");  // proofline/load.h
//   const auto after = proofline::load_benchmark("after.json");
//   const auto decision = proofline::decide(*before, *after);
//   if (decision->verdict == proofline::DecisionVerdict::kRevert) std::cout << decision->reason;
#pragma once

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

// One side of each file. An error where a file holds several.
Result<Decision> decide(const BenchmarkSeries& before, const BenchmarkSeries& after,
                        const DecideOptions& options = {});

// Two sides of one file, of which the first is before the change. An error where it does not hold
// two.
Result<Decision> decide(const BenchmarkSeries& both, const DecideOptions& options = {});

}  // namespace proofline
