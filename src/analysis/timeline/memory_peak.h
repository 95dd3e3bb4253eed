// SPDX-License-Identifier: Apache-2.0
//
// How much memory of GPUs a program held at most, by the calls that took it and gave it back.
#pragma once

#include <cstdint>

#include "model/timeline/timeline.h"

namespace proofline {

// Over all processes and GPUs; 0 where the timeline tells of no allocation.
std::uint64_t memory_peak(const Timeline& timeline);

}  // namespace proofline
