// SPDX-License-Identifier: Apache-2.0
//
// The kernel reads or writes host memory directly.
#include "rules/rule.h"
#include "rules/shared/remote_memory.h"

namespace proofline {
namespace {

Outcome evaluate_host_memory(Trial& trial) {
  return evaluate_remote_memory(
      trial, {"host memory", facts::kMemoryHostBytesPerSecond, facts::kMemoryHostShare,
              "copy the data to device memory before the kernel (or prefetch "
              "managed memory) and overlap that copy with other work"});
}

}  // namespace

Rule host_memory() {
  return {
      .id = "host-memory",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "host",
      .what = "Sectors of host memory are accessed over PCIe or C2C while the kernel runs.",
      .why =
          "PCIe or C2C is slower than device memory by one to two orders of magnitude and its "
          "latency is microseconds.",
      .fix =
          "Copy to device memory first (cudaMemcpyAsync, prefetch of managed memory), overlap the "
          "copy with other work, or at least read each byte once, coalesced, 16 bytes per thread.",
      .limits = "A few sectors (flags, parameters) are normal and below the threshold.",
      .explains = {"memory-latency", "dram-bandwidth", "l2-bandwidth", "low-occupancy",
                   "uncoalesced-global", "narrow-access", "tail-effect", "load-imbalance",
                   "small-grid", "memory-fence"},
      .evaluate = evaluate_host_memory,
  };
}

}  // namespace proofline
