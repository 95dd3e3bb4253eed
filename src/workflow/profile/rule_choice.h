// SPDX-License-Identifier: Apache-2.0
//
// Which rules are evaluated on a profile, and which of their findings trip a gate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {

// A kernel that does not pass the gate.
struct GateAnswer {
  std::string rule;
  std::string kernel;      // its display name
  std::string not_judged;  // why the rule could not be evaluated; "": it fired
};

struct RuleChoice {
  std::vector<std::string> select;  // none: every rule
  std::vector<std::string> ignore;
  std::vector<std::string> fail_on;  // the gate; "any": every rule that is evaluated

  // kUsage where one is no rule, or where the gate names a rule that is not evaluated.
  Result<void> check() const;
  bool looks(std::string_view rule) const;
  // The findings that trip the gate; where there are none, what could not be judged. Empty: passed.
  std::vector<GateAnswer> gate(const Diagnosis& diagnosis) const;
};

}  // namespace proofline
