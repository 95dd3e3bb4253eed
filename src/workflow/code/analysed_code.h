// SPDX-License-Identifier: Apache-2.0
//
// Reads a file of machine code and analyses its functions one by one, so that `sass` and `compare`
// say the same of a file.
#pragma once

#include <functional>
#include <string>

#include "analysis/sass/code_report.h"
#include "base/input.h"
#include "base/result.h"
#include "diagnosis/comparison/compare_code.h"

namespace proofline {

struct CodeOptions {
  std::string function;               // RE2 on its name; "" = any
  std::string disassembler = "auto";  // auto, native, nvdisasm
  bool unsafe = false;                // nvdisasm without a sandbox
};

// Takes each function with its report; the report's names are valid at that time.
using TakeFunction = std::function<void(FunctionReport&& report, AnalysedFunction&& function,
                                        const OpcodeNames& opcodes)>;

// The functions go to `take`, the rest to the result. An error where the file has none, or none
// that was asked for.
Result<CodeReport> analyse_code(const std::string& path, const CodeOptions& options, bool listing,
                                const InputLimits& limits, const TakeFunction& take);

// All of them at once, to be compared.
Result<CodeSide> read_code_side(const std::string& path, const CodeOptions& options,
                                const InputLimits& limits);

}  // namespace proofline
