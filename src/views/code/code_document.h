// SPDX-License-Identifier: Apache-2.0
//
// What `sass` says: a table of the functions, and a screen for each of those that were asked for.
//
//   Function        Arch    Instr.  Regs  Live  Loops  Tensor  Local  Unknown
//   --------------  ------  ------  ----  ----  -----  ------  -----  -------
//   roles_named     sm_90a     263     -    30      3       4      0        0
//
//   roles_named
//
//   code           263 instructions in 16 blocks, 3 loops; 4.2 % behind a predicate
//   registers      30 live at most, at 0x0a50
//   tensor         HGMMA.64x32x16.F32.BF16 x 4; 1.5 % of all instructions
//   global-store   16 B x 2
//   local memory   not used: no spills
//   warp roles     3, separate
//     role         warp == 8: load, 150 instructions, async-copy x 24
//     meet at      barrier 1 of 160 threads joins 2 roles, inside a loop
//
//   Loop    Depth  Instr.  Tensor  Global  Shared  Local  FP  Int.  Conv.  Sync  Rounds
//   ------  -----  ------  ------  ------  ------  -----  --  ----  -----  ----  ----------------
//   0x0320      1      59       4       0       4      0   0    33      0     7  by c[0x0][0x228]
//
// Counts are instructions in the code, not executed ones. Regs is what the file declares, Live what
// is in use at once; Unknown could not be decoded. "16 B x 2" is two instructions that access 16
// bytes a thread. A loop is called by its address; Rounds is how often it turns, here as often as a
// parameter of the kernel says.
#pragma once

#include <span>
#include <string>

#include "analysis/sass/code_report.h"
#include "analysis/sass/waits.h"
#include "views/document.h"

namespace proofline {

struct CodeParts {
  bool all = false;  // a screen for each function, however many there are, and every row of it
};

Document compose_code(const CodeReport& report, const CodeParts& parts);

// What a stalled instruction waits for: the first of them, and how many more there are; "" for
// none.
//
//   waits on the LDG.E at 0x0a30, attention.cu:88, and 1 more
//   waits on the mbarrier [R3+URZ+0x118]: SYNCS.PHASECHK.TRANS64.TRYWAIT at 0x05f0
//   waits for other warps at the BAR.SYNC at 0x0020
//   producer not known: no fence comes before it
std::string wait_text(std::span<const AwaitedInstruction> waits, std::string_view not_known = "");

}  // namespace proofline
