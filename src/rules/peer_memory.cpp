// SPDX-License-Identifier: Apache-2.0
//
// The kernel reads or writes another GPU's memory directly.
#include "rules/remote_memory.h"
#include "rules/rule.h"

namespace proofline {
namespace {

Outcome evaluate(Trial& trial) {
  return evaluate_remote_memory(trial, "peer", "another GPU's memory",
                                "copy what is reused to local device memory before the kernel, and "
                                "overlap that copy with other work");
}

}  // namespace

Rule peer_memory() {
  return {
      "peer-memory",
      CauseGroup::kAccess,
      Bound::kMemory,
      "peer",
      "Sectors of another GPU's memory are accessed over NVLink or PCIe while the kernel runs.",
      "Even NVLink moves a tenth of what device memory does, PCIe far less, and a round trip takes "
      "microseconds.",
      "Copy what is used more than once to local memory, overlap transfers with compute, read "
      "coalesced and 16 bytes a thread; keep reductions local and exchange results only.",
      "A few sectors (flags, parameters) are normal and below the threshold.",
      {"memory-latency", "dram-bandwidth", "l2-bandwidth", "low-occupancy", "uncoalesced-global",
       "narrow-access", "tail-effect", "load-imbalance", "small-grid", "memory-fence"},
      evaluate};
}

}  // namespace proofline
