// SPDX-License-Identifier: Apache-2.0
//
// FP32 arithmetic saturates the FMA pipe.
#include "rules/rule.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_fma_pipe(Trial& trial) {
  // Integer multiply-adds (IMAD) run on this pipe too; where they dominate, integer-pipe says so.
  if (trial.maybe(facts::kInstructionsImadOfFmaShare).value_or(0) > 0.5) return trial.clean();
  const bool heavy = roof_level(trial) == Level::kFmaHeavy;
  return judge_roof(
      trial, {.level = heavy ? Level::kFmaHeavy : Level::kFma,
              .next = "do less arithmetic (algebra, FMA contraction, packed half precision); the "
                      "pipe itself has nothing left to give"});
}

}  // namespace

Rule fma_pipe() {
  return {
      .id = "fma-pipe",
      .group = CauseGroup::kRoof,
      .bound = Bound::kCompute,
      .at = "fma",
      .what =
          "The FMA pipe is active in 60 % of all cycles or more, and most of its work is floating "
          "point.",
      .why = "Each FFMA, FADD and FMUL takes a slot of it.",
      .fix =
          "Do less arithmetic: fuse multiply and add, use tensor cores where the problem is a "
          "matrix product on 16-bit inputs, packed half precision, cheaper approximations.",
      .limits =
          "Integer multiply-adds run here too; where they are the majority the cause is "
          "integer-pipe.",
      .evaluate = evaluate_fma_pipe,
  };
}

}  // namespace proofline
