// SPDX-License-Identifier: Apache-2.0
//
// A comparison of two timelines:
//
//   B takes 30 % less time: 7.00 ms instead of 10.00 ms; most of that is idle: host (-3.00 ms)
//
//   Where the time of the GPU goes
//   Part            A         B    Change
//   kernels    6.00 ms   6.00 ms      0 ns
//   idle: host 4.00 ms   1.00 ms  -3.00 ms
#pragma once

#include <string>

#include "diagnosis/comparison/compare_timelines.h"
#include "views/document.h"

namespace proofline {

std::string timeline_comparison_headline(const TimelineComparison& comparison);
// Tables are cut to the rows that changed most, unless `all`.
Document compose_timeline_comparison(const TimelineComparison& comparison, bool all);
Document compose_timeline_comparison_rows(const TimelineComparison& comparison);

}  // namespace proofline
