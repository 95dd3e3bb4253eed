// SPDX-License-Identifier: Apache-2.0
//
// What `decide` reads: the two sides of a benchmark, from one file or two, and the profiles that
// explain the difference.
#pragma once

#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/diagnosis/comparison.h"
#include "model/measurement/benchmark.h"
#include "workflow/code/report_code.h"

namespace proofline {

struct DecidedSides {
  Benchmark a;
  Benchmark b;
  bool interleaved = false;
  std::string a_label;  // as in Decision
  std::string b_label;
};

// Of one file with two sides or two implementations, or of two files with one each. `a` and `b`
// choose by label, implementation or benchmark; "" the only one there is, and of one file the
// first and the second side.
Result<DecidedSides> read_sides(const std::vector<std::string>& files, const std::string& a,
                                const std::string& b, const InputLimits& limits);

struct ComparedReports {
  ProfileComparison profiles;
  ReportKernels a;
  ReportKernels b;
};
Result<ComparedReports> compare_profile_files(const std::string& a, const std::string& b,
                                              bool force, const InputLimits& limits);

}  // namespace proofline
