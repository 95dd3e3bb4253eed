// SPDX-License-Identifier: Apache-2.0
//
// The kernel is so short that launch and ramp outweigh its work.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

// Up to this length a launch may still be mostly ramp and drain, which stall reasons show.
constexpr double kBriefNanoseconds = 2 * kShortNanoseconds;
constexpr double kLeastStart = 0.3;

// The stalls of ramp and drain: first instruction fetches, first constants, last stores.
double start_and_end(const Trial& trial) {
  double share = 0;
  for (const Stall stall : {Stall::kImcMiss, Stall::kNoInstruction, Stall::kDrain}) {
    share += trial.maybe(facts::kStallShare[stall]).value_or(0);
  }
  return share;
}

Outcome evaluate_brief(Trial& trial) {
  const double share = start_and_end(trial);
  if (share < kLeastStart || !trial.at_most(facts::kDuration, kBriefNanoseconds))
    return trial.clean();
  if (!trial.at_most(facts::kRoofShare, kNearRoof)) return trial.clean();
  trial.show(facts::kStallShare[Stall::kImcMiss]);
  trial.show(facts::kStallShare[Stall::kNoInstruction]);
  trial.show(facts::kStallShare[Stall::kDrain]);
  return trial.found(
      fmt::format(
          "the kernel takes {:.1f} us, and warps wait {} of it for their first instructions "
          "and constants and their last stores",
          *trial.maybe(facts::kDuration) / 1000, percent(share)),
      around(share, GainKind::kStallShare),
      "give each thread several elements and launch fewer blocks, fuse it with its neighbours, or "
      "batch several problems into one launch");
}

Outcome evaluate_short_kernel(Trial& trial) {
  if (trial.maybe(facts::kDuration).value_or(0) > kShortNanoseconds) return evaluate_brief(trial);
  if (!trial.at_most(facts::kDuration, kShortNanoseconds)) return trial.clean();
  if (!trial.at_most(facts::kRoofShare, kNearRoof)) return trial.clean();
  const double duration = *trial.maybe(facts::kDuration);
  if (duration <= 0) return trial.clean();
  trial.show(facts::kLaunchSmActiveShare);
  trial.show(facts::kLaunchBlocks);
  return trial.found(
      duration > kOverheadNanoseconds
          ? fmt::format(
                "the kernel takes {:.1f} us, of which about 2 us are launch, ramp and drain",
                duration / 1000)
          : fmt::format("the kernel takes {:.1f} us, no longer than launch, ramp and drain take",
                        duration / 1000),
      around(0.9 * std::min(1.0, kOverheadNanoseconds / duration), GainKind::kCeiling),
      "fuse it with its neighbours, batch several problems into one launch, or replay a CUDA "
      "graph; tuning its inner loop gains nothing");
}

}  // namespace

Rule short_kernel() {
  return {
      .id = "short-kernel",
      .group = CauseGroup::kParallelism,
      .bound = Bound::kLaunch,
      .at = "launch",
      .what =
          "A launch of at most 6 microseconds, of which SMs are busy only a part, or of at most 12 "
          "that are mostly its first fetches and last stores.",
      .why =
          "Starting blocks, loading parameters and instructions, and draining cost about two "
          "microseconds, whatever the kernel does.",
      .fix =
          "Fuse it with its neighbours, batch several problems into one launch, use a CUDA graph "
          "or a persistent kernel; do not tune its inner loop.",
      .limits =
          "Time under ncu has cold caches, which makes short kernels look longer than they are in "
          "a run.",
      .explains = {"memory-latency", "instruction-cache", "dependency-latency", "low-occupancy",
                   "small-grid", "tail-effect", "load-imbalance", "constant-cache",
                   "barrier-stalls", "uncoalesced-global", "narrow-access", "branch-divergence",
                   "lane-predication", "memory-fence", "shared-bank-conflicts"},
      .evaluate = evaluate_short_kernel,
  };
}

}  // namespace proofline
