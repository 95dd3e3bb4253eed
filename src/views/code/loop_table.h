// SPDX-License-Identifier: Apache-2.0
//
// The loops of a function as a table.
//
//   Loop    Depth  Instr.  Tensor  Global  Shared  Local  FP  Int.  Conv.  Sync  Trip count
//   ------  -----  ------  ------  ------  ------  -----  --  ----  -----  ----  ----------------
//   0x0320      1      59       4       0       4      0   0    33      0     7  by c[0x0][0x228]
//
// A loop is called by its address. The trip count is a number, or "by" what decides it: here a
// parameter of the kernel.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

// Hot loops, and those with tensor instructions, local memory or samples, are shown however many
// there are; `all`: the others too.
void add_loops(const FunctionReport& function, bool all, Document& document);

}  // namespace proofline
