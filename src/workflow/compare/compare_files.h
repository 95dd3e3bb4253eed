// SPDX-License-Identifier: Apache-2.0
//
// Two files in, what changed between them out. What they are decides how they are compared: two
// profiles, two timelines, two files of machine code; a timeline and a report are joined.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "diagnosis/comparison/compare_code.h"
#include "diagnosis/comparison/compare_timelines.h"
#include "diagnosis/comparison/join_report.h"
#include "model/diagnosis/comparison.h"
#include "workflow/announcer.h"
#include "workflow/code/analysed_code.h"
#include "workflow/code/report_code.h"

namespace proofline {

struct ComparePlan {
  std::string a;
  std::string b;
  CodeOptions code;                  // of machine code; of profiles its `function` chooses kernels
  std::vector<std::string> metrics;  // patterns: facts and metrics to list, changed or not
  std::vector<std::pair<std::string, std::string>> pairs;  // functions with other names
  std::optional<double> fail_above;  // the gate: a kernel that takes this share longer trips it
  bool all_changes = false;          // of facts and metrics; otherwise those that matter
  bool force = false;                // although GPU, clocks or shapes differ
  bool machine_code = false;         // of two reports, compare the code in them
};

struct ComparedProfiles {
  // A kernel that does not pass the gate.
  struct GateAnswer {
    std::string kernel;
    std::optional<double> longer;  // by this share; nothing: it could not be compared
  };

  ProfileComparison comparison;
  std::vector<GateAnswer> gate;
  // For compare_report_code().
  ReportKernels kernels_a;
  ReportKernels kernels_b;
};

using ComparedFiles = std::variant<ComparedProfiles, ComparedCode, TimelineComparison, ReportJoin>;

// Tells which of the metrics have other names today. kUsage where the plan asks for something that
// files of this kind have not: a gate that is ignored would always pass.
Result<ComparedFiles> compare_files(const ComparePlan& plan, const InputLimits& limits,
                                    Announcer& announcer);

}  // namespace proofline
