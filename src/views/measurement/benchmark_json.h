// SPDX-License-Identifier: Apache-2.0
//
// Measurements as JSON, by docs/bench.schema.json. What is written here,
// readers/benchmark/benchmark.h reads.
#pragma once

#include "base/json_writer.h"
#include "model/measurement/benchmark.h"

namespace proofline {

void write_benchmark_series(const BenchmarkSeries& series, JsonWriter& json);

}  // namespace proofline
