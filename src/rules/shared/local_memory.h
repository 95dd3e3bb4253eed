// SPDX-License-Identifier: Apache-2.0
//
// What the two rules on local memory share: how much of the time its traffic takes.
#pragma once

#include <string>
#include <string_view>

#include "rules/rule.h"

namespace proofline {

// Of instructions that are `share_fact` of all: their issue slots, and local memory's part of the
// waiting for memory. Shows both as evidence.
double local_memory_cost(Trial& trial, std::string_view share_fact);

// " (told by its 64 registers: ...)" where the capture does not mark spills, else "".
std::string how_told(Trial& trial);

}  // namespace proofline
