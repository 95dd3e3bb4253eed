// SPDX-License-Identifier: Apache-2.0
//
// The machine code of the kernels that two reports profiled, set side by side to explain what their
// counters say.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "base/input.h"
#include "diagnosis/comparison/compare.h"
#include "diagnosis/comparison/compare_code.h"

namespace proofline {

// A report, and which of its functions matter.
struct ReportKernels {
  std::string path;
  std::unordered_set<std::string> names;  // mangled
};

ReportKernels kernels_of(const ComparedSide& side);

// Nothing where one of the files holds no code that can be read: it was not asked for. Reads both
// files again; functions with the same bytes on both sides are neither decoded nor analysed.
std::optional<ComparedCode> compare_report_code(const ReportKernels& a, const ReportKernels& b,
                                                const InputLimits& limits);

}  // namespace proofline
