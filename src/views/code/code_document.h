// SPDX-License-Identifier: Apache-2.0
//
// What `sass` says: a table of the functions (function_table.h), and a screen (function_screen.h)
// for each where there are few or a listing was asked for, else for the one with the most samples.
#pragma once

#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

struct CodeParts {
  bool all = false;  // a screen for each function, however many there are, and every row of it
};

Document compose_code(const CodeReport& report, const CodeParts& parts);

}  // namespace proofline
