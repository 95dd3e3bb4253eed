// SPDX-License-Identifier: Apache-2.0
//
// The documents that comparing two profiles can print: the kernels with both durations, largest
// change first, then for those that changed what explains it, which facts and which causes.
//
//  Kernel      Grid  Block  Launches         A         B  Change   Share of time  Difference
//  ----------  ----  -----  --------  --------  --------  ------  --------------  -----------------
//  sum_blocks  1056    256      2, 2  17.50 us  18.11 us  +3.5 %  10 % to 82.4 %  within the spread
//
//   softmax_warp_per_row<16> [2048, 256]
//   371.7 % more time, 4.72 times as long: 3.39 us to 16.00 us under ncu's replay; ...
//
//   Cause           Is       Gain in A   Gain in B  Remark
//   --------------  ------  ----------  ----------  ------------------------------
//   short-kernel    gone    35 to 63 %           -
//   memory-latency  stayed           -  11 to 37 %  explained by short-kernel in A
//
//   Fact                                      A               B         Change
//   ------------------------------  -----------  --------------  -------------
//   stall.group.memory.share             60.7 %          86.1 %   +25.5 points
//   memory.dram.bytes                    2.1 MB         42.8 MB          x20.4
//
// A and B are medians, "Launches" how many on each side, "Share of time" of all kernels of a side.
// Shares change by points, all else by a factor.
#pragma once

#include <span>

#include "model/diagnosis/comparison.h"
#include "views/document.h"

namespace proofline {

struct ComparisonParts {
  bool all = false;  // every kernel and every fact that changed, not only the foremost
};

// Appends the comparison to the text before it.
void add_comparison(const ProfileComparison& comparison, const ComparisonParts& parts,
                    Document& document);

// What got better and worse in each of several profiles since the same earlier one.
void add_baseline(std::span<const ProfileComparison> comparisons, const ComparisonParts& parts,
                  Document& document);

// For programs that read tables: one row for each fact of each pair.
Document compose_comparison_rows(const ProfileComparison& comparison);

}  // namespace proofline
