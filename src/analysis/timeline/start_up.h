// SPDX-License-Identifier: Apache-2.0
//
// The start-up of a program that was recorded from its first moment: Python imports, data is read
// and modules are loaded while the GPU has little to do. It says nothing of what follows, but may
// take most of the recorded time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "model/timeline/timeline.h"

namespace proofline {

// When it ends; none where the timeline does not begin with the program, or its start is like the
// rest.
std::optional<std::int64_t> end_of_start_up(const Timeline& timeline,
                                            const std::vector<DeviceTime>& devices);

}  // namespace proofline
