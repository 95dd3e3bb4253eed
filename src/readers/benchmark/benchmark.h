// SPDX-License-Identifier: Apache-2.0
//
// Reads results of benchmarks of any format that offers them (readers/format.h).
#pragma once

#include <optional>
#include <string>

#include "base/input.h"
#include "base/result.h"
#include "model/measurement/benchmark.h"

namespace proofline {

// Where a result lies: nvbench keeps samples in files beside its JSON.
struct BenchmarkPlace {
  std::optional<std::string> folder;  // absent where that is not known
  InputLimits limits;
};

Result<BenchmarkSeries> read_benchmark(Input& input);
// With what belongs to it in files beside it, where they are there.
Result<BenchmarkSeries> read_benchmark(const std::string& path, const InputLimits& limits = {});

}  // namespace proofline
