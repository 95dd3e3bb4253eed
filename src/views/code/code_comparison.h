// SPDX-License-Identifier: Apache-2.0
//
// What comparing two listings or binaries says: as a document, and as JSON.
#pragma once

#include "base/json_writer.h"
#include "diagnosis/comparison/compare_code.h"
#include "views/document.h"

namespace proofline {

struct CodeComparisonParts {
  bool all = false;  // every function and every change, not only the foremost
};

Document compose_code_comparison(const CodeSide& a, const CodeSide& b,
                                 const CodeComparison& comparison,
                                 const CodeComparisonParts& parts);
// For programs that read tables: one row for each change of each pair.
Document compose_code_comparison_rows(const CodeSide& a, const CodeComparison& comparison);

void write_code_comparison_json(const CodeSide& a, const CodeSide& b,
                                const CodeComparison& comparison, JsonWriter& json);

}  // namespace proofline
