// SPDX-License-Identifier: Apache-2.0
//
// Which loop of a function is the hot one: the loop that people mean when they say "the loop". A
// loop that only polls is never it: warps spend time there, but the work that they wait for is
// done elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/sass/flow.h"
#include "model/code/listing.h"

namespace proofline {

// By loop: whether all that it does is to ask an mbarrier, to sleep or to elect a lane, and to
// branch back.
std::vector<bool> find_polling_loops(const CodeFunction& function, const Flow& flow,
                                     const OpcodeNames& opcodes);

// By the work in it: tensor instructions first, then memory and arithmetic, each counted as many
// times more as there are loops around it. Nothing where no loop works.
std::optional<std::uint32_t> hot_loop_by_structure(const CodeFunction& function, const Flow& flow,
                                                   const OpcodeNames& opcodes,
                                                   const std::vector<bool>& polling);

// By what was measured in each block: samples, or executed instructions. What falls on polling
// loops counts for none. Nothing where no other loop has any.
std::optional<std::uint32_t> hot_loop_by_weight(const Flow& flow, std::span<const double> blocks,
                                                const std::vector<bool>& polling);

}  // namespace proofline
