// SPDX-License-Identifier: Apache-2.0
//
// What a loop does only to go round: its branches, the comparisons that only they read, and the
// steps of counters and addresses. Unrolling makes it less.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/sass/flow.h"
#include "model/code/listing.h"

namespace proofline {

// How many instructions of the loop, the loops in it included, are such. A step is an addition to
// its own result of the round before, of nothing that the loop computes otherwise. Nothing where
// the code is too large to find out who reads what. The operands are completed.
std::optional<std::uint32_t> count_loop_control(const CodeFunction& function, const Flow& flow,
                                                const OpcodeNames& opcodes, std::uint32_t loop);

}  // namespace proofline
