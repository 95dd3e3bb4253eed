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

// Above this share of exposed stalls more resident warps would hide latency.
constexpr double kExposed = 0.5;

// Every SM has a block, but the grid leaves block slots empty, so that no other warp hides a stall.
// Without captured stalls the empty slots are the only evidence.
Outcome evaluate_part_wave(Trial& trial) {
  if (!trial.at_most(facts::kLaunchWaves, 0.75)) return trial.clean();
  if (!trial.at_most(facts::kRoofShare, kNearRoof)) return trial.clean();
  const double waves = *trial.maybe(facts::kLaunchWaves);
  if (!trial.maybe(facts::kStallExposedShare)) {
    trial.show(facts::kLaunchBlocks);
    return trial.found(
        fmt::format("the grid fills {} of the block slots while no level is above {} of its peak",
                    percent(waves), percent(*trial.maybe(facts::kRoofShare))),
        {0, std::min(1 - waves, headroom(trial)), GainKind::kCeiling},
        "split the work into more or smaller blocks; the warps' stalls (ncu --section "
        "WarpStateStats) "
        "would tell what the empty slots cost");
  }
  if (!trial.at_least(facts::kStallExposedShare, kExposed)) return trial.clean();
  trial.show(facts::kLaunchBlocks);
  trial.show(facts::kOccupancyAchieved);
  trial.show(facts::kOccupancyTheoretical);
  return trial.found(
      fmt::format("the grid fills {} of the block slots, and warps wait {} of their time with no "
                  "other to run",
                  percent(waves), percent(*trial.maybe(facts::kStallExposedShare))),
      around(0.97 * std::min(1 - waves, headroom(trial)), GainKind::kCeiling),
      "split the work into more or smaller blocks, or let each thread have more in flight "
      "(independent loads, several items at once) where there is no more to split");
}

Outcome evaluate_small_grid(Trial& trial) {
  // A launch this short is short-kernel's: it has too little work to spread over more SMs.
  if (trial.maybe(facts::kDuration).value_or(kWarmNanoseconds) <= kShortNanoseconds)
    return trial.clean();
  if (!trial.at_least(facts::kLaunchSmsIdleShare, 0.1)) {
    return trial.maybe(facts::kLaunchSmsIdleShare) ? evaluate_part_wave(trial) : trial.clean();
  }
  const double idle = *trial.maybe(facts::kLaunchSmsIdleShare);
  // Where warps wait, free warp slots of busy SMs count too, at half: warps of one SM share it.
  const double filled = trial.maybe(facts::kLaunchWaves).value_or(1) *
                        trial.maybe(facts::kOccupancyTheoretical).value_or(1);
  const bool waiting = trial.maybe(facts::kStallExposedShare).value_or(0) >= kExposed;
  const double unused = waiting ? std::max(idle, (idle + 1 - filled) / 2) : idle;
  // A few SMs can saturate DRAM, so that the headroom bounds the gain.
  const double estimate = std::min(0.97 * unused, headroom(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show(facts::kLaunchBlocks);
  trial.show(facts::kLaunchSmCount);
  return trial.found(fmt::format("the grid has {:.0f} blocks for {:.0f} SMs: {} of them do nothing",
                                 trial.maybe(facts::kLaunchBlocks).value_or(0),
                                 trial.maybe(facts::kLaunchSmCount).value_or(0), percent(idle)),
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
