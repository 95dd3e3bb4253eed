// SPDX-License-Identifier: Apache-2.0
//
// What a stalled instruction waits for, in words that are without the function's code.
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

// What a stalled instruction waits for: the first of them, and how many more there are; "" for
// none.
//
//   waits on the LDG.E at 0x0a30, attention.cu:88, and 1 more
//   waits on the mbarrier [R3+URZ+0x118]: SYNCS.PHASECHK.TRANS64.TRYWAIT at 0x05f0
//   waits for other warps at the BAR.SYNC at 0x0020
//   producer not known: no fence comes before it
std::string wait_text(std::span<const AwaitedInstruction> waits, std::string_view not_known = "");

// The end of that text: source line, arrivals at the mbarrier, and how many more there are.
std::string wait_details(std::span<const AwaitedInstruction> waits);

}  // namespace proofline
