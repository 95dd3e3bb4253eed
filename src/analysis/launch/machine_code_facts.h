// SPDX-License-Identifier: Apache-2.0
//
// Facts that a kernel's machine code tells: resources, loops, warp roles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/sass/roles.h"
#include "model/diagnosis/fact_info.h"

namespace proofline {

// The sides of a tensor instruction's tile.
enum class TensorSide : std::uint8_t { kM, kN, kK };
constexpr std::string_view to_string(TensorSide value) {
  switch (value) {
    case TensorSide::kM: return "m";
    case TensorSide::kN: return "n";
    case TensorSide::kK: return "k";
  }
  return "";
}

namespace facts {

inline constexpr FactInfo kSassInstructions = {
    .name = "sass.instructions",
    .unit = "inst",
    .meaning = "Machine instructions of the kernel, without the padding.",
};
inline constexpr FactInfo kSassRegisters = {
    .name = "sass.registers",
    .unit = "register/thread",
    .meaning = "Registers that the compiler gave each thread.",
};
inline constexpr FactInfo kSassLive = {
    .name = "sass.live",
    .unit = "register",
    .meaning = "The most general registers that hold a value at one instruction.",
};
inline constexpr FactInfo kSassStackBytes = {
    .name = "sass.stack.bytes",
    .unit = "byte",
    .meaning = "Stack frame of a thread.",
};
inline constexpr FactInfo kSassSpillBytes = {
    .name = "sass.spill.bytes",
    .unit = "byte",
    .meaning =
        "Bytes that a thread moves to and from spilled registers, each instruction "
        "counted once.",
};
inline constexpr FactInfo kSassLines = {
    .name = "sass.lines",
    .meaning = "\"yes\" or \"no\": whether the code has a line table (-lineinfo).",
    .text = true,
    .words = "line table: @",
};
inline constexpr FactInfo kSassOptimised = {
    .name = "sass.optimised",
    .meaning = "\"yes\" or \"no\": no where the code was compiled with -G, -O0 or -O1.",
    .text = true,
    .words = "compiled with optimisation: @",
};
inline constexpr FactInfo kSassAllocates = {
    .name = "sass.allocates",
    .meaning =
        "\"yes\" or \"no\": whether the kernel calls malloc or new, itself or in "
        "functions it calls.",
    .text = true,
    .words = "allocates in the kernel: @",
};
inline constexpr FactInfo kSassLoops = {
    .name = "sass.loops",
    .meaning = "Loops of the kernel, those that only poll included.",
};
inline constexpr FactInfo kSassLoopOverheadShare = {
    .name = "sass.loop.overhead.share",
    .unit = kShare,
    .meaning =
        "Instructions of the hot loop that only keep it going (branches, their "
        "conditions, steps of counters and addresses), of all in it.",
    .words = "@ of the hot loop is overhead",
};
inline constexpr FactFamily<TensorSide> kSassTensor = {{
    .name = "sass.tensor.<m|n|k>",
    .meaning = "Shape of the most frequent tensor instruction.",
}};
inline constexpr FactInfo kSassRoles = {
    .name = "sass.roles",
    .meaning = "Warp roles; 0 where all warps run the same code.",
};
inline constexpr FactInfo kSassRolesVerdict = {
    .name = "sass.roles.verdict",
    .meaning =
        "none, separate (roles meet only at entry, exit and barriers of their own) or "
        "joined.",
    .text = true,
    .words = "warp roles: @",
};
inline constexpr FactInfo kSassRolesBalanceShare = {
    .name = "sass.roles.balance.share",
    .unit = kShare,
    .meaning = "Time that the least busy role does not wait, over that of the busiest.",
    .words = "least busy role works @ of the busiest one's time",
};
inline constexpr FactInfo kSassBarriersShared = {
    .name = "sass.barriers.shared",
    .meaning = "Barriers in loops that several warp roles come to.",
    .words = "@ barriers in loops shared by roles",
};
inline constexpr FactFamily<RoleKind> kSassRoleInstructions = {{
    .name = "sass.role[<kind>].instructions",
    .unit = "inst",
    .meaning = "Machine instructions of the load, mma or epilogue role; of several of a kind, "
               "the longest.",
}};
inline constexpr FactFamily<RoleKind> kSassRoleWarps = {{
    .name = "sass.role[<kind>].warps",
    .unit = "warp",
    .meaning = "Warps of a block in the roles of this kind.",
}};
inline constexpr FactFamily<RoleKind> kSassRoleRegisters = {{
    .name = "sass.role[<kind>].registers",
    .unit = "register/thread",
    .meaning = "Registers of the role's threads, as it sets them or as the kernel has them; of "
               "several of a kind, the most.",
}};
inline constexpr FactFamily<RoleKind> kSassRoleSamplesShare = {{
    .name = "sass.role[<kind>].samples.share",
    .unit = kShare,
    .meaning = "PC samples of the role's warps, over all of the launch.",
}};
inline constexpr FactFamily<RoleKind> kSassRoleWaitingShare = {{
    .name = "sass.role[<kind>].waiting.share",
    .unit = kShare,
    .meaning = "PC samples at which the role's warps wait for another role, over all of the "
               "role.",
}};
inline constexpr FactInfo kPipelineBubbleShare = {
    .name = "pipeline.bubble.share",
    .unit = kShare,
    .meaning = "Share of the mma role's time in which it waits for another role.",
    .words = "the mma role waits @ of its time",
};
inline constexpr FactFamily<RoleKind> kPipelineBubbleRoleShare = {{
    .name = "pipeline.bubble[<kind>].share",
    .unit = kShare,
    .meaning = "Share of the mma role's time in which it waits for the load or the epilogue "
               "role.",
}};
inline constexpr FactInfo kMemoryTmaWaitShare = {
    .name = "memory.tma.wait.share",
    .unit = kShare,
    .meaning =
        "PC samples of warps that wait at an mbarrier where bulk copies (TMA) arrive, "
        "over all.",
    .words = "@ of samples wait for TMA",
};
inline constexpr FactFamily<std::size_t> kLanesLinePlace = {{
    .name = "lanes.line[<i>].place",
    .meaning = "The source line that loses the i-th most lanes.",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kLanesLineLostShare = {{
    .name = "lanes.line[<i>].lost.share",
    .unit = kShare,
    .meaning = "Lanes that do nothing at this line, over all lanes of the executed instructions.",
}};

}  // namespace facts

inline constexpr FactInfo kMachineCodeFacts[] = {
    facts::kSassInstructions,
    facts::kSassRegisters,
    facts::kSassLive,
    facts::kSassStackBytes,
    facts::kSassSpillBytes,
    facts::kSassLines,
    facts::kSassOptimised,
    facts::kSassAllocates,
    facts::kSassLoops,
    facts::kSassLoopOverheadShare,
    facts::kSassTensor.info,
    facts::kSassRoles,
    facts::kSassRolesVerdict,
    facts::kSassRolesBalanceShare,
    facts::kSassBarriersShared,
    facts::kSassRoleInstructions.info,
    facts::kSassRoleWarps.info,
    facts::kSassRoleRegisters.info,
    facts::kSassRoleSamplesShare.info,
    facts::kSassRoleWaitingShare.info,
    facts::kPipelineBubbleShare,
    facts::kPipelineBubbleRoleShare.info,
    facts::kMemoryTmaWaitShare,
    facts::kLanesLinePlace.info,
    facts::kLanesLineLostShare.info,
};

}  // namespace proofline
