// SPDX-License-Identifier: Apache-2.0
//
// Executed machine instructions by opcode, as a report counts them, and under which name the facts
// count them. One row is "LDG.E.128 executed 4,096 times".
#pragma once

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

// The <class> of "instructions.<class>.share". Facts are coarser than a listing: loads and stores
// of one memory are one class, a generic access counts as global, which it nearly always is, and
// every way of copying without waiting is "async", with the mbarriers that tell its end.
std::string fact_word(InstructionClass kind);

}  // namespace proofline
