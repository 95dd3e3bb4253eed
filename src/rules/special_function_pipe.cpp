// SPDX-License-Identifier: Apache-2.0
//
// Transcendental functions and conversions saturate the special-function pipe.
#include "rules/rule.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_special_function_pipe(Trial& trial) {
  return judge_roof(
      trial, {.level = Level::kSpecialFunction,
              .next = "use fewer special functions: share reciprocals, evaluate part of them by "
                      "polynomials on the FMA pipe, or use packed half precision"});
}

}  // namespace

Rule special_function_pipe() {
  return {
      .id = "special-function-pipe",
      .group = CauseGroup::kRoof,
      .bound = Bound::kCompute,
      .at = "special-function",
      .what =
          "The pipe for MUFU (exp, log, sin, rsqrt, reciprocal) and some conversions is used to 60 "
          "% of its peak or more.",
      .why = "It takes 16 threads per cycle and SM, an eighth of the FMA rate.",
      .fix =
          "Use fewer: exp2 with a prescaled argument, reciprocal shared between quotients, "
          "polynomials on the FMA pipe for part of the values, half-precision ex2 (two at once), "
          "intrinsics such as __expf where accuracy allows.",
      .limits = "Integer-to-float conversions and popc run here too.",
      .evaluate = evaluate_special_function_pipe,
  };
}

}  // namespace proofline
