// SPDX-License-Identifier: Apache-2.0
//
// What machine code must have and must not have, held against each function.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/sass/code_report.h"
#include "analysis/sass/pattern.h"
#include "base/result.h"
#include "workflow/announcer.h"

namespace proofline {

struct Claim {
  Pattern pattern;
  bool forbidden = false;
};

// From "HGMMA >= 4 in loop" and the like. kUsage; tells what else there is to say of a pattern.
Result<std::vector<Claim>> parse_claims(const std::vector<std::string>& expected,
                                        const std::vector<std::string>& unwanted,
                                        Announcer& announcer);

// Adds a verdict on each to the function's report.
void check_claims(std::span<const Claim> claims, const AnalysedFunction& function,
                  const OpcodeNames& opcodes, FunctionReport& report);

}  // namespace proofline
