// SPDX-License-Identifier: Apache-2.0
//
// Files in, their diagnosis out: reports of ncu, or logs of compute-sanitizer.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "diagnosis/order_kernels.h"
#include "model/diagnosis/comparison.h"
#include "model/diagnosis/diagnosis.h"
#include "model/machine/sanitizer.h"
#include "model/profile/profile.h"
#include "workflow/profile/rule_choice.h"
#include "workflow/profile/select_launches.h"

namespace proofline {

struct DiagnosePlan {
  std::vector<std::string> files;  // or folders of them, or patterns; "-" is standard input
  LaunchFilter launches;
  RuleChoice rules;
  KernelOrder order = KernelOrder::kTotal;
  std::map<std::string, double> unique_bytes;  // distinct bytes that a function's kernel touches
  std::string baseline;                        // an earlier profile; "" none
  std::string journal;                         // "": the one that is found, if any
  bool code = false;                           // also decode machine code, for its facts
  bool nvidia_rules = false;                   // also read what NVIDIA's own rules say
};

struct DiagnosedReports {
  std::vector<Profile> profiles;
  Diagnosis diagnosis;                   // kernels in the order of the plan
  std::vector<ProfileComparison> since;  // each profile against the baseline; none without one
  std::vector<GateAnswer> gate;
};
Record describe(const DiagnosedReports*);

using DiagnosedFiles = std::variant<DiagnosedReports, SanitizerRun>;

// The first file decides which of both it is.
Result<DiagnosedFiles> diagnose_files(const DiagnosePlan& plan, const InputLimits& limits);

}  // namespace proofline
