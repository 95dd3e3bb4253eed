// SPDX-License-Identifier: Apache-2.0
//
// Judges the noise of a machine from interleaved starts: how many starts a change needs to be seen,
// and how often nothing at all is taken for one.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/selftest.h"

namespace proofline {

// What the first starts say of how many there must be, for the configuration that needs most.
struct StartsNeeded {
  std::size_t starts = 0;  // 0: no configuration is measured on two sides
  double spread = 0;       // of the logarithms of its ratios
  std::string configuration;
};

// To see a relative change of this size between the first side and any other.
StartsNeeded starts_needed(const BenchmarkSeries& pilot, double effect);

// The two sides are the same program. kInput where there is nothing to compare.
Result<Selftest> judge_selftest(const BenchmarkSeries& series);

}  // namespace proofline
