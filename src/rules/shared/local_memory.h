// SPDX-License-Identifier: Apache-2.0
//
// What the two rules on local memory share: how much of the time its traffic takes.
#pragma once

#include <string>

#include "rules/rule.h"

namespace proofline {

// The cost of local-memory instructions, given the fact that is their share of all instructions:
// their issue slots, or local memory's part of the waiting for memory. Shows both as evidence.
double local_memory_cost(Trial& trial, const FactRef& instructions);

// " (told by its 64 registers: ...)" where the capture does not mark spills, else "".
std::string how_inferred(Trial& trial);

}  // namespace proofline
