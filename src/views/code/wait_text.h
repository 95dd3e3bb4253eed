// SPDX-License-Identifier: Apache-2.0
//
// What a stalled instruction waits for, in words:
//
//   waits on the LDG.E at 0x0a30, attention.cu:88, and 1 more
//   waits on the mbarrier [R3+URZ+0x118]: SYNCS.PHASECHK.TRANS64.TRYWAIT at 0x05f0
//   waits for other warps at the BAR.SYNC at 0x0020
#pragma once

#include <span>
#include <string>

#include "analysis/sass/waits.h"

namespace proofline {

// The first of them, and how many more there are; "" for none.
std::string wait_text(std::span<const AwaitedInstruction> waits);

}  // namespace proofline
