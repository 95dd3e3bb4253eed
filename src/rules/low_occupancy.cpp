// SPDX-License-Identifier: Apache-2.0
//
// Too few warps fit on an SM to hide the latency that shows.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_low_occupancy(Trial& trial) {
  if (!trial.at_most(facts::kOccupancyTheoretical, 0.5)) return trial.clean();
  if (!trial.at_least(facts::kStallShare[Stall::kLongScoreboard], 0.3)) return trial.clean();
  if (!trial.at_most(facts::kRoofShare, kNearRoof)) return trial.clean();
  // Higher occupancy helps only where the grid has blocks to fill it.
  if (trial.maybe(facts::kLaunchWaves).value_or(1) < 1) return trial.clean();
  const double theoretical = *trial.maybe(facts::kOccupancyTheoretical);
  trial.show(facts::kOccupancyLimiter);
  trial.show(facts::kOccupancyAchieved);
  trial.show(facts::kOccupancyNextStep);
  trial.show(facts::kWarpsEligible);
  const double waiting = *trial.maybe(facts::kStallShare[Stall::kLongScoreboard]);
  // Throughput grows with warps until latency is hidden or a level saturates.
  const double after = std::max(theoretical, *trial.maybe(facts::kRoofShare) / kReachable);
  const std::string limiter = trial.maybe_text(facts::kOccupancyLimiter).value_or("the launch");
  const auto step = trial.maybe_text(facts::kOccupancyNextStep);
  return trial.found(
      fmt::format("only {} of the warps that an SM can hold fit, limited by {}, and warps wait {} "
                  "of their time for memory",
                  percent(theoretical), limiter, percent(waiting)),
      around((1 - after) * (1 + waiting) / 2, GainKind::kStallShare),
      step ? fmt::format("free {}: {}", limiter, *step)
           : fmt::format("free {} so that more blocks fit on an SM", limiter));
}

}  // namespace

Rule low_occupancy() {
  return {
      .id = "low-occupancy",
      .group = CauseGroup::kParallelism,
      .bound = Bound::kOccupancy,
      .at = "occupancy",
      .what =
          "Registers, shared memory, block size or barriers let few warps reside, long-latency "
          "stalls are above 30 % and no level is above 60 % of its peak.",
      .why =
          "A scheduler hides the latency of one warp by issuing another; with few warps it runs "
          "out of them.",
      .fix =
          "Lower what limits: fewer registers per thread (__launch_bounds__), less shared memory "
          "per block (smaller tiles, fewer stages: but stages hide latency too), blocks that are "
          "multiples of 32 threads and divide the SM evenly.",
      .limits =
          "Occupancy alone is no fault: a persistent warp-specialised kernel with a busy tensor "
          "pipe is fine at 9 %. Independent work per thread hides latency as well as warps do.",
      .explains = {"memory-latency"},
      .evaluate = evaluate_low_occupancy,
  };
}

}  // namespace proofline
