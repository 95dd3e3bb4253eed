// SPDX-License-Identifier: Apache-2.0
//
// What a stalled instruction waits for. Code for Volta and later says it itself: an instruction
// whose duration is not fixed sets one of six scoreboards, and an instruction that needs it waits
// for that one. Where a listing has no encodings, the registers tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/flow.h"
#include "model/code/listing.h"

namespace proofline {

struct Wait {
  enum class Via : std::uint8_t {
    kResult,    // the producer's result
    kOperands,  // the producer must have read a register that is overwritten here
    kGroup,     // a group of asynchronous copies or tensor instructions that the producer is in
    kWarps,     // other warps; the producer is the barrier
    kMemory,    // this warp's own memory accesses; the producer is the fence or the EXIT
  };
  Via via = Via::kResult;
  std::uint32_t producer = 0;                     // position in CodeFunction::instructions
  std::uint8_t scoreboard = Control::kNoBarrier;  // kNoBarrier: registers told it
  // The register or predicate that carries the value, or that is overwritten; kSpecial: none is
  // known.
  OperandKind kind = OperandKind::kSpecial;
  std::uint16_t index = 0;
};

// "result", "operands", "group", "warps", "memory"
std::string_view to_string(Wait::Via via);

struct TracedWaits {
  std::vector<Wait> waits;  // the most likely first
  // Why there are none, where the reason says that something must have been waited for.
  std::string not_known;
};

// How often each instruction was executed; empty: nothing was counted.
using ExecutionCounts = std::vector<std::optional<std::uint64_t>>;

// `reason` is what the samples say that its warps wait for, spelled as in
// vocabulary/stall_reasons.h; "" where there are none. A producer comes before the instruction, or
// around the back edge of a loop that goes round, and where executions were counted it ran about as
// often. The function's operands must be completed (analysis/sass/operands.h).
TracedWaits waits_of(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes,
                     std::uint32_t instruction, std::string_view reason = "",
                     const ExecutionCounts& executed = {});

}  // namespace proofline
