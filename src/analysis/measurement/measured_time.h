// SPDX-License-Identifier: Apache-2.0
//
// The time that a measurement stands for, wherever times are shown, judged or kept: the median of
// its samples without those that were taken while the GPU was held back. Where there are no others
// it is the median of those, and marked.
#pragma once

#include <cstdint>
#include <optional>

#include "base/statistics.h"
#include "model/measurement/benchmark.h"

namespace proofline {

struct MeasuredTime {
  std::optional<double> median_ns;  // the producer's summary where there are no samples
  // Of the median, 95 %; absent where there are too few samples, or starts if there are several.
  std::optional<Interval> interval;
  std::optional<double> spread;  // robust standard deviation as a share of the median
  std::uint64_t samples = 0;     // that these are of; 0 unknown
  std::uint64_t starts = 0;      // of the program, that these samples come from
  std::uint64_t throttled = 0;   // among all samples
  bool throttled_only = false;   // these are of throttled samples: there are no others
  std::optional<double> sm_mhz;  // the median of the same samples, as far as it is known
  std::optional<double> watts;   // so is this
};

MeasuredTime measured_time(const Measurement& measurement);

}  // namespace proofline
