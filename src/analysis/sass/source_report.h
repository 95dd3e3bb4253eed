// SPDX-License-Identifier: Apache-2.0
//
// The instructions of a function by the source line that they come from.
#pragma once

#include <span>

#include "analysis/sass/code_report.h"

namespace proofline {

// Without the text of the lines. `rows` has one for each instruction; of the report the hot loop is
// read.
SourceReport group_by_line(const AnalysedFunction& function, std::span<const InstructionRow> rows,
                           const CodeSamples& samples, const FunctionReport& report);

}  // namespace proofline
