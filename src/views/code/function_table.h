// SPDX-License-Identifier: Apache-2.0
//
// The functions of a file as a table.
//
//   Function        Arch    Instr.  Regs  Live  Loops  Tensor  Local  Unknown
//   --------------  ------  ------  ----  ----  -----  ------  -----  -------
//   roles_named     sm_90a     263     -    30      3       4      0        0
//
// Counts are instructions in the code, not executed ones. Regs is what the file declares, Live what
// is in use at once; Unknown could not be decoded. "3+" is at least so many, since not all was
// read.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

void add_functions(const CodeReport& report, Document& document);

}  // namespace proofline
