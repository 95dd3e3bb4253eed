// SPDX-License-Identifier: Apache-2.0
//
// What a stalled instruction waits for, in words that stand without the function's code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/sass/waits.h"
#include "model/code/listing.h"

namespace proofline {

struct AwaitedInstruction {
  Wait::Via via = Wait::Via::kResult;
  std::string opcode;
  std::uint32_t address = 0;
  std::string line;                        // source, "attention.cu:88"; "" unknown
  std::optional<std::uint8_t> scoreboard;  // absent: registers told it
  std::string carrier;   // the register or predicate, "R4", "UP0"; "" none is known
  std::string mbarrier;  // where the code says it is, "[R3+URZ+0x118]"; "" it is none's
  // Who ends the phase that is waited for, by address; empty where it is not known.
  std::vector<std::uint32_t> arrivals = {};
};
std::vector<AwaitedInstruction> awaited_instructions(const CodeFunction& function,
                                                     const OpcodeNames& opcodes,
                                                     std::span<const Wait> waits);

}  // namespace proofline
