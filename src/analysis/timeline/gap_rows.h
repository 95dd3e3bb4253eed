// SPDX-License-Identifier: Apache-2.0
//
// The longest gaps of all GPUs, each with the operation that ended it, what launched that, and what
// the launching thread did meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "analysis/timeline/idle.h"
#include "analysis/timeline/launches.h"
#include "analysis/timeline/time_selection.h"
#include "analysis/timeline/timeline_report.h"
#include "model/timeline/timeline.h"

namespace proofline {

// The longest first. `idle` is that of `devices`; times are counted from `origin_ns`.
std::vector<GapRow> longest_gaps(const Timeline& timeline, const Launches& launches,
                                 const std::vector<DeviceTime>& devices,
                                 const std::vector<Idle>& idle, const TimeSelection& selection,
                                 std::int64_t origin_ns);

}  // namespace proofline
