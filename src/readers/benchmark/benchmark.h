// SPDX-License-Identifier: Apache-2.0
//
// Reads results of benchmarks: ours (docs/bench.schema.json), nvbench's and Google Benchmark's
// JSON. The kind is told by content.
#pragma once

#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "model/measurement/benchmark.h"

namespace proofline {

// By its first bytes (readers/reader.h: kSniffBytes).
bool looks_like_benchmark(std::string_view prefix);

Result<BenchmarkSeries> read_benchmark(Input& input);
// nvbench keeps samples in files beside its JSON; they are read too where they are there.
Result<BenchmarkSeries> read_benchmark(const std::string& path, const InputLimits& limits = {});

}  // namespace proofline
