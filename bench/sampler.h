// SPDX-License-Identifier: Apache-2.0
//
// Takes samples until their median is known well enough, or time or patience is over. Knows nothing
// of GPUs: Timer abstracts what is timed and how.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "model/measurement/benchmark.h"

namespace proofline::bench {

class Timer {
 public:
  virtual ~Timer() = default;
  // Executes what is measured, and adds the nanoseconds of one execution, or of each of several.
  virtual void take(std::vector<double>& ns) = 0;
};

// The GPU since this was asked last.
struct ClockReading {
  std::optional<double> sm_mhz;
  bool throttled = false;
  std::optional<double> watts;  // drawn by the whole GPU
};

struct SamplingLimits {
  double precision = 0.005;  // width of the median's interval, as a share of the median
  double confidence = 0.95;  // of that interval
  std::size_t min_samples = 20;
  std::size_t max_samples = 10'000;
  double max_seconds = 2;
};

struct Sampling {
  std::vector<Sample> samples;
  StopReason stopped = StopReason::kUnknown;
};

// Whether the median of these, in the order in which they were taken, is known to the precision
// asked for.
bool is_tight(const std::vector<double>& ns, const SamplingLimits& limits);

// Throttled samples are marked and count like any other: a kernel that runs into the power limit
// does so in a program too. `seconds` is a clock that never goes
// back. Takes at least one sample.
Sampling take_samples(Timer& timer, const SamplingLimits& limits,
                      const std::function<ClockReading()>& read_clock,
                      const std::function<double()>& seconds);

}  // namespace proofline::bench
