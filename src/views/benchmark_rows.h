// SPDX-License-Identifier: Apache-2.0
//
// Measurements for programs: one row for each, in base units.
#pragma once

#include <optional>
#include <vector>

#include "base/statistics.h"
#include "model/benchmark.h"
#include "views/document.h"

namespace proofline {

// What one measurement's samples say. Throttled ones are left out while there are others.
struct MeasuredTime {
  std::optional<double> median_ns;   // the producer's summary where there are no samples
  std::optional<Interval> interval;  // of the median, 95 %; absent where the samples are too few
  std::optional<double> spread;      // robust standard deviation as a share of the median
  std::uint64_t samples = 0;         // 0 unknown
  std::uint64_t throttled = 0;
};
MeasuredTime measured_time(const Measurement& measurement);

Document compose_benchmark_rows(const BenchmarkSeries& series);

}  // namespace proofline
