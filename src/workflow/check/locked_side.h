// SPDX-License-Identifier: Apache-2.0
//
// The kernel that a playbook's lock fits on one side of the evidence: its diagnosis, its machine
// code, and facts of both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/sass/code_report.h"
#include "base/result.h"
#include "model/diagnosis/diagnosis.h"
#include "model/diagnosis/facts.h"
#include "playbook/check.h"
#include "workflow/check/kernel_lock.h"
#include "workflow/check/side_reader.h"
#include "workflow/check/sides.h"

namespace proofline {

// A function of a file of code that was given beside the profiles.
struct ListedCode {
  const FunctionReport* report = nullptr;
  const AnalysedFunction* function = nullptr;
  const OpcodeNames* opcodes = nullptr;
};

struct LockedSide {
  const EvidenceOfSide* evidence;
  const KernelDiagnosis* kernel;     // null: no profile has it
  std::size_t matching;              // kernels of the profiles that fit the lock
  std::optional<ListedCode> listed;  // nothing: no file of code has it
  Facts facts;                       // of the lock and the diagnosis

  bool found() const { return kernel != nullptr || listed; }
  const Launch* launch() const;  // of the kernel; null: no profile has it
};

// No kernel is no error: there may be no profile. Of several that fit, the costliest is taken;
// where some have the mangled name `same`, of those ("" any). Two files with the same kernel are an
// error (kUsage), or with `take_fullest` the one with most metrics is taken.
Result<LockedSide> close_lock(const Lock& lock, const EvidenceOfSide& evidence,
                              const std::string& same, bool take_fullest);

// As the first side that has the kernel tells it.
LockedKernel describe_locked(const Lock& lock, const Sides<LockedSide>& sides);

}  // namespace proofline
