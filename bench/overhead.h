// SPDX-License-Identifier: Apache-2.0
//
// Launch overhead in event timings: the GPU's pauses around a launch. It is assumed to be the same
// for every kernel: measured once, with a small kernel that is also replayed as a graph, which has
// no pauses, and subtracted. tests/device/bench_library.py shows
// how well that holds. CUPTI would say it as well, but from then on it would lengthen the pauses
// within graphs.
#pragma once

#include <memory>
#include <string>

#include "gpu.h"
#include "sampler.h"

namespace proofline::bench {

struct EventOverhead {
  double ns = 0;
  std::string trouble;  // why it is not known; "" it is
};
EventOverhead measure_event_overhead(Gpu& gpu);

// The timer's times less this.
std::unique_ptr<Timer> without_overhead(std::unique_ptr<Timer> timer, double overhead_ns);

}  // namespace proofline::bench
