// SPDX-License-Identifier: Apache-2.0
//
// The same bytes travel from DRAM more than once.
#include <fmt/format.h>

#include <algorithm>

#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_poor_locality(Trial& trial) {
  if (!trial.at_least(facts::kMemoryDramOverUnique, 1.3)) return trial.clean();
  const double times = *trial.maybe(facts::kMemoryDramOverUnique);
  if (!trial.at_least(facts::kThroughputShare[Level::kDram], 0.4)) return trial.clean();
  const double busy = *trial.maybe(facts::kThroughputShare[Level::kDram]);
  trial.show(facts::kMemoryDramBytes);
  trial.show(facts::kMemoryDeclaredUniqueBytes);
  trial.show(facts::kMemoryL2HitShare);
  const double rest =
      highest_share_without(trial, {Level::kDram, Level::kL2, Level::kL1, Level::kLsu});
  const double estimate =
      std::min((1 - 1 / times) * std::min(1.0, busy / kAtRoof), 1 - rest / kReachable);
  if (estimate < kLeastGain) return trial.clean();
  return trial.found(
      fmt::format("DRAM moves {:.1f} times the distinct bytes of the kernel's data", times),
      around(estimate, GainKind::kCeiling),
      "fuse the passes over the data or block the loops so that each byte is used up while it is "
      "in "
      "L2 or shared memory");
}

}  // namespace

Rule poor_locality() {
  return {
      .id = "poor-locality",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "dram",
      .what = "DRAM moves more bytes than the kernel's data has, while it is busy.",
      .why =
          "Data that is reused after more than a cache's worth of other data has passed comes from "
          "DRAM again.",
      .fix =
          "Fuse passes, block the loops for L2 or shared memory, change the order of blocks so "
          "that neighbours share panels.",
      .limits =
          "No report holds the number of distinct bytes: declare it with proofline diagnose "
          "--unique-bytes KERNEL=BYTES, else this is not evaluated.",
      .explains = {"dram-bandwidth", "memory-latency", "l2-bandwidth"},
      .evaluate = evaluate_poor_locality,
  };
}

}  // namespace proofline
