// SPDX-License-Identifier: Apache-2.0
//
// Facts, code and rules of the kernel that a lock was closed on, on every side.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/code_report.h"
#include "model/diagnosis/diagnosis.h"
#include "model/diagnosis/facts.h"
#include "playbook/fact_source.h"
#include "playbook/playbook.h"
#include "workflow/check/side_reader.h"

namespace proofline {

// A kernel's machine code, decoded when somebody asks for it.
struct KernelCode {
  AnalysedFunction function;
  OpcodeNames opcodes;
};

// The kernel that a lock was closed on, on one side.
struct LockedSide {
  std::size_t side = 0;
  const KernelDiagnosis* kernel = nullptr;   // null: no profile has it
  const AnalysedFunction* listed = nullptr;  // from a file of code; null: none
  const OpcodeNames* opcodes = nullptr;
  Facts facts;  // of the lock and the diagnosis
  mutable std::optional<KernelCode> decoded;
  mutable std::string no_code;
  mutable bool looked = false;
};

// The number of a side among `sides`; nothing: there is no evidence of it.
using SideIndex = std::function<std::optional<std::size_t>(const EvidenceSide&)>;

// It refers to the playbook and the sides.
std::unique_ptr<FactSource> locked_evidence(const Playbook& playbook,
                                            const std::vector<EvidenceOfSide>& sides,
                                            std::vector<LockedSide> locked, SideIndex index);

}  // namespace proofline
