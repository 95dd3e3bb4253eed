// SPDX-License-Identifier: Apache-2.0
//
// The kernel reads or writes host memory directly.
#include <fmt/format.h>

#include <algorithm>

#include "rules/gains.h"
#include "rules/rule.h"

namespace proofline {
namespace {

// PCIe or C2C moves at most some tens of GB/s; less than this is housekeeping.
constexpr double kLeastRate = 1e9;

Outcome evaluate(Trial& trial) {
  if (!trial.at_least("memory.host.bytes_per_second", kLeastRate)) return trial.clean();
  if (!trial.at_least("memory.host.share", 0.01)) return trial.clean();
  const double bytes = *trial.maybe("memory.host.bytes_per_second");
  trial.show("stall.long_scoreboard.share");
  trial.show("stall.lg_throttle.share");
  // In device memory the kernel would run into the next roof.
  const double estimate = 1 - highest_share_without(trial, {}) / kReachable;
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the sectors come from or go to host memory, at {}",
                  percent(*trial.maybe("memory.host.share")), rate(bytes)),
      around(0.97 * estimate, GainKind::kCeiling),
      "copy the data to device memory before the kernel (or prefetch managed memory) and overlap "
      "that copy with other work");
}

}  // namespace

Rule host_memory() {
  return {
      "host-memory",
      CauseGroup::kAccess,
      Bound::kMemory,
      "host",
      "Sectors of host memory are accessed over PCIe or C2C while the kernel runs.",
      "PCIe or C2C is slower than device memory by one to two orders of magnitude and its "
      "latency is microseconds.",
      "Copy to device memory first (cudaMemcpyAsync, prefetch of managed memory), overlap the "
      "copy with other work, or at least read each byte once, coalesced, 16 bytes a thread.",
      "A few sectors (flags, parameters) are normal and below the threshold.",
      {"memory-latency", "dram-bandwidth", "l2-bandwidth", "low-occupancy", "uncoalesced-global",
       "narrow-access", "tail-effect", "load-imbalance", "small-grid", "memory-fence"},
      evaluate};
}

}  // namespace proofline
