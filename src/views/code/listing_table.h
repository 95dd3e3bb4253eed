// SPDX-License-Identifier: Apache-2.0
//
// Every instruction of a function, where that was asked for.
//
//   Address  Instruction                 Live  Stall  Sets  Waits  Samples  Executed  Line
//   -------  --------------------------  ----  -----  ----  -----  -------  --------  ------------
//   0x0170   LDG.E R7, [UR6+R6.64]         11      2  w2                18   540,672  reduce.cu:29
//
// Live is how many registers are in use; Stall the cycles until the next instruction may issue;
// Sets the scoreboards released when the result is written (w) or the operands are read (r); Waits
// those that it waits for.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

void add_listing(const FunctionReport& function, Document& document);

}  // namespace proofline
