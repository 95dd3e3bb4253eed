// SPDX-License-Identifier: Apache-2.0
//
// Global accesses are coalesced but move only a byte or two per thread.
#include <fmt/format.h>

#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

constexpr double kNarrow = 2;

Outcome evaluate_narrow_access(Trial& trial) {
  if (!trial.at_most(facts::kMemoryGlobalWidth, kNarrow)) return trial.clean();
  if (!trial.at_least(facts::kMemoryGlobalInstructionsShare, 0.04)) return trial.clean();
  if (!trial.at_most(facts::kThroughputShare[Level::kDram], kAtRoof)) return trial.clean();
  const double width = *trial.maybe(facts::kMemoryGlobalWidth);
  // Wide accesses gain at most what the narrow ones cost (memory stalls, or the LSU pipe), and not
  // more than the distance to the next roof, which is DRAM for streaming data.
  const double rest =
      std::max(trial.need(facts::kThroughputShare[Level::kDram]),
               highest_share_without(trial, {Level::kL2, Level::kL1, Level::kLsu, Level::kIssue}));
  const double cost =
      std::max(trial.take(facts::kStallGroupShare[StallGroup::kMemory]),
               trial.maybe(facts::kThroughputShare[Level::kLsu]).value_or(0) / kReachable);
  const double estimate = std::min(cost, 1 - rest / kReachable);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format(
          "global loads and stores move {:.1f} bytes per thread, so a warp instruction moves "
          "{:.0f} bytes instead of 512",
          width, 32 * width),
      around(0.85 * estimate, GainKind::kCeiling),
      "load and store 16 bytes per thread (uint4 or float4 on aligned pointers) and unpack in "
      "registers");
}

}  // namespace

Rule narrow_access() {
  return {
      .id = "narrow-access",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "global-access",
      .what =
          "Loads and stores of 1 or 2 bytes per thread: one warp instruction moves 32 or 64 bytes.",
      .why =
          "The load/store unit takes one instruction at a time and each warp keeps few in flight, "
          "so the bytes in flight do not fill the memory's latency.",
      .fix =
          "Move 16 bytes per thread: cast to uint4/float4 (aligned), process several elements per "
          "thread, unpack in registers.",
      .limits = "Widths come from executed opcodes. At the DRAM roof wider accesses gain nothing.",
      .explains = {"memory-latency", "lsu-pipe", "issue-slots", "l1-bandwidth", "l2-bandwidth",
                   "integer-pipe", "low-occupancy", "dependency-latency"},
      .evaluate = evaluate_narrow_access,
  };
}

}  // namespace proofline
