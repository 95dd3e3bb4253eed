// SPDX-License-Identifier: Apache-2.0
//
// The time that a measurement represents, wherever times are shown, judged or kept: the median of
// all its samples. Those that were taken while the GPU was held back count like any other: what is
// left without them depends on what is to be found out. How many there are is told.
#pragma once

#include <cstdint>
#include <optional>

#include "base/statistics.h"
#include "model/measurement/benchmark.h"

namespace proofline {

struct MeasuredTime {
  std::optional<double> median_ns;  // the producer's summary where there are no samples
  // Of the median, 95 %; absent where there are too few samples, or starts if there are several, or
  // where the samples of one start wander.
  std::optional<Interval> interval;
  std::optional<double> spread;  // robust standard deviation as a share of the median
  std::uint64_t samples = 0;     // that these are of; 0 unknown
  std::uint64_t starts = 0;      // of the program, that these samples come from
  std::uint64_t throttled = 0;   // among all samples
  bool throttled_only = false;   // all samples are throttled
  std::optional<double> sm_mhz;  // the median of the same samples, as far as it is known
  std::optional<double> watts;   // so is this
};

MeasuredTime measured_time(const Measurement& measurement);

}  // namespace proofline
