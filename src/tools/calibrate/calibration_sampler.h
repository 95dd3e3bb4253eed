// SPDX-License-Identifier: Apache-2.0
//
// Finds how fast a GPU does some work, by launches of a few milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/measurement/ceilings.h"
#include "tools/calibrate/cuda_driver.h"

namespace proofline {

// One way to do the work of a ceiling.
struct CalibrationWork {
  std::string how;
  double per_round = 0;  // bytes or FLOP
  std::function<Result<void>(std::uint32_t rounds)> launch;
};

struct GpuClock {
  std::optional<double> sm_mhz;
  bool held_back = false;
};

// Takes the fastest of several ways, at least one, and samples it for so many seconds of the GPU's
// time. `read_clock` is asked while the GPU is at work. kInterrupted when the user interrupts.
Result<Ceiling> sample_ceiling(const CudaGpu& gpu, const std::vector<CalibrationWork>& ways,
                               double seconds, const std::function<GpuClock()>& read_clock);

}  // namespace proofline
