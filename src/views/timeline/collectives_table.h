// SPDX-License-Identifier: Apache-2.0
//
// Collective operations of a timeline:
//
//   Collectives  Group  Ranks  Size            Count      Time   Bytes  Bus, median  Bus, best
//   allreduce    0          2  1 MiB and more     15  46.76 ms  328 MB    8.97 GB/s  19.6 GB/s
#pragma once

#include "analysis/timeline/timeline_report.h"
#include "views/document.h"

namespace proofline {

// Nothing where none is told.
void add_collectives(const TimelineReport& report, Document& document);

}  // namespace proofline
