// SPDX-License-Identifier: Apache-2.0
//
// What `sass` says: a table of the functions, and a screen for each of those that were asked for.
#pragma once

#include <cstddef>

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

struct CodeParts {
  bool all = false;  // a screen for each function, however many there are
};

Document compose_code(const CodeReport& report, const CodeParts& parts);

// For programs that read tables: one row for each function and opcode.
Document compose_code_rows(const CodeReport& report);
// One row for each instruction, where the report has them.
Document compose_listing_rows(const CodeReport& report);

}  // namespace proofline
