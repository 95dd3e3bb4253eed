// SPDX-License-Identifier: Apache-2.0
//
// Writes a picture of a function's control flow to a file.
#pragma once

#include <string>
#include <vector>

#include "analysis/sass/code_report.h"
#include "base/result.h"

namespace proofline {

// Graphviz text, or a picture, by what the file's name ends in. There must be one function.
Result<void> draw_flow(const CodeReport& report, const std::vector<AnalysedFunction>& functions,
                       const std::string& path);

}  // namespace proofline
