// SPDX-License-Identifier: Apache-2.0
//
// A kernel that is at 80 % of one level's peak, which is its roof.
#pragma once

#include <string>
#include <string_view>

#include "support/rule_case.h"

namespace proofline {

inline RuleCase roof_case(std::string_view rule, const std::string& level) {
  return RuleCase(
      rule,
      {{"roof.level", level}, {"throughput." + level + ".share", 0.8}, {"roof.headroom", 0.14}});
}

}  // namespace proofline
