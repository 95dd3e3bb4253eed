// SPDX-License-Identifier: Apache-2.0
//
// Where the time of each step goes, and what makes the slowest one slow.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "analysis/timeline/idle.h"
#include "analysis/timeline/steps.h"
#include "analysis/timeline/timeline_report.h"
#include "model/timeline/timeline.h"

namespace proofline {

// Of one device, or of none (null); times are counted from `origin_ns`.
std::vector<StepRow> step_rows(const Timeline& timeline, const std::vector<TimelineStep>& steps,
                               const DeviceTime* device, const Idle* idle, std::int64_t origin_ns);

}  // namespace proofline
