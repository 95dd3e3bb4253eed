// SPDX-License-Identifier: Apache-2.0
//
// Whether a measurement can be true at all.
#pragma once

#include <cstddef>
#include <optional>

#include "model/benchmark.h"

namespace proofline::bench {

struct Roofs {
  std::optional<double> dram_bytes_per_second;  // what the memory's clock and width allow
  std::optional<double> flops_per_second;       // as the program gives it
  double l2_bytes = 0;
};

// Makes a measurement with samples kInvalid, with the reason, where it has no duration or is above
// a roof. Memory's roof counts only for a cold cache.
void judge(Measurement& measurement, const Roofs& roofs);

}  // namespace proofline::bench
