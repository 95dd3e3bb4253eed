// SPDX-License-Identifier: Apache-2.0
//
// Measurements for programs: one row for each, in base units.
#pragma once

#include "model/measurement/benchmark.h"
#include "views/document.h"

namespace proofline {

Document compose_benchmark_rows(const BenchmarkSeries& series);

}  // namespace proofline
