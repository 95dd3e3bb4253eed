// SPDX-License-Identifier: Apache-2.0
//
// The documents that comparing two profiles can print: the kernels with both durations, largest
// change first, then for those that changed what explains it, which facts and which causes.
#pragma once

#include <span>

#include "model/diagnosis/comparison.h"
#include "views/document.h"

namespace proofline {

struct ComparisonParts {
  bool all = false;  // every kernel and every fact that changed, not only the foremost
};

// Adds the comparison to whatever stands before it.
void add_comparison(const ProfileComparison& comparison, const ComparisonParts& parts,
                    Document& document);

// What got better and worse in each of several profiles since the same earlier one.
void add_baseline(std::span<const ProfileComparison> comparisons, const ComparisonParts& parts,
                  Document& document);

// For programs that read tables: one row for each fact of each pair.
Document compose_comparison_rows(const ProfileComparison& comparison);

}  // namespace proofline
