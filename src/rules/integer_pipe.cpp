// SPDX-License-Identifier: Apache-2.0
//
// Integer and logic instructions saturate the ALU, or integer multiply-adds the heavy half of the
// FMA pipe.
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

constexpr std::string_view kNext =
    "shorten the integer work: hoist index arithmetic, use 32-bit indices, replace division and "
    "modulo, pack narrow integers";

Outcome evaluate_integer_pipe(Trial& trial) {
  const std::optional<Level> level = roof_level(trial);
  if (level == Level::kFma || level == Level::kFmaHeavy) {
    if (!trial.at_least(facts::kInstructionsImadOfFmaShare, 0.5)) return trial.clean();
    return judge_roof(trial, {.level = *level,
                              .next = kNext,
                              .aside = ", mostly busy with integer multiply-adds,",
                              .useful = useful_share(trial)});
  }
  return judge_roof(trial,
                    {.level = Level::kInteger, .next = kNext, .useful = useful_share(trial)});
}

}  // namespace

Rule integer_pipe() {
  return {
      .id = "integer-pipe",
      .group = CauseGroup::kRoof,
      .bound = Bound::kCompute,
      .at = "integer",
      .what =
          "The ALU is active in 60 % of all cycles or more, or the FMA pipe is and most of its "
          "work is IMAD.",
      .why = "ALU and IMAD run at half the rate of FFMA.",
      .fix =
          "Take index arithmetic out of loops (strength reduction, 32-bit indices, pointers that "
          "advance), replace division and modulo by shifts or precomputed reciprocals, use dp4a or "
          "tensor cores for integer products.",
      .limits =
          "Comparisons, selects, min/max and bit operations of floating-point code run on the ALU "
          "as well.",
      .evaluate = evaluate_integer_pipe,
  };
}

}  // namespace proofline
