// SPDX-License-Identifier: Apache-2.0
//
// The facts of one kernel on both sides of a comparison, ranked by how much their change matters.
#pragma once

#include "diagnosis/comparison/compare.h"

namespace proofline {

// Fills facts and unchanged_facts; the result has its kernels and the change of duration.
void compare_facts(const ComparedSide& side_a, const KernelDiagnosis& a, const ComparedSide& side_b,
                   const KernelDiagnosis& b, const CompareOptions& options,
                   KernelComparison& result);

}  // namespace proofline
