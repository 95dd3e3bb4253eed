// SPDX-License-Identifier: Apache-2.0
//
// The measurements that a named baseline means: one side of one file, as it was when it was
// named.
#pragma once

#include <string>

#include "base/result.h"
#include "model/journal/baseline.h"
#include "model/measurement/benchmark.h"

namespace proofline {

// The side with this label; "" the only one that the file has. kInput, kUsage.
Result<BenchmarkSide> pick_baseline_side(const BenchmarkSeries& series, const std::string& label,
                                         const std::string& path);

// kInput where its file is not what it was.
Result<Benchmark> read_baseline(const Baseline& baseline);

}  // namespace proofline
