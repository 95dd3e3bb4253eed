// SPDX-License-Identifier: Apache-2.0
//
// What a report's samples and counts say of instructions: where warps wait, and for what; and which
// lanes did nothing.
//
//   Where warps wait: 3,514 samples of launch 0
//
//   Address  Stalled  Reason           Executed  Instruction      Line          Waits on
//   -------  -------  ---------------  --------  ---------------  ------------  -------------
//   0x01c0    86.4 %  long_scoreboard   540,672  FADD R0, R7, R0  reduce.cu:29  the LDG.E ...
//
// Stalled is a share of all samples of the launch.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/sass/awaited_instructions.h"
#include "analysis/sass/code_report.h"
#include "views/document.h"

namespace proofline {

void add_hot(const FunctionReport& function, bool all, Document& document);

// Instructions, then source lines, by the lanes that did nothing.
void add_lanes(const FunctionReport& function, bool all_rows, Document& document);

// What a stalled instruction waits for: the first of them, and how many more there are; "" for
// none.
//
//   waits on the LDG.E at 0x0a30, attention.cu:88, and 1 more
//   waits on the mbarrier [R3+URZ+0x118]: SYNCS.PHASECHK.TRANS64.TRYWAIT at 0x05f0
//   waits for other warps at the BAR.SYNC at 0x0020
//   producer not known: no fence comes before it
std::string wait_text(std::span<const AwaitedInstruction> waits, std::string_view not_known = "");

}  // namespace proofline
