// SPDX-License-Identifier: Apache-2.0
//
// Reads a file of machine code, or a folder of Triton's cache, and analyses its functions one by
// one, so that `sass` and `compare` say the same of a file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_set>

#include "analysis/sass/code_report.h"
#include "base/input.h"
#include "base/result.h"
#include "diagnosis/comparison/compare_code.h"
#include "workflow/code/claims.h"

namespace proofline {

struct CodeOptions {
  std::string function;               // RE2 on its name; "" = any
  std::string disassembler = "auto";  // auto, native, nvdisasm
  bool unsafe = false;                // nvdisasm without a sandbox
  std::string source_folder;          // where sources are looked for first; "" nowhere
};

// What is wanted of each function besides its report.
struct CodeDemand {
  bool listing = false;    // in the report: a row for each instruction
  bool source = false;     // in the report: source lines with their instructions
  bool functions = false;  // its code, to be compared or drawn; else CodeSide::functions is empty
  // Only functions of these mangled names, whatever was profiled; null: as the options say.
  const std::unordered_set<std::string>* names = nullptr;
  // Only functions whose mangled name this wants; none: as the options say.
  std::function<bool(const std::string& name)> wants = {};
  std::span<const Claim> claims = {};  // the report has a verdict on each
};

// An error where the file has no function, or none that was asked for.
Result<CodeSide> analyse_code(const std::string& path, const CodeOptions& options,
                              const CodeDemand& demand, const InputLimits& limits);
// Of a file that was opened already, and not read yet.
Result<CodeSide> analyse_code(const std::string& path, Input opened, const CodeOptions& options,
                              const CodeDemand& demand, const InputLimits& limits);

}  // namespace proofline
