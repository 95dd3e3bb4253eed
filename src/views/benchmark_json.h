// SPDX-License-Identifier: Apache-2.0
//
// Measurements as JSON, by docs/bench.schema.json. What is written here, readers/benchmark.h reads.
#pragma once

#include "model/benchmark.h"
#include "views/json_writer.h"

namespace proofline {

void write_benchmark_series(const BenchmarkSeries& series, JsonWriter& json);

}  // namespace proofline
