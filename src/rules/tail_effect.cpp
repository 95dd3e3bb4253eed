// SPDX-License-Identifier: Apache-2.0
//
// The last wave of blocks fills only part of the GPU.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_tail_effect(Trial& trial) {
  if (!trial.at_least("launch.tail.share", 0.1)) return trial.clean();
  const double tail = *trial.maybe("launch.tail.share");
  // The shape of the grid allows a tail; that there is one, SMs without work show. Blocks that
  // start when a slot is free blur the waves, and then SMs are busy to the end.
  if (!trial.at_least("launch.idle.share", kLeastGain)) return trial.clean();
  const double idle = std::min(tail, *trial.maybe("launch.idle.share"));
  // What warps wait for while they run must be known to be the lesser cause.
  if (!trial.maybe("stall.exposed.share")) {
    trial.take("stall.exposed.share");
    return trial.clean();
  }
  // Blocks of the last wave have an SM more to themselves and run faster than in a full one, so
  // what SMs wait says too little and the shape of the grid too much.
  const double estimate = std::min({(tail + idle) / 2, 1.5 * idle, headroom(trial)});
  if (estimate < kLeastGain) return trial.clean();
  const double waves = trial.need("launch.waves");
  return trial.found(
      waves > 1
          ? fmt::format("the grid is {:.2f} waves: in the last one SMs idle, {} of the whole time",
                        waves, percent(idle))
          : fmt::format("blocks do not divide evenly among the SMs: SMs idle {} of the whole time",
                        percent(idle)),
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
