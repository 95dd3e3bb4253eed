// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a change, as a document:
//
//   REVERT: no gain worth keeping: any change is below 0.5 %
//   next: revert it; a clean-up that only must not cost anything is judged by --keep-same
//
//   A        a: ./transpose --n 1024
//   B        b: ./transpose --n 1024
//   overall  1.000 of A's time (1.000 to 1.000)
//   judged   changes of 0.5 % and more, with 95 % confidence over all configurations
//
//   Configuration         A         B  B over A        Interval  Is    Pairs  In cycles  Rate
//   -------------  --------  --------  --------  --------------  ----  -----  ---------  ----
//   fake n=1024    99.99 us  99.99 us     1.000  1.000 to 1.000  same      6          -     -
//
//   Gate          State    Detail
//   ------------  -------  -----------------------------
//   correctness   passed   all results of B were checked
//   sanitizer     not-run  no log was given
//   same-machine  passed
//
// A is before, B after the change; A and B are medians, "B over A" the ratio of times with its
// interval (below 1 is faster), over so many pairs of starts. "In cycles" is the same ratio in SM
// cycles, which a change of clocks does not move. No duration counts where a gate failed. With
// profiles of both, what explains the difference stands below.
#pragma once

#include "model/measurement/decision.h"
#include "views/document.h"

namespace proofline {

Document compose_decision(const Decision& decision);
// One row for each configuration, for programs.
Document compose_decision_rows(const Decision& decision);

}  // namespace proofline
