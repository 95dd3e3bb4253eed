// SPDX-License-Identifier: Apache-2.0
#include "sampler.h"

#include <algorithm>

#include "base/statistics.h"

namespace proofline::bench {
namespace {

// Looking at the interval means sorting, so it is looked at only when there are this many times
// more samples than the last time.
constexpr double kGrowthUntilNextLook = 1.1;

}  // namespace

bool is_tight(const std::vector<double>& ns, const SamplingLimits& limits) {
  if (ns.size() < std::max<std::size_t>(limits.min_samples, 1)) return false;
  const Interval interval = median_interval_in_series(ns, limits.confidence);
  return interval.high - interval.low <= limits.precision * median(ns);
}

Sampling take_samples(Timer& timer, const SamplingLimits& limits,
                      const std::function<ClockReading()>& read_clock,
                      const std::function<double()>& seconds) {
  Sampling result;
  std::vector<double> all;
  std::vector<double> taken;
  const double start = seconds();
  auto next_look = static_cast<double>(limits.min_samples);
  read_clock();  // forgets what was before
  for (;;) {
    taken.clear();
    timer.take(taken);
    const ClockReading clock = read_clock();
    for (const double ns : taken) {
      if (result.samples.size() == std::max<std::size_t>(limits.max_samples, 1)) break;
      result.samples.push_back({ns, clock.sm_mhz, clock.throttled, 0, clock.watts});
      all.push_back(ns);
    }
    if (static_cast<double>(all.size()) >= next_look) {
      if (is_tight(all, limits)) {
        result.stopped = StopReason::kTight;
        return result;
      }
      next_look = kGrowthUntilNextLook * static_cast<double>(all.size());
    }
    if (result.samples.size() >= limits.max_samples) {
      result.stopped = StopReason::kSampleLimit;
      return result;
    }
    if (seconds() - start >= limits.max_seconds) {
      result.stopped = StopReason::kTimeLimit;
      return result;
    }
  }
}

}  // namespace proofline::bench
