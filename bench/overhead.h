// SPDX-License-Identifier: Apache-2.0
//
// What events and graph replay see of an execution besides its kernel: the pauses of the GPU round
// a launch. They are taken to be the same for every kernel: measured once, with a small kernel that
// CUPTI times as well, and subtracted. tests/device/bench_library.py shows how well that holds.
#pragma once

#include <memory>
#include <string>

#include "gpu.h"
#include "sampler.h"

namespace proofline::bench {

struct LaunchOverhead {
  double events_ns = 0;
  double graph_ns = 0;
  std::string trouble;  // why it is not known, as without CUPTI; "" it is
};

// Leaves CUPTI switched off.
LaunchOverhead measure_overhead(Gpu& gpu);

// The timer's times less this.
std::unique_ptr<Timer> without_overhead(std::unique_ptr<Timer> timer, double overhead_ns);

}  // namespace proofline::bench
