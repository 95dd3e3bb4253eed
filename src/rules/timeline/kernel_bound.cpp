// SPDX-License-Identifier: Apache-2.0
//
// Kernels take more of the time than anything else.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"
#include "rules/rule.h"

namespace proofline {
namespace {

Outcome evaluate_kernel_bound(Trial& trial) {
  double largest_other = 0;
  for (const FactInfo& part : {facts::kTimelineGpuIdleShare, facts::kTimelineCopyExposedShare,
                               facts::kTimelineCommExposedShare}) {
    largest_other = std::max(largest_other, trial.take(part));
  }
  if (!trial.at_least(facts::kTimelineKernelsShare, largest_other)) return trial.clean();
  const double kernels = *trial.maybe(facts::kTimelineKernelsShare);
  const std::optional<double> longest = trial.maybe(facts::kTimelineKernelsLongestShare);
  std::string statement = fmt::format("kernels keep the GPU busy {} of the time", percent(kernels));
  // Launches that run side by side may add up to more than the time.
  if (longest && *longest <= 1) {
    statement += fmt::format("; the longest takes {} of it", percent(*longest));
  }
  trial.show(facts::kTimelineKernelsLongestShare);
  return trial.found(
      std::move(statement), {0, kernels, GainKind::kCeiling},
      longest
          ? "profile the kernels at the top of the table: proofline profile -k NAME -- CMD (how "
            "near each is to its roof is not known from a timeline)"
          : "they ran in graphs, of which only the whole was recorded: record again with what "
            "is inside (nsys profile --cuda-graph-trace=node) to see which kernels take the "
            "time");
}

}  // namespace

Rule kernel_bound() {
  return {
      .id = "kernel-bound",
      .group = CauseGroup::kRoof,
      .bound = Bound::kCompute,
      .at = "kernels",
      .what =
          "Kernels that are no communication take at least as much of the GPU's span as idle time, "
          "exposed copies or exposed communication.",
      .why = "What the GPU computes is then the largest part of the time: no fault of the host.",
      .fix = "Profile the kernels that take most of the time, and tune those.",
      .limits =
          "A timeline does not tell how near a kernel is to its roof, so the gain may be anything "
          "up to the time in kernels.",
      .evaluate = evaluate_kernel_bound,
  };
}

}  // namespace proofline
