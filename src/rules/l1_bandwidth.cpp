// SPDX-License-Identifier: Apache-2.0
//
// The L1 data stage is saturated by global, local or texture accesses.
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_l1_bandwidth(Trial& trial) {
  return judge_roof(
      trial, {.level = Level::kL1,
              .next = "hold reused values in registers (register tiling) so that each loaded "
                      "value feeds more arithmetic",
              .useful = useful_share(trial)});
}

}  // namespace

Rule l1_bandwidth() {
  return {
      .id = "l1-bandwidth",
      .group = CauseGroup::kRoof,
      .bound = Bound::kMemory,
      .at = "l1",
      .what =
          "L1 moves 128 bytes per cycle at most; it is used to 60 % of that or more, shared memory "
          "apart.",
      .why = "Every access that hits L1 still takes wavefronts of its data stage.",
      .fix =
          "Keep values in registers over several uses, load wider, and let each loaded value feed "
          "more arithmetic.",
      .limits = "Shared-memory wavefronts use the same stage and are counted by shared-bandwidth.",
      .evaluate = evaluate_l1_bandwidth,
  };
}

}  // namespace proofline
