// SPDX-License-Identifier: Apache-2.0
//
// Instructions for the load/store unit are issued as quickly as it takes them.
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "rules/shared/roof.h"

namespace proofline {
namespace {

Outcome evaluate_lsu_pipe(Trial& trial) {
  return judge_roof(
      trial,
      {.level = Level::kLsu,
       .next = "issue fewer, wider memory instructions and shuffles: hold reused values in "
               "registers (register tiling), vector accesses, partial sums in registers first",
       .useful = useful_share(trial)});
}

}  // namespace

Rule lsu_pipe() {
  return {
      .id = "lsu-pipe",
      .group = CauseGroup::kRoof,
      .bound = Bound::kMemory,
      .at = "lsu",
      .what = "The LSU pipe takes 60 % of its peak in instructions, while no data path is as full.",
      .why =
          "Loads, stores, shuffles, special-register reads and atomics each take a slot, however "
          "few bytes they move.",
      .fix =
          "Fewer, wider instructions: vector loads, reductions in registers before shuffling, "
          "redux.sync for integers, LDSM for tiles, 16-byte shared stores (STS.128) on aligned "
          "rows.",
      .limits = "A full data stage behind it is shared-bandwidth or l1-bandwidth.",
      .evaluate = evaluate_lsu_pipe,
  };
}

}  // namespace proofline
