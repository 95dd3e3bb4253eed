// SPDX-License-Identifier: Apache-2.0
//
// What the rules of the roof group share: a kernel stands at a level when that level is its roof
// and is used to at least 60 % of its peak.
#pragma once

#include <string_view>

#include "rules/rule.h"

namespace proofline {

// `name` as a sentence starts with it ("DRAM"); `next` for a roof reached cleanly.
Outcome stand_at_roof(Trial& trial, std::string_view level, std::string_view name,
                      std::string_view next);

}  // namespace proofline
