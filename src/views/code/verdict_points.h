// SPDX-License-Identifier: Apache-2.0
//
// What was expected or forbidden of machine code, and whether it is so.
//
//   PASS expect HGMMA in loop
//        4 HGMMA in loop 0x0320: 0x0460, 0x0470, 0x0490, 0x04a0
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

// Every verdict on one function.
void add_verdicts(const FunctionReport& function, Document& document);

// Where functions have no screen of their own: which of them are not as they must be.
void add_failed_verdicts(const CodeReport& report, Document& document);

}  // namespace proofline
