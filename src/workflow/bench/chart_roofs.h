// SPDX-License-Identifier: Apache-2.0
//
// The roofs of a roofline: given by hand, or what `proofline calibrate` measured on the GPU that
// the measurements are of.
#pragma once

#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/note.h"
#include "views/charts/benchmark_charts.h"

namespace proofline {

// Each "NAME=RATE", such as "DRAM=4.1TB/s". kUsage.
Result<std::vector<ChartRoof>> given_roofs(const std::vector<std::string>& texts);

struct MeasuredRoofs {
  std::vector<ChartRoof> roofs;
  std::string from;  // "NVIDIA H200, 2026-11-15T20:04:00Z"
  std::vector<Note> notes;
};

// From the file, which must be readable and of that kind of GPU; where none is named (""), from the
// ceilings that are stored for it, if there are any and they can be used. Of arithmetic those that
// the measurements declare, else fp32.
Result<MeasuredRoofs> measured_roofs(const BenchmarkSeries& series, const std::string& file,
                                     const InputLimits& limits);

}  // namespace proofline
