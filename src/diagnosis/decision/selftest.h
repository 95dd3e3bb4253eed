// SPDX-License-Identifier: Apache-2.0
//
// Judges the noise of a machine from interleaved starts: which change so many starts show, and how
// often nothing at all is taken for one.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/selftest.h"

namespace proofline {

// The two sides are the same program. kInput where there is nothing to compare.
Result<Selftest> judge_selftest(const BenchmarkSeries& series);

}  // namespace proofline
