// SPDX-License-Identifier: Apache-2.0
//
// Double-precision arithmetic saturates its pipe.
#include "rules/rule.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_fp64_pipe(Trial& trial) {
  return stand_at_roof(trial, "fp64", "The FP64 pipe",
                       "use FP32 or mixed precision where accuracy allows, or tensor-core DMMA for"
                       " matrix products; look for accidental double literals");
}

}  // namespace

Rule fp64_pipe() {
  return {
      .id = "fp64-pipe",
      .group = CauseGroup::kRoof,
      .bound = Bound::kCompute,
      .at = "fp64",
      .what = "The FP64 pipe is active in 60 % of all cycles or more.",
      .why = "Data-centre GPUs run FP64 at half the FP32 rate, others at 1/32 or 1/64.",
      .fix =
          "Use FP32 where the accuracy allows (mixed precision, compensated sums), or DMMA for "
          "matrix products. Look for accidental doubles: literals without f, pow, std:: functions.",
      .limits =
          "On GPUs with a small FP64 unit a handful of double instructions is enough to fill it.",
      .evaluate = evaluate_fp64_pipe,
  };
}

}  // namespace proofline
