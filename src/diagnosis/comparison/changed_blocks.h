// SPDX-License-Identifier: Apache-2.0
//
// The blocks in which two functions differ, with all that is known of each: its loop, its samples,
// and the instructions that came and went as text.
#pragma once

#include <vector>

#include "diagnosis/comparison/compare_code.h"

namespace proofline {

// The hottest first: by samples, then hot loops, tensor instructions and depth.
std::vector<ChangedBlock> changed_blocks(const CodeSide& a, const CodeSide& b,
                                         const FunctionComparison& pair);

}  // namespace proofline
