// SPDX-License-Identifier: Apache-2.0
//
// Warps wait for instructions to be fetched.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_instruction_cache(Trial& trial) {
  if (!trial.at_least(facts::kStallShare[Stall::kNoInstruction], 0.15)) return trial.clean();
  if (!trial.at_least(facts::kDuration, kWarmNanoseconds)) return trial.clean();
  const double waiting = *trial.maybe(facts::kStallShare[Stall::kNoInstruction]);
  const double estimate = std::min(waiting, headroom(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show(facts::kInstructionsFootprint);
  trial.show(facts::kInstructionsIcacheHitShare);
  const auto footprint = trial.maybe(facts::kInstructionsFootprint);
  return trial.found(
      fmt::format("warps wait {} of their time for instructions to be fetched{}", percent(waiting),
                  footprint ? fmt::format("; the code that ran is {:.0f} KiB", *footprint / 1024)
                            : std::string()),
      around(estimate, GainKind::kStallShare),
      "make the hot code smaller than the instruction cache: unroll less, move rare paths out of "
      "line, and let the warps of an SM run the same code");
}

}  // namespace

Rule instruction_cache() {
  return {
      .id = "instruction-cache",
      .group = CauseGroup::kLatency,
      .bound = Bound::kLatency,
      .at = "instruction-fetch",
      .what =
          "Warps wait 15 % of their cycles or more for instructions, in a kernel of at least 20 "
          "us, long enough for its code to be warm.",
      .why =
          "The first-level instruction caches hold some tens of kilobytes; code beyond that, or "
          "warps that run different code, is fetched again and again.",
      .fix =
          "Unroll less (#pragma unroll with a small number), keep cold code out of the loop "
          "(noinline), let warps run the same code at the same time.",
      .limits = "Short kernels always start cold; there the time is short-kernel's.",
      .explains = {"fma-pipe", "integer-pipe", "issue-slots", "dependency-latency", "fp64-pipe",
                   "special-function-pipe", "lsu-pipe", "memory-latency", "tensor-pipe",
                   "barrier-stalls"},
      .evaluate = evaluate_instruction_cache,
  };
}

}  // namespace proofline
