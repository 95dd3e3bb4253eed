// SPDX-License-Identifier: Apache-2.0
//
// Double-precision arithmetic saturates its pipe.
#include <algorithm>

#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

// Above this share of conversions the data is narrower than double, and FP64 is accidental.
constexpr double kConverted = 0.03;
constexpr double kDivided = 0.15;

Outcome evaluate_fp64_pipe(Trial& trial) {
  if (trial.maybe(facts::kInstructionsFp64ConversionShare).value_or(0) >= kConverted) {
    trial.show(facts::kInstructionsFp64ConversionShare);
    const double peak = trial.maybe(facts::kRooflinePrecisionPeak[Precision::kFp32]).value_or(0);
    const double floats =
        peak > 0
            ? trial.maybe(facts::kRooflinePrecisionAchieved[Precision::kFp32]).value_or(0) / peak
            : 0.0;
    return judge_roof(
        trial,
        {.level = Level::kFp64,
         .next = "compute in FP32: the data is narrower than double, so look for literals "
                 "without f, pow and std:: functions of double, and sums declared double",
         .aside = ", on numbers converted to double and back,",
         .useful = std::max(trial.maybe(facts::kThroughputShare[Level::kDram]).value_or(0), floats),
         .anywhere = true,
         .sure = 0.5});
  }
  if (trial.maybe(facts::kInstructionsFp64DivisionShare).value_or(0) >= kDivided) {
    trial.show(facts::kInstructionsFp64DivisionShare);
    const double rest = 1 - *trial.maybe(facts::kInstructionsFp64DivisionShare);
    return judge_roof(
        trial,
        {.level = Level::kFp64,
         .next = "divide less: multiply by a reciprocal computed once, move divisions out of "
                 "the loop, use rsqrt for 1/sqrt; then FP32 where accuracy allows",
         .aside = ", much of it divisions and roots,",
         .useful = rest * trial.maybe(facts::kThroughputShare[Level::kFp64]).value_or(0),
         .sure = 0.5});
  }
  return judge_roof(
      trial,
      {.level = Level::kFp64,
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
