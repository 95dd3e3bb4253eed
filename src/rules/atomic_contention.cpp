// SPDX-License-Identifier: Apache-2.0
//
// Atomics on few addresses queue at one L2 slice.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/features.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

// Above both, requests queue at one L2 slice while the others are idle.
constexpr double kBusy = 0.2;
constexpr double kConcentration = 2;

// A shared-memory atomic without a native instruction is a compare-and-swap loop: lanes that lose
// the race retry, with fewer and fewer of them active.
Outcome evaluate_retries(Trial& trial) {
  if (!trial.at_most(facts::kExecutionActiveThreadsShare, 0.75)) return trial.clean();
  if (!trial.at_least(facts::kInstructionsShare[InstructionClass::kAtomic], 0.05))
    return trial.clean();
  if (!trial.at_least(facts::kStallShare[Stall::kShortScoreboard], 0.2)) return trial.clean();
  trial.show(facts::kExecutionBranchUniformShare);
  const double estimate = std::min(1 - *trial.maybe(facts::kExecutionActiveThreadsShare),
                                   1 - far_memory_share(trial) / kReachable);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the shared-memory wavefronts are atomics, and on average {:.1f} of 32 "
                  "lanes are active: lanes that lost an address try again",
                  percent(*trial.maybe(facts::kMemorySharedAtomicShare)),
                  32 * *trial.maybe(facts::kExecutionActiveThreadsShare)),
      around(estimate, GainKind::kStallShare),
      fmt::format(
          "count in 32-bit integers, whose shared-memory atomics need no loop, combine lanes "
          "of the same address first{}, or give each warp its own copy of the counters",
          has(trial, kTensorCores) ? " (__match_any_sync)" : ""));
}

Outcome evaluate_shared(Trial& trial) {
  if (!trial.at_least(facts::kMemorySharedExcessShare, 0.3)) return evaluate_retries(trial);
  const double waiting = trial.need(facts::kStallShare[Stall::kShortScoreboard]) +
                         trial.need(facts::kStallShare[Stall::kMioThrottle]) +
                         trial.need(facts::kStallShare[Stall::kLgThrottle]);
  const double estimate =
      *trial.maybe(facts::kMemorySharedExcessShare) *
      std::max(waiting, trial.maybe(facts::kThroughputShare[Level::kShared]).value_or(0));
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(fmt::format("{} of the shared-memory wavefronts are atomics, and most of them "
                                 "queue for the same address",
                                 percent(*trial.maybe(facts::kMemorySharedAtomicShare))),
                     around(estimate, GainKind::kStallShare),
                     fmt::format("combine within the warp first ({}), or give each warp its own "
                                 "copy of the counters",
                                 has(trial, kAsyncCopies)   ? "__match_any_sync, __reduce_add_sync"
                                 : has(trial, kTensorCores) ? "__match_any_sync, shuffles"
                                                            : "shuffles"));
}

Outcome evaluate_atomic_contention(Trial& trial) {
  if (trial.maybe(facts::kMemorySharedAtomicShare).value_or(0) >= 0.3 &&
      trial.at_least(facts::kMemorySharedAtomicShare, 0.3)) {
    return evaluate_shared(trial);
  }
  if (!trial.at_least(facts::kMemoryAtomicBusiestSliceShare, kBusy)) return trial.clean();
  const double busiest = *trial.maybe(facts::kMemoryAtomicBusiestSliceShare);
  const double mean = trial.need(facts::kMemoryAtomicMeanSliceShare);
  if (!trial.maybe(facts::kMemoryAtomicMeanSliceShare)) return trial.clean();  // unknown is not 0
  if (busiest < kConcentration * mean && mean < 0.5) return trial.clean();
  trial.show(facts::kMemoryAtomicSectors);
  trial.show(facts::kStallGroupShare[StallGroup::kMemory]);
  // Without the queue the next roof binds.
  const double weight =
      std::max(std::min(1.0, busiest / kAtRoof),
               trial.maybe(facts::kStallGroupShare[StallGroup::kMemory]).value_or(0));
  const double estimate =
      weight * (1 - highest_share_without(trial, {Level::kL2, Level::kLsu}) / kReachable);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(fmt::format("atomics keep the busiest L2 slice {} busy while the mean is {}",
                                 percent(busiest), percent(mean)),
                     around(0.95 * estimate, GainKind::kCeiling),
                     "combine within the warp and the block first (shuffles, shared memory) and "
                     "send one atomic per "
                     "block and address; or spread the target over several copies");
}

}  // namespace

Rule atomic_contention() {
  return {
      .id = "atomic-contention",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "atomics",
      .what =
          "The atomic unit of the busiest L2 slice is busy 20 % of the time or more, and at least "
          "twice as busy as the mean.",
      .why =
          "Atomics on one address are served one after another by the slice that owns it, however "
          "many SMs ask.",
      .fix =
          "Reduce first: in the warp (shuffles, __reduce_add_sync), in the block (shared memory), "
          "then one atomic per block; or spread over several copies and add them up.",
      .limits =
          "Reads the busiest slice, since the mean over all slices hides a single hot address.",
      .explains = {"memory-latency", "l2-bandwidth", "low-occupancy", "load-imbalance",
                   "tail-effect", "uncoalesced-global", "lsu-pipe", "shared-bank-conflicts",
                   "shared-bandwidth", "small-grid", "narrow-access", "branch-divergence",
                   "dependency-latency"},
      .evaluate = evaluate_atomic_contention,
  };
}

}  // namespace proofline
