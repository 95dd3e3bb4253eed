// SPDX-License-Identifier: Apache-2.0
//
// The kernel reads or writes another GPU's memory directly.
#include <fmt/format.h>

#include <algorithm>

#include "rules/gains.h"
#include "rules/rule.h"

namespace proofline {
namespace {

// NVLink or PCIe moves at most some tens of GB/s; less than this is housekeeping.
constexpr double kLeastRate = 1e9;

Outcome evaluate(Trial& trial) {
  if (!trial.at_least("memory.peer.bytes_per_second", kLeastRate)) return trial.clean();
  if (!trial.at_least("memory.peer.share", 0.01)) return trial.clean();
  const double bytes = *trial.maybe("memory.peer.bytes_per_second");
  trial.show("stall.long_scoreboard.share");
  trial.show("stall.lg_throttle.share");
  // In device memory the kernel would run into the next roof.
  const double estimate = 1 - highest_share_without(trial, {}) / kReachable;
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("{} of the sectors come from or go to another GPU's memory, at {}",
                  percent(*trial.maybe("memory.peer.share")), rate(bytes)),
      around(0.97 * estimate, GainKind::kCeiling),
      "copy what is reused to local device memory before the kernel, and overlap that copy with "
      "other work");
}

}  // namespace

Rule peer_memory() {
  return {
      "peer-memory",
      CauseGroup::kAccess,
      Bound::kMemory,
      "peer",
      "Sectors of another GPU's memory are accessed over NVLink or PCIe while the kernel runs.",
      "NVLink or PCIe is slower than device memory by one to two orders of magnitude and its "
      "latency is microseconds.",
      "Copy what is used more than once to local memory, overlap transfers with compute, read "
      "coalesced and 16 bytes a thread; keep reductions local and exchange results only.",
      "A few sectors (flags, parameters) are normal and below the threshold.",
      {"memory-latency", "dram-bandwidth", "l2-bandwidth", "low-occupancy", "uncoalesced-global",
       "narrow-access", "tail-effect", "load-imbalance", "small-grid", "memory-fence"},
      evaluate};
}

}  // namespace proofline
