// SPDX-License-Identifier: Apache-2.0
//
// Executed machine instructions by opcode, as a report counts them, and the classes that the
// diagnosis needs of them. One row is "LDG.E.128 executed 4,096 times".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "arch/mnemonics.h"

namespace proofline {

// Metrics that hold the counts, most detailed first; their instances must have been read.
inline constexpr std::string_view kOpcodeMetrics[] = {
    "sass__inst_executed_per_opcode_with_modifier_all", "sass__inst_executed_per_opcode"};

struct OpcodeCount {
  std::string opcode;  // with modifiers where the report has them
  double count = 0;
};

struct OpcodeCounts {
  std::string metric;  // "" where the capture has none
  bool modifiers = false;
  double total = 0;
  std::vector<OpcodeCount> rows;
};

OpcodeCounts opcode_counts(const Subject& subject);

// tensor, fp64, fp32, fp16, conversion, special-function, integer, global, shared, local, constant,
// atomic, async (bulk copies and their barriers), barrier, fence, shuffle, control, uniform, move,
// other. By mnemonic, so it also holds without modifiers.
std::string_view opcode_class(std::string_view opcode);

// Bytes that one thread moves in a memory instruction: LDG.E.128 -> 16, LDG.E.U8 -> 1, LDG.E -> 4.
double access_bytes(std::string_view opcode);

}  // namespace proofline
