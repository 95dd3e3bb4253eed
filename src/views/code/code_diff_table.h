// SPDX-License-Identifier: Apache-2.0
//
// The instructions that came and went between two functions, block by block, the hottest block
// first: as blocks of a document, and as rows.
//
//   Block 0x0040 of A, 0x0050 of B, in the hot loop: 2 removed, 1 added, 1 moved
//
//       A       B       Instruction
//   --  ------  ------  -----------------------
//   -   0x0040          IADD3 R2, R2, 0x1, RZ
//   +           0x0050  UIADD3 UR4, UR4, 0x1, URZ
//   >   0x0060  0x0050  LDG.E R4, [R2.64]
//
// - only in A, + only in B, > elsewhere in the same block, ~ reads another value or goes elsewhere,
// ! other bytes. Names of registers do not count.
#pragma once

#include <cstddef>

#include "diagnosis/comparison/compare_code.h"
#include "views/document.h"

namespace proofline {

// At most so many blocks and instructions of each, unless they are in the hot loop or have samples
// that matter; what is left out is told.
struct CodeDiffCut {
  std::size_t blocks = 0;
  std::size_t instructions = 0;
};
inline constexpr CodeDiffCut kWholeCodeDiff{~std::size_t{0}, ~std::size_t{0}};

void add_code_diff(const FunctionComparison& pair, const CodeDiffCut& cut, Document& document);

// One row for each instruction: change, place and text on each side, block, loop, samples.
std::vector<Cell> code_diff_row(const ChangedBlock& block, const ChangedInstruction& one);

}  // namespace proofline
