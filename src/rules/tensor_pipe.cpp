// SPDX-License-Identifier: Apache-2.0
//
// Tensor cores are busy nearly all of the time.
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

// Two pipes whose busy shares add up to this much alternate rather than overlap.
constexpr double kInTurns = 0.85;
constexpr double kLeastTurn = 0.35;

// The known case is attention: the MMAs wait for the softmax exponentials, and these for the next
// MMAs.
bool take_turns(Trial& trial) {
  const double tensor = trial.maybe(facts::kThroughputShare[Level::kTensor]).value_or(0);
  const double special = trial.maybe(facts::kThroughputShare[Level::kSpecialFunction]).value_or(0);
  return std::min(tensor, special) >= kLeastTurn && std::max(tensor, special) < kNearRoof &&
         tensor + special >= kInTurns &&
         trial.at_least(facts::kThroughputShare[Level::kTensor], kLeastTurn) &&
         trial.at_least(facts::kThroughputShare[Level::kSpecialFunction], kLeastTurn);
}

Outcome evaluate_turns(Trial& trial) {
  const double tensor = *trial.maybe(facts::kThroughputShare[Level::kTensor]);
  const double special = *trial.maybe(facts::kThroughputShare[Level::kSpecialFunction]);
  const Gain gain{0, std::max(0.0, 1 - std::max(tensor, special) / kReachable), GainKind::kCeiling};
  Outcome outcome = trial.found(
      fmt::format("The tensor pipe is busy {} of the time and the special-function pipe {}: they "
                  "work in turns rather than at once",
                  percent(tensor), percent(special)),
      gain,
      "overlap them: let two warpgroups alternate (one multiplies while the other exponentiates), "
      "or issue the next tile's products before this tile's exponentials; a polynomial on the FMA "
      "pipe takes part of the exponentials");
  std::get<Finding>(outcome).severity = severity_of(gain);
  return outcome;
}

Outcome evaluate_tensor_pipe(Trial& trial) {
  if (take_turns(trial)) return evaluate_turns(trial);
  return judge_roof(
      trial,
      {.level = Level::kTensor,
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
      .what =
          "The tensor pipe is active in 60 % of all cycles or more, or it and the special-function "
          "pipe share the time in turns.",
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
