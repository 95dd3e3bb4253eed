// SPDX-License-Identifier: Apache-2.0
//
// Schedulers issue an instruction in nearly every cycle, spread over several pipes.
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_issue_slots(Trial& trial) {
  return judge_roof(
      trial, {.level = Level::kIssue,
              .next = "execute fewer instructions: unroll away loop and index overhead, vectorise "
                      "accesses, use packed or fused operations",
              .useful = useful_share(trial)});
}

}  // namespace

Rule issue_slots() {
  return {
      .id = "issue-slots",
      .group = CauseGroup::kRoof,
      .bound = Bound::kCompute,
      .at = "issue",
      .what = "Issue slots are used to 60 % or more and no single pipe is as full.",
      .why =
          "A scheduler issues one warp instruction per cycle; every instruction counts, useful or "
          "not.",
      .fix =
          "Execute fewer instructions: vector loads, fused operations, unrolling that removes loop "
          "and index overhead, packed half precision.",
      .limits =
          "An instruction count that no algorithm needs (address arithmetic, conversions) hides "
          "here; look at the mix.",
      .evaluate = evaluate_issue_slots,
  };
}

}  // namespace proofline
