// SPDX-License-Identifier: Apache-2.0
//
// Measurements as a document: for each configuration the median with its interval, the spread, the
// rate, and what is to be known about how it was measured.
#pragma once

#include "model/measurement/benchmark.h"
#include "views/document.h"

namespace proofline {

Document compose_benchmark(const BenchmarkSeries& series);

}  // namespace proofline
