// SPDX-License-Identifier: Apache-2.0
//
// Memory is allocated and freed again and again while the GPU waits.
#include <fmt/format.h>

#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"
#include "rules/rule.h"
#include "vocabulary/idle_classes.h"

namespace proofline {
namespace {

constexpr double kLeastAllocationShare = 0.05;
// Fewer are set-up, not churn.
constexpr double kLeastAllocations = 10;

Outcome evaluate_allocation_churn(Trial& trial) {
  const bool much = trial.at_least(facts::kTimelineAllocationShare, kLeastAllocationShare);
  const bool many = trial.at_least(facts::kTimelineAllocations, kLeastAllocations);
  if (!much || !many) return trial.clean();
  const double share = *trial.maybe(facts::kTimelineAllocationShare);
  const double calls = *trial.maybe(facts::kTimelineAllocations);
  trial.show(facts::kTimelineAllocationsPerStep);
  trial.show(facts::kTimelineIdleShare[IdleClass::kAllocate]);
  return trial.found(
      fmt::format("the GPU is idle {} of the time under {:.0f} calls that allocate or free memory",
                  percent(share), calls),
      {share / 2, share, GainKind::kCeiling},
      std::string(idle_class_info(IdleClass::kAllocate).remedy));
}

}  // namespace

Rule allocation_churn() {
  return {
      .id = "allocation-churn",
      .group = CauseGroup::kWaste,
      .bound = Bound::kLaunch,
      .at = "host",
      .what =
          "The GPU is idle 5 % of its span or more under calls that allocate or free memory, and "
          "there are ten of them or more after the first step (or the first tenth).",
      .why =
          "cudaMalloc takes tens to hundreds of microseconds, cudaFree waits until the GPU is "
          "done; "
          "both keep the host from launching.",
      .fix =
          "Allocate before the loop, reuse buffers, or use a pool: cudaMallocAsync, a caching "
          "allocator.",
      .limits = "Allocation within a library is seen only where its calls are in the timeline.",
      .explains = {"host-bound"},
      .evaluate = evaluate_allocation_churn,
  };
}

}  // namespace proofline
