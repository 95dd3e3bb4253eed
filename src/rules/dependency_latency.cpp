// SPDX-License-Identifier: Apache-2.0
//
// Warps wait for the results of their own previous instructions, with too few warps to fill the
// gaps.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_dependency_latency(Trial& trial) {
  if (!trial.at_least(facts::kWarpsDependencyShare, 0.35)) return trial.clean();
  const double chain = *trial.maybe(facts::kWarpsDependencyShare);
  // Measured over active cycles, because idle SMs at the end of a launch are the tail effect.
  if (!trial.at_most(facts::kIssueActiveShare, kNearRoof)) return trial.clean();
  if (!trial.at_most(facts::kRoofShare, kNearRoof)) return trial.clean();
  trial.show(facts::kWarpsActive);
  trial.show(facts::kWarpsEligible);
  return trial.found(
      fmt::format("warps wait {} of their time for results of their own previous instructions, and "
                  "only {} of the issue slots are used",
                  percent(chain), percent(*trial.maybe(facts::kIssueActiveShare))),
      around(0.9 * std::min(chain, headroom(trial)), GainKind::kStallShare),
      "give each thread independent work (several elements or accumulators in the loop, unrolled) "
      "or run more warps on an SM");
}

}  // namespace

Rule dependency_latency() {
  return {
      .id = "dependency-latency",
      .group = CauseGroup::kLatency,
      .bound = Bound::kLatency,
      .at = "dependency",
      .what =
          "Instructions depend on the one before; stalls are fixed-latency waits and short "
          "scoreboards (shared memory, special functions), and issue slots stay empty.",
      .why =
          "Arithmetic takes 4 to 6 cycles, shared memory and special functions 20 to 30. One chain "
          "per thread and few warps leave the pipes idle in between.",
      .fix =
          "More independent work per thread (process several elements, split accumulators, "
          "unroll), "
          "or more warps; take long-latency operations out of the chain.",
      .limits =
          "wait also holds the fixed issue delay of every instruction, so a small share is normal.",
      .evaluate = evaluate_dependency_latency,
  };
}

}  // namespace proofline
