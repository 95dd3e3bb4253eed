// SPDX-License-Identifier: Apache-2.0
//
// The last wave of blocks fills only part of the GPU.
#include <fmt/format.h>

#include <algorithm>

#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_tail_effect(Trial& trial) {
  if (!trial.at_least("launch.tail.share", 0.1)) return trial.clean();
  const double tail = *trial.maybe("launch.tail.share");
  // Blocks that start when a slot is free blur the waves; then the SMs were busy to the end.
  double waiting = tail;
  double estimate = tail;
  if (const auto balance = trial.maybe("launch.balance.share")) {
    trial.show("launch.balance.share");
    waiting = std::min(tail, 1 - *balance);
    // Blocks of the last wave have an SM more to themselves and run faster than in a full one, so
    // what SMs wait says too little and the shape of the grid too much.
    estimate = waiting < kLeastGain ? waiting : (tail + waiting) / 2;
  }
  estimate = std::min(estimate, headroom(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show("launch.waves");
  return trial.found(
      fmt::format("the grid is {:.2f} waves: in the last one SMs idle, {} of the whole time",
                  trial.maybe("launch.waves").value_or(0), percent(waiting)),
      around(estimate, GainKind::kCeiling),
      "choose the block or tile size so that the grid is whole waves, or use smaller blocks or a "
      "persistent grid (stream-K) to fill the last wave");
}

}  // namespace

Rule tail_effect() {
  return {
      .id = "tail-effect",
      .group = CauseGroup::kParallelism,
      .bound = Bound::kLaunch,
      .at = "tail",
      .what = "The grid is a few waves and a bit: in the last wave most SMs wait.",
      .why =
          "Blocks of equal length run in waves of as many as fit; a last wave of a few blocks "
          "takes as long as a full one.",
      .fix =
          "Choose a block or tile size that gives whole waves, make blocks smaller so that the "
          "last wave is short, or use a persistent grid with stream-K or dynamic scheduling.",
      .limits =
          "Assumes blocks of equal length; where they differ it is load-imbalance. Above about "
          "eight waves a tail hardly matters.",
      .explains = {"load-imbalance"},
      .evaluate = evaluate_tail_effect,
  };
}

}  // namespace proofline
