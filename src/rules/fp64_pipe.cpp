// SPDX-License-Identifier: Apache-2.0
//
// Double-precision arithmetic saturates its pipe.
#include "rules/roof.h"
#include "rules/rule.h"

namespace proofline {
namespace {

Outcome evaluate(Trial& trial) {
  return stand_at_roof(trial, "fp64", "The FP64 pipe",
                       "use FP32 or mixed precision where accuracy allows, or tensor-core DMMA for"
                       " matrix products; look for accidental double literals");
}

}  // namespace

Rule fp64_pipe() {
  return {"fp64-pipe",
          CauseGroup::kRoof,
          Bound::kCompute,
          "fp64",
          "The FP64 pipe is active in 60 % of all cycles or more.",
          "Data-centre GPUs run FP64 at half the FP32 rate, others at 1/32 or 1/64.",
          "Use FP32 where the accuracy allows (mixed precision, compensated sums), or DMMA for "
          "matrix products. Look for accidental doubles: literals without f, pow, std:: functions.",
          "On GPUs with a small FP64 unit a handful of double instructions is enough to fill it.",
          {},
          evaluate};
}

}  // namespace proofline
