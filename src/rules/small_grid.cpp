// SPDX-License-Identifier: Apache-2.0
//
// The grid has fewer blocks than the GPU has SMs.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

// From here on warps wait, and others beside them would fill the time.
constexpr double kExposed = 0.5;

// Every SM has a block, but the grid has too few of them to fill the slots: with nothing else to
// run, warps wait. Where their waiting was not captured, empty slots under no roof are all there
// is.
Outcome evaluate_part_wave(Trial& trial) {
  if (!trial.at_most("launch.waves", 0.75)) return trial.clean();
  if (!trial.at_most("roof.share", kNearRoof)) return trial.clean();
  const double waves = *trial.maybe("launch.waves");
  if (!trial.maybe("stall.exposed.share")) {
    trial.show("launch.blocks");
    return trial.found(
        fmt::format("the grid fills {} of the block slots while no level is above {} of its peak",
                    percent(waves), percent(*trial.maybe("roof.share"))),
        {0, std::min(1 - waves, headroom(trial)), GainKind::kCeiling},
        "split the work into more or smaller blocks; the warps' stalls (ncu --section "
        "WarpStateStats) "
        "would tell what the empty slots cost");
  }
  if (!trial.at_least("stall.exposed.share", kExposed)) return trial.clean();
  trial.show("launch.blocks");
  trial.show("occupancy.achieved");
  trial.show("occupancy.theoretical");
  return trial.found(
      fmt::format("the grid fills {} of the block slots, and warps wait {} of their time with no "
                  "other to run",
                  percent(waves), percent(*trial.maybe("stall.exposed.share"))),
      around(0.97 * std::min(1 - waves, headroom(trial)), GainKind::kCeiling),
      "split the work into more or smaller blocks, or let each thread have more in flight "
      "(independent loads, several items at once) where there is no more to split");
}

Outcome evaluate_small_grid(Trial& trial) {
  // Such a launch has nothing to spread: short-kernel.
  if (trial.maybe("duration").value_or(kWarmNanoseconds) <= kShortNanoseconds) return trial.clean();
  if (!trial.at_least("launch.sms_idle.share", 0.1)) {
    return trial.maybe("launch.sms_idle.share") ? evaluate_part_wave(trial) : trial.clean();
  }
  const double idle = *trial.maybe("launch.sms_idle.share");
  // Where warps wait, the free warp slots of the busy SMs count too: for half, as they share an SM.
  const double filled =
      trial.maybe("launch.waves").value_or(1) * trial.maybe("occupancy.theoretical").value_or(1);
  const bool waiting = trial.maybe("stall.exposed.share").value_or(0) >= kExposed;
  const double unused = waiting ? std::max(idle, (idle + 1 - filled) / 2) : idle;
  // A few SMs can fill DRAM; then the others would add little.
  const double estimate = std::min(0.97 * unused, headroom(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show("launch.blocks");
  trial.show("launch.sm_count");
  return trial.found(fmt::format("the grid has {:.0f} blocks for {:.0f} SMs: {} of them do nothing",
                                 trial.maybe("launch.blocks").value_or(0),
                                 trial.maybe("launch.sm_count").value_or(0), percent(idle)),
                     around(estimate, GainKind::kCeiling),
                     "split the work into at least as many blocks as there are SMs: smaller tiles, "
                     "split-K, or several problems in one launch");
}

}  // namespace

Rule small_grid() {
  return {
      .id = "small-grid",
      .group = CauseGroup::kParallelism,
      .bound = Bound::kLaunch,
      .at = "grid",
      .what =
          "At least 10 % of the SMs get no block at all, or the grid fills three quarters of the "
          "block "
          "slots or less and warps wait.",
      .why = "An SM without a block does nothing for the whole launch.",
      .fix =
          "Split the work into more, smaller blocks, split the reduction dimension (split-K) and "
          "combine, run several problems in one launch or in several streams.",
      .limits = "A kernel that is only a few microseconds long is short-kernel first.",
      .explains = {"memory-latency", "dependency-latency", "low-occupancy", "load-imbalance",
                   "tail-effect", "barrier-stalls", "instruction-cache", "narrow-access",
                   "uncoalesced-global"},
      .evaluate = evaluate_small_grid,
  };
}

}  // namespace proofline
