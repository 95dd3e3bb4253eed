// SPDX-License-Identifier: Apache-2.0
//
// Source lines beside the machine code that they became, as a block of a document and as rows.
//
//   reduce.cu, 3,514 samples of launch 0
//
//   Line  Samples  Stalls                Live          Lanes  Source and SASS
//   ----  -------  --------------------  ------------  -----  ------------------------------
//     29   91.5 %  long_scoreboard 94 %  ########  12   32.0  sum += in[i];
//           0.5 %  wait 88 %             #######.  11   32.0    0x0170  LDG.E R7, [UR6+R6.64]
//          86.4 %  long_scoreboard 99 %  ########  12   32.0    0x01c0  FADD R0, R7, R0
//
// Samples are shares of the launch's. Stalls is what most of those at the line wait for. Live is
// how many registers are in use, as a bar of the most in the function; Lanes how many of 32 work on
// average. In long functions the lines and instructions with the most samples are shown, without
// samples those of the hot loop and of tensor instructions first.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

// `all`: every line and instruction.
void add_source(const FunctionReport& function, bool all, Document& document);

// One row for each instruction, with its line.
Document compose_source_rows(const CodeReport& report);

}  // namespace proofline
