// SPDX-License-Identifier: Apache-2.0
//
// This GPU's ceilings, measured and kept for rooflines and benchmarks.
#pragma once

#include <string>

#include "base/result.h"
#include "model/measurement/ceilings.h"
#include "tools/calibrate/calibrate.h"
#include "workflow/announcer.h"

namespace proofline {

struct CalibrationPlan {
  CalibrateOptions options;
  std::string out;  // the file; "": in the nearest .proofline here or above
};

struct MeasuredCeilings {
  Ceilings ceilings;    // with what was measured earlier, where only some were asked for
  Result<void> stored;  // an error is of storing them alone: measuring took its time
};

Result<MeasuredCeilings> measure_ceilings(const CalibrationPlan& plan, Announcer& announcer);

}  // namespace proofline
