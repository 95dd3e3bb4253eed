// SPDX-License-Identifier: Apache-2.0
//
// Warp roles and mbarriers as rows of a function's properties: who runs what, who waits for whom,
// and where they meet.
//
//   warp roles     3, separate
//     role         warp == 8: load, 150 instructions, async-copy x 24
//     waits        mma waits for load 17 % of its time
//     meet at      barrier 1 of 160 threads joins 2 roles, inside a loop
//   mbarriers      12 instructions on 4 barriers, 4 with both arrival and wait; ...
//     mbarrier     0x5408 (ring of 4): load -> mma; init 0x0150; arrive 0x0740; wait 0x05f0
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

void add_roles(const FunctionReport& function, Properties& properties);

// Rings, and barriers at which warps were seen waiting, are shown however many there are; `all`:
// the others too.
void add_mbarriers(const FunctionReport& function, bool all, Properties& properties);

}  // namespace proofline
