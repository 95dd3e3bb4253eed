// SPDX-License-Identifier: Apache-2.0
//
// How many general registers are in use at each instruction: those that it reads or writes, and
// those that hold a value for later. nvdisasm -plr counts the same.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/sass/flow.h"
#include "model/code/listing.h"

namespace proofline {

struct Liveness {
  std::vector<std::uint16_t> live;  // of each instruction
  std::uint16_t most = 0;
  std::uint32_t most_at = 0;  // the first instruction with the most
};

// The function's operands must be completed (analysis/sass/operands.h). A call counts what the
// function that it calls reads, where that is in the same section; what a function elsewhere
// reads is not known.
Liveness live_registers(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes);

}  // namespace proofline
