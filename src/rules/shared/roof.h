// SPDX-License-Identifier: Apache-2.0
//
// What the rules of the roof group share: a kernel stands at a level when that level is its roof
// and is used to at least 60 % of its peak.
#pragma once

#include <string_view>

#include "rules/rule.h"

namespace proofline {

// `next` for a roof reached cleanly; `aside` goes behind the level's label.
Outcome stand_at_roof(Trial& trial, std::string_view level, std::string_view next,
                      std::string_view aside = "");

}  // namespace proofline
