// SPDX-License-Identifier: Apache-2.0
//
// The peak of GPU memory in use, from the program's allocations and frees.
#pragma once

#include <cstdint>

#include "model/timeline/timeline.h"

namespace proofline {

// Over all processes and GPUs; 0 where the timeline tells of no allocation.
std::uint64_t memory_peak(const Timeline& timeline);

}  // namespace proofline
