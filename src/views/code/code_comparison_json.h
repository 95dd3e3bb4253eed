// SPDX-License-Identifier: Apache-2.0
//
// What comparing two listings or binaries says, as JSON (docs/code-comparison.schema.json).
#pragma once

#include "base/json_writer.h"
#include "diagnosis/comparison/compare_code.h"

namespace proofline {

void write_code_comparison_json(const CodeSide& a, const CodeSide& b,
                                const CodeComparison& comparison, JsonWriter& json);

// Beside two profiles: the functions that were profiled.
void write_profiled_code(const ComparedCode& code, JsonWriter& json);

}  // namespace proofline
