// SPDX-License-Identifier: Apache-2.0
//
// What faster kernels would do for their program: of each kernel that a report diagnoses, how much
// of the program's time it takes, by a timeline, and what its gain is worth there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/program_time.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {

// Of one kernel that ran and that the report has.
struct KernelSaving {
  std::string name;          // the report's
  std::string display_name;  // short
  // Where the report has the kernel with several grids or blocks, each is a row of its own.
  bool is_one_of_several = false;
  std::optional<Dim3> grid;  // that was profiled
  std::optional<Dim3> block;
  std::uint64_t launches = 0;
  std::int64_t total_ns = 0;
  // Launches whose grid and block are not those that were profiled, or not known: taken as alike.
  std::uint64_t other_launches = 0;
  std::optional<std::int64_t> median_ns;  // of launches as profiled
  std::optional<double> profiled_ns;      // under the profiler
  double share = 0;                       // of the span
  std::string cause;                      // a rule's id; "" none was found
  Gain gain;                              // of the kernel's own time
  // Of the span.
  double low = 0;
  double high = 0;
};

struct ReportedKernel {
  std::string name;
  std::string display_name;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
};

struct ProgramSavings {
  std::vector<KernelSaving> kernels;  // what saves most first
  // All of them together. Kernels that run side by side share the time that they take, so that
  // this is never more than what kernels take.
  double low = 0;
  double high = 0;
  double covered = 0;  // of the time of kernels that are no communication, what the report has
  std::vector<RanKernel> unprofiled;    // ran, and the report lacks them
  std::vector<ReportedKernel> not_run;  // the report has them, and they did not run
};
Record describe(const ProgramSavings*);

// `profile` is what the diagnosis is of.
ProgramSavings program_savings(const ProgramTime& time, const Profile& profile,
                               const Diagnosis& diagnosis);

}  // namespace proofline
