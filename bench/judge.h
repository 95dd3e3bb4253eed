// SPDX-License-Identifier: Apache-2.0
//
// How near a measurement comes to what the GPU can do, and whether it can be true at all.
#pragma once

#include <cstddef>
#include <optional>

#include "model/measurement/benchmark.h"
#include "model/measurement/ceilings.h"

namespace proofline::bench {

struct Roofs {
  std::optional<double> dram_bytes_per_second;  // what the memory's clock and width allow
  std::optional<double> flops_per_second;       // as the program gives it
  double l2_bytes = 0;
  Ceilings measured;  // measured on this GPU; empty where it was not calibrated
};

// Gives a measurement with samples its share of the nearest measured ceiling. Makes it kInvalid,
// with the reason, where it has no duration or is above a roof; the memory's own roof counts only
// for a cold cache.
void judge(Measurement& measurement, const Roofs& roofs);

}  // namespace proofline::bench
