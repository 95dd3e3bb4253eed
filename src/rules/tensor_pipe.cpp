// SPDX-License-Identifier: Apache-2.0
//
// Tensor cores are busy nearly all of the time.
#include "rules/rule.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_tensor_pipe(Trial& trial) {
  return stand_at_roof(
      trial,
      {.level = "tensor",
       .next =
           "do less matrix work or use a narrower type; the pipe itself has nothing left to give"});
}

}  // namespace

Rule tensor_pipe() {
  return {
      .id = "tensor-pipe",
      .group = CauseGroup::kRoof,
      .bound = Bound::kCompute,
      .at = "tensor",
      .what = "The tensor pipe is active in 60 % of all cycles or more.",
      .why = "Matrix instructions are issued as quickly as the tensor cores take them.",
      .fix =
          "Do less: smaller types (FP8 for BF16), sparsity, fewer redundant tiles, larger "
          "instruction shapes and tiles so that each operand read feeds more products. On Hopper "
          "mma.sync reaches about two thirds of what wgmma does.",
      .limits = "Active does not mean useful: padding to a tile is work too.",
      .evaluate = evaluate_tensor_pipe,
  };
}

}  // namespace proofline
