// SPDX-License-Identifier: Apache-2.0
//
// A judged timeline as one table for programs: a row for each part, kernel, call, operator, copy,
// collective, gap, stream, step and rank.
#pragma once

#include "diagnosis/timeline/diagnose_timeline.h"
#include "views/document.h"

namespace proofline {

Document compose_timeline_rows(const TimelineDiagnosis& diagnosis);

}  // namespace proofline
