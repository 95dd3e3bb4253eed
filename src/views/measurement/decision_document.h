// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a change, as a document:
//
//   KEEP: 1.31x faster (1.29 to 1.33) at n=8192; a clear gain
//
//   Configuration  A         B         B over A  Interval        Is      Pairs
//   n=8192         14.20 us  10.84 us  0.763     0.752 to 0.775  faster     30
//
//   Gate         State    Detail
//   correctness  passed   all results of B were checked
//
//   What explains it
//   transpose: barrier share 41 % to 3 %; 12 registers more; same occupancy
#pragma once

#include "model/measurement/decision.h"
#include "views/document.h"

namespace proofline {

Document compose_decision(const Decision& decision);
// One row for each configuration, for programs.
Document compose_decision_rows(const Decision& decision);

}  // namespace proofline
