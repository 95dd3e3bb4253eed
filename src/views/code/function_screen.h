// SPDX-License-Identifier: Apache-2.0
//
// All that is said of one function.
//
//   roles_named
//
//   code           263 instructions in 16 blocks, 3 loops; 4.2 % under a predicate
//   registers      30 live at most, at 0x0a50
//   tensor         HGMMA.64x32x16.F32.BF16 x 4; 1.5 % of all instructions
//   global-store   16 B x 2
//   local memory   not used: no spills
//
// "16 B x 2" is two instructions that access 16 bytes per thread. Below come warp roles
// (role_rows.h), loops, hot instructions, lanes, verdicts, source lines and the listing.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

// `all`: every row of it.
void add_function_screen(const CodeReport& report, const FunctionReport& function, bool all,
                         Document& document);

}  // namespace proofline
