// SPDX-License-Identifier: Apache-2.0
//
// Copies take time in which no kernel runs.
#include <fmt/format.h>

#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"
#include "rules/rule.h"

namespace proofline {
namespace {

constexpr double kLeastCopyShare = 0.10;
// From here on pinned memory is the first thing to try.
constexpr double kMuchPageable = 0.5;

Outcome evaluate_copy_bound(Trial& trial) {
  if (!trial.at_least(facts::kTimelineCopyExposedShare, kLeastCopyShare)) return trial.clean();
  const double exposed = *trial.maybe(facts::kTimelineCopyExposedShare);
  const double kernels = trial.need(facts::kTimelineKernelsShare);
  const double pageable = trial.maybe(facts::kTimelineCopyPageableShare).value_or(0);
  trial.show_all({facts::kTimelineCopiesShare, facts::kTimelineCopyOverlapShare,
                  facts::kTimelineCopyBytes, facts::kTimelineCopyRate,
                  facts::kTimelineCopyPageableShare});
  // Beside kernels no more can be hidden than there are kernels.
  const double hidden = exposed < kernels ? exposed : kernels;
  return trial.found(
      fmt::format("copies that no kernel hides take {} of the time", percent(exposed)),
      {hidden, exposed, GainKind::kCeiling},
      pageable >= kMuchPageable
          ? "copy from pinned memory (pin_memory, cudaMallocHost) with asynchronous calls on a "
            "stream of their own, or keep the data on the GPU"
          : "copy the next piece on a stream of its own while kernels work on this one, or keep "
            "the "
            "data on the GPU");
}

}  // namespace

Rule copy_bound() {
  return {
      .id = "copy-bound",
      .group = CauseGroup::kAccess,
      .bound = Bound::kMemory,
      .at = "copies",
      .what = "Copies and sets that no kernel hides take 10 % of the GPU's span or more.",
      .why =
          "A GPU copies and computes at the same time, but not what stands in one stream, and not "
          "from pageable memory, which the driver first copies itself.",
      .fix =
          "Keep data on the GPU, copy less (smaller types, compute on the GPU what is copied), "
          "use pinned memory, and overlap copies with kernels by streams.",
      .limits =
          "The low gain is what kernels could hide, the high one that no copy is needed. Copies "
          "that kernels wait for cannot overlap them.",
      .evaluate = evaluate_copy_bound,
  };
}

}  // namespace proofline
