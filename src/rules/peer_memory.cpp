// SPDX-License-Identifier: Apache-2.0
//
// The kernel reads or writes another GPU's memory directly.
#include "rules/rule.h"
#include "rules/shared/remote_memory.h"

namespace proofline {
namespace {

Outcome evaluate_peer_memory(Trial& trial) {
  return evaluate_remote_memory(
      trial, {"another GPU's memory", facts::kMemoryPeerBytesPerSecond, facts::kMemoryPeerShare,
              "copy what is reused to local device memory before the kernel, and "
              "overlap that copy with other work"});
}

}  // namespace

Rule peer_memory() {
  return {
      .id = "peer-memory",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "peer",
      .what =
          "Sectors of another GPU's memory are accessed over NVLink or PCIe while the kernel runs.",
      .why =
          "Even NVLink moves a tenth of what device memory does, PCIe far less, and a round trip "
          "takes microseconds.",
      .fix =
          "Copy what is used more than once to local memory, overlap transfers with compute, read "
          "coalesced and 16 bytes per thread; keep reductions local and exchange results only.",
      .limits = "A few sectors (flags, parameters) are normal and below the threshold.",
      .explains = {"memory-latency", "dram-bandwidth", "l2-bandwidth", "low-occupancy",
                   "uncoalesced-global", "narrow-access", "tail-effect", "load-imbalance",
                   "small-grid", "memory-fence"},
      .evaluate = evaluate_peer_memory,
  };
}

}  // namespace proofline
