// SPDX-License-Identifier: Apache-2.0
//
// Reads results of benchmarks of any format that offers them (readers/format.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "model/measurement/benchmark.h"

namespace proofline {

class JsonFields;  // readers/benchmark/benchmark_parts.h

// Where a result is stored: nvbench keeps samples in files next to its JSON.
struct BenchmarkPlace {
  std::optional<std::string> folder;  // absent where that is not known
  InputLimits limits;
};

Result<BenchmarkSeries> read_benchmark(Input& input);
// Includes the sample files next to it, where they exist.
Result<BenchmarkSeries> read_benchmark(const std::string& path, const InputLimits& limits = {});

// For the reader of a format: all of the input, up to the limit.
Result<std::string_view> whole_benchmark_text(Input& input, const InputLimits& limits);

// For the reader of a format in JSON: takes the whole file, has `read_fields` read its outermost
// object, and checks that there is something in it. Errors of `read_fields` need not name the file.
using ReadBenchmarkFields = Result<BenchmarkSeries> (*)(const JsonFields& root,
                                                        const BenchmarkPlace& place);
Result<BenchmarkSeries> read_benchmark_json(Input& input, const BenchmarkPlace& place,
                                            ReadBenchmarkFields read_fields);

}  // namespace proofline
