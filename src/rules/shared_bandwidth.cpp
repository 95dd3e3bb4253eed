// SPDX-License-Identifier: Apache-2.0
//
// Shared memory moves data as quickly as its banks can.
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_shared_bandwidth(Trial& trial) {
  return judge_roof(
      trial, {.level = Level::kShared,
              .next = "read each value from shared memory once and reuse it from registers (a "
                      "larger register tile), or exchange by shuffles",
              .useful = useful_share(trial)});
}

}  // namespace

Rule shared_bandwidth() {
  return {
      .id = "shared-bandwidth",
      .group = CauseGroup::kRoof,
      .bound = Bound::kMemory,
      .at = "shared",
      .what =
          "Shared-memory wavefronts take 60 % of the cycles or more, without conflicts to blame.",
      .why = "Shared memory serves 128 bytes per cycle and SM.",
      .fix =
          "Register tiling (each value read once and used several times), wider accesses (LDS.128, "
          "LDSM), shuffles between lanes.",
      .limits =
          "On tensor-core kernels operand reads count as shared wavefronts; there tensor-pipe "
          "comes first.",
      .evaluate = evaluate_shared_bandwidth,
  };
}

}  // namespace proofline
