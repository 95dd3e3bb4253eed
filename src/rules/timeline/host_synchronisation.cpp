// SPDX-License-Identifier: Apache-2.0
//
// The host waits for the GPU before it gives it more, so the GPU runs dry.
#include <fmt/format.h>

#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"
#include "rules/rule.h"
#include "vocabulary/idle_classes.h"

namespace proofline {
namespace {

constexpr double kLeastSynchronisationShare = 0.05;

Outcome evaluate_host_synchronisation(Trial& trial) {
  if (!trial.at_least(facts::kTimelineSynchronisationShare, kLeastSynchronisationShare))
    return trial.clean();
  const double share = *trial.maybe(facts::kTimelineSynchronisationShare);
  const double block = trial.maybe(facts::kTimelineIdleShare[IdleClass::kBlockingCopy]).value_or(0);
  trial.show_all({facts::kTimelineIdleShare[IdleClass::kSynchronise],
                  facts::kTimelineIdleShare[IdleClass::kBlockingCopy],
                  facts::kTimelineSynchronisations, facts::kTimelineCopyPageableShare,
                  facts::kTimelineCopyBytes});
  const bool copies = 2 * block >= share;
  return trial.found(
      fmt::format("the GPU is idle {} of the time after the host waited for {}", percent(share),
                  copies ? "copies to end" : "it"),
      {share / 2, share, GainKind::kCeiling},
      std::string(
          idle_class_info(copies ? IdleClass::kBlockingCopy : IdleClass::kSynchronise).remedy));
}

}  // namespace

Rule host_synchronisation() {
  return {
      .id = "host-synchronisation",
      .group = CauseGroup::kLatency,
      .bound = Bound::kSync,
      .at = "host",
      .what =
          "The GPU is idle 5 % of its span or more in gaps that begin while the host waits: in a "
          "synchronising call, or in a copy that blocks.",
      .why =
          "While the host waits it launches nothing, so the GPU runs dry when its last work ends, "
          "and stays so until the host has come back and launched again.",
      .fix =
          "Read results late and seldom, keep decisions on the GPU, use events between streams, "
          "and "
          "pinned memory for copies.",
      .limits =
          "What counts is idle time after a wait, not the wait: a host far ahead may wait long and "
          "cost nothing.",
      .explains = {"host-bound"},
      .evaluate = evaluate_host_synchronisation,
  };
}

}  // namespace proofline
