// SPDX-License-Identifier: Apache-2.0
//
// The steps of a program that repeats itself: PyTorch's ProfilerStep, or an annotation that comes
// again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline/timeline.h"

namespace proofline {

struct TimelineStep {
  std::uint32_t range = 0;  // in Timeline::ranges
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  // where the next one begins; of the last, its own end

  std::int64_t length() const { return end_ns - start_ns; }
};

// By start; none where nothing repeats.
std::vector<TimelineStep> find_steps(const Timeline& timeline);

}  // namespace proofline
