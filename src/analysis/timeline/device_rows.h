// SPDX-License-Identifier: Apache-2.0
//
// Where the time of each GPU goes, as far as it is in the selection.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "analysis/timeline/idle.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/time_selection.h"
#include "analysis/timeline/timeline_report.h"
#include "model/timeline/timeline.h"

namespace proofline {

// The parts of a device's time in these windows, and its gaps in them by class.
TimeShares time_shares(const DeviceTime& device, const Idle& idle,
                       const std::vector<Stretch>& windows);

// `whole` is from the timeline's first event to its last.
DeviceRow device_row(const Timeline& timeline, const DeviceTime& device, const Idle& idle,
                     const TimeSelection& selection, const Stretch& whole);

// The device that spends the least share of its span on kernels. A GPU that was hardly touched (by
// a library's context, say) does not count beside one that works. 0 where there is none.
std::size_t worst_device(const std::vector<DeviceRow>& devices);

}  // namespace proofline
