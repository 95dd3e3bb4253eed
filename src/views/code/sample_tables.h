// SPDX-License-Identifier: Apache-2.0
//
// What a report's samples and counts say of instructions: where warps wait, and for what; and which
// lanes did nothing.
//
//   Where warps wait: 3,514 samples of launch 0
//
//   Address  Stalled  Reason           Executed  Instruction      Line          Waits on
//   -------  -------  ---------------  --------  ---------------  ------------  -------------
//   0x01c0    86.4 %  long_scoreboard   540,672  FADD R0, R7, R0  reduce.cu:29  the LDG.E ...
//
// Stalled is a share of all samples of the launch.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

void add_hot(const FunctionReport& function, bool all, Document& document);

// Instructions, then source lines, by the lanes that did nothing.
void add_lanes(const FunctionReport& function, bool all_rows, Document& document);

}  // namespace proofline
