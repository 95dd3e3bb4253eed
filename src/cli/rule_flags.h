// SPDX-License-Identifier: Apache-2.0
//
// --select, --ignore and --fail-on: which rules look at a profile, and which findings trip a gate.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/exit_codes.h"
#include "cli/flags.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {

struct RuleFlags {
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::vector<std::string> fail_on;  // "any": every rule that looks

  // kUsage where one is no rule.
  Result<void> check() const;
  bool looks(std::string_view rule) const;
  // 1 where a finding trips the gate, 10 where a rule of it could not be evaluated, else kDone;
  // what it is, is said on standard error.
  ExitCode gate(const Diagnosis& diagnosis) const;
};

std::shared_ptr<RuleFlags> add_rule_flags(Flags line);

}  // namespace proofline
