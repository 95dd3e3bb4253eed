// SPDX-License-Identifier: Apache-2.0
//
// What a file's machine code holds, as tables for programs that read them.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

// One row for each function and opcode.
Document compose_code_rows(const CodeReport& report);
// One row for each instruction, where the report has them.
Document compose_listing_rows(const CodeReport& report);

}  // namespace proofline
