// SPDX-License-Identifier: Apache-2.0
//
// Measures what a GPU can do at most: copies through device memory, reads from L2, and arithmetic
// of each kind. Needs the driver alone: kernels come as PTX, which it compiles.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/measurement/ceilings.h"

namespace proofline {

struct CalibrateOptions {
  unsigned device = 0;             // as CUDA counts them
  std::vector<std::string> names;  // only these ceilings; empty: all that the GPU has
  double seconds = 1;              // of measuring, for each ceiling
  std::string library = "libcuda.so.1";
  // Told before each ceiling is measured; false ends the calibration (kInterrupted).
  std::function<bool(std::string_view name)> progress;
};

// The names that can be asked for, in their order: "dram", "l2", "fp32", ...
std::vector<std::string_view> ceiling_names();

// kTool where there is no driver or no such GPU. What this GPU or its driver cannot do is left out,
// with a note that says why.
Result<Ceilings> calibrate(const CalibrateOptions& options);

}  // namespace proofline
