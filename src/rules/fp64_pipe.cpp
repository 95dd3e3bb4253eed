// SPDX-License-Identifier: Apache-2.0
//
// Double-precision arithmetic saturates its pipe.
#include <algorithm>

#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

// From here on doubles come from floats or go back to them, which the data did not ask for.
constexpr double kConverted = 0.03;
constexpr double kDivided = 0.15;

Outcome evaluate_fp64_pipe(Trial& trial) {
  if (trial.maybe("instructions.fp64_conversion.share").value_or(0) >= kConverted) {
    trial.show("instructions.fp64_conversion.share");
    const double peak = trial.maybe("roofline.fp32.peak").value_or(0);
    const double floats = peak > 0 ? trial.maybe("roofline.fp32.achieved").value_or(0) / peak : 0.0;
    return stand_at_roof(
        trial, {.level = "fp64",
                .next = "compute in FP32: the data is narrower than double, so look for literals "
                        "without f, pow and std:: functions of double, and sums declared double",
                .aside = ", on numbers converted to double and back,",
                .useful = std::max(trial.maybe("throughput.dram.share").value_or(0), floats),
                .anywhere = true,
                .sure = 0.5});
  }
  if (trial.maybe("instructions.fp64_division.share").value_or(0) >= kDivided) {
    trial.show("instructions.fp64_division.share");
    const double rest = 1 - *trial.maybe("instructions.fp64_division.share");
    return stand_at_roof(
        trial,
        {.level = "fp64",
         .next = "divide less: multiply by a reciprocal computed once, move divisions out of "
                 "the loop, use rsqrt for 1/sqrt; then FP32 where accuracy allows",
         .aside = ", much of it divisions and roots,",
         .useful = rest * trial.maybe("throughput.fp64.share").value_or(0),
         .sure = 0.5});
  }
  return stand_at_roof(
      trial,
      {.level = "fp64",
       .next = "use FP32 or mixed precision where accuracy allows; look for accidental double "
               "literals"});
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
      .explains = {"issue-slots", "special-function-pipe", "dependency-latency"},
      .evaluate = evaluate_fp64_pipe,
  };
}

}  // namespace proofline
