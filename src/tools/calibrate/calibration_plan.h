// SPDX-License-Identifier: Apache-2.0
//
// By what each ceiling is measured on a GPU: its kernels, compiled, and memory for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/calibrate/calibration_sampler.h"
#include "tools/calibrate/cuda_driver.h"

namespace proofline {

struct CalibrationPlan {
  std::vector<CalibrationWork> ways;  // none: this GPU cannot do that, and the remark says why
  bool at_least = false;              // the chip has a faster way
  std::string remark;                 // "" none
};

// `name` is one of ceiling_names().
Result<CalibrationPlan> plan_ceiling(const CudaGpu& gpu, std::string_view name);

}  // namespace proofline
