// SPDX-License-Identifier: Apache-2.0
//
// The second half of build_flow: dominators and natural loops of a graph whose blocks and edges
// are known.
#pragma once

#include "analysis/sass/flow.h"

namespace proofline {

// Sets FlowBlock::reachable and dominator, Flow::loops, FlowBlock::loop and Flow::irreducible.
void find_loops(Flow& flow);

}  // namespace proofline
