// SPDX-License-Identifier: Apache-2.0
//
// Schedulers issue an instruction in nearly every cycle, spread over several pipes.
#include "rules/roof.h"
#include "rules/rule.h"

namespace proofline {
namespace {

Outcome evaluate(Trial& trial) {
  return stand_at_roof(trial, "issue", "Instruction issue",
                       "execute fewer instructions: unroll away loop and index overhead, vectorise"
                       " accesses, use packed or fused operations");
}

}  // namespace

Rule issue_slots() {
  return {"issue-slots",
          CauseGroup::kRoof,
          Bound::kCompute,
          "issue",
          "Issue slots are used to 60 % or more and no single pipe is as full.",
          "A scheduler issues one warp instruction a cycle; every instruction counts, useful or "
          "not.",
          "Execute fewer instructions: vector loads, fused operations, unrolling that removes loop"
          " and index overhead, packed half precision.",
          "An instruction count that no algorithm needs (address arithmetic, conversions) hides "
          "here; look at the mix.",
          {},
          evaluate};
}

}  // namespace proofline
