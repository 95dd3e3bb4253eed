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

// A slice this busy, and this much busier than the mean, has a queue of its own.
constexpr double kBusy = 0.2;
constexpr double kConcentration = 2;

// An atomic without an instruction of its own is a loop around compare-and-swap: lanes that lost
// the address go round again, with fewer and fewer of them active.
Outcome evaluate_retries(Trial& trial) {
  if (!trial.at_most("execution.active_threads.share", 0.75)) return trial.clean();
  if (!trial.at_least("instructions.atomic.share", 0.05)) return trial.clean();
  if (!trial.at_least("stall.short_scoreboard.share", 0.2)) return trial.clean();
  trial.show("execution.branch.uniform.share");
  const double estimate = std::min(1 - *trial.maybe("execution.active_threads.share"),
                                   1 - far_memory_share(trial) / kReachable);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the shared-memory wavefronts are atomics, and on average {:.1f} of 32 "
                  "lanes are active: lanes that lost an address try again",
                  percent(*trial.maybe("memory.shared.atomic.share")),
                  32 * *trial.maybe("execution.active_threads.share")),
      around(estimate, GainKind::kStallShare),
      fmt::format(
          "count in 32-bit integers, whose shared-memory atomics need no loop, combine lanes "
          "of the same address first{}, or give each warp its own copy of the counters",
          has(trial, kTensorCores) ? " (__match_any_sync)" : ""));
}

Outcome evaluate_shared(Trial& trial) {
  if (!trial.at_least("memory.shared.excess.share", 0.3)) return evaluate_retries(trial);
  const double waiting = trial.need("stall.short_scoreboard.share") +
                         trial.need("stall.mio_throttle.share") +
                         trial.need("stall.lg_throttle.share");
  const double estimate = *trial.maybe("memory.shared.excess.share") *
                          std::max(waiting, trial.maybe("throughput.shared.share").value_or(0));
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(fmt::format("{} of the shared-memory wavefronts are atomics, and most of them "
                                 "queue for the same address",
                                 percent(*trial.maybe("memory.shared.atomic.share"))),
                     around(estimate, GainKind::kStallShare),
                     fmt::format("combine within the warp first ({}), or give each warp its own "
                                 "copy of the counters",
                                 has(trial, kAsyncCopies)   ? "__match_any_sync, __reduce_add_sync"
                                 : has(trial, kTensorCores) ? "__match_any_sync, shuffles"
                                                            : "shuffles"));
}

Outcome evaluate_atomic_contention(Trial& trial) {
  if (trial.maybe("memory.shared.atomic.share").value_or(0) >= 0.3 &&
      trial.at_least("memory.shared.atomic.share", 0.3)) {
    return evaluate_shared(trial);
  }
  if (!trial.at_least("memory.atomic.busiest_slice.share", kBusy)) return trial.clean();
  const double busiest = *trial.maybe("memory.atomic.busiest_slice.share");
  const double mean = trial.need("memory.atomic.mean_slice.share");
  if (!trial.maybe("memory.atomic.mean_slice.share")) return trial.clean();  // unknown is not 0
  if (busiest < kConcentration * mean && mean < 0.5) return trial.clean();
  trial.show("memory.atomic.sectors");
  trial.show("stall.group.memory.share");
  // Warps that wait do so for the queue; what is left when it goes is the next roof.
  const double weight = std::max(std::min(1.0, busiest / kAtRoof),
                                 trial.maybe("stall.group.memory.share").value_or(0));
  const double estimate = weight * (1 - highest_share_without(trial, {"l2", "lsu"}) / kReachable);
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
