// SPDX-License-Identifier: Apache-2.0
//
// What a kernel's machine code says, as facts for rules and playbooks: of the code in a report
// (analysis/launch/machine_code.cpp) or in a file of its own.
#pragma once

#include <string>
#include <string_view>

#include "analysis/sass/code_report.h"
#include "model/diagnosis/facts.h"

namespace proofline {

// The reason where a capture would bring the code: the section that collects PC samples includes
// it.
inline constexpr std::string_view kNoCode = "the file does not hold the code that ran";

// One kernel's code; without a report there is only the reason.
struct DecodedKernel {
  const FunctionReport* report = nullptr;
  const AnalysedFunction* analysed = nullptr;
  const OpcodeNames* opcodes = nullptr;
  std::string missing = {};
};

void publish_code_facts(const DecodedKernel& code, Facts& facts);

}  // namespace proofline
