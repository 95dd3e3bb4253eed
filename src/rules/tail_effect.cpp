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
  if (!trial.at_least(facts::kLaunchTailShare, 0.1)) return trial.clean();
  const double tail = *trial.maybe(facts::kLaunchTailShare);
  // The grid's shape gives the possible tail; idle SM cycles show whether there is one. Blocks
  // start as soon as a slot is free, which blurs waves and can keep all SMs busy to the end.
  if (!trial.at_least(facts::kLaunchIdleShare, kLeastGain)) return trial.clean();
  const double idle = std::min(tail, *trial.maybe(facts::kLaunchIdleShare));
  // Without stall shares a larger cause than the tail cannot be ruled out.
  if (!trial.maybe(facts::kStallExposedShare)) {
    trial.take(facts::kStallExposedShare);
    return trial.clean();
  }
  // Blocks of the last wave share their SM with fewer others and run faster, so that idle cycles
  // underestimate the gain and the grid's shape overestimates it.
  const double estimate = std::min({(tail + idle) / 2, 1.5 * idle, headroom(trial)});
  if (estimate < kLeastGain) return trial.clean();
  const double waves = trial.need(facts::kLaunchWaves);
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
