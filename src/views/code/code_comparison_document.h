// SPDX-License-Identifier: Apache-2.0
//
// What comparing two listings or binaries says, as a document.
//
//   1 function on both sides, 0 of them the same code
//
//   counted_loop
//
//   6 instructions in common, 7 removed, 7 added; stall cycles 55 -> 45
//
//   What                     A  B  Change
//   -----------------------  -  -  ------
//   live registers, most     5  4      -1
//   hot loop: uniform        0  2      +2
//   integer                  3  1      -2
//
//   Block 0x0070 of A, 0x0090 of B, in the hot loop: 2 removed, 2 added
//   ...
//
// Names of registers and addresses do not count when instructions are matched. Stall cycles are
// those that the compiler wrote into the code. A row is what differs: counts of instructions by
// class, of the function or of its hot loop.
#pragma once

#include "diagnosis/comparison/compare_code.h"
#include "views/document.h"

namespace proofline {

struct CodeComparisonParts {
  bool all = false;  // every function and every change, not only the foremost
};

Document compose_code_comparison(const CodeSide& a, const CodeSide& b,
                                 const CodeComparison& comparison,
                                 const CodeComparisonParts& parts);
// For programs that read tables: one row for each change of each pair, and for each instruction
// that came, went or changed.
Document compose_code_comparison_rows(const CodeSide& a, const CodeComparison& comparison);

// Beside two profiles: whether the code of the profiled functions is the same, and at a glance how
// it differs.
void add_profiled_code(const ComparedCode& code, bool all, Document& document);

}  // namespace proofline
