// SPDX-License-Identifier: Apache-2.0
//
// The host waits for the GPU before it gives it more, so the GPU runs dry.
#include <fmt/format.h>

#include "base/text.h"
#include "rules/rule.h"
#include "vocabulary/idle_classes.h"

namespace proofline {
namespace {

constexpr double kLeastSynchronisationShare = 0.05;

Outcome evaluate_host_synchronisation(Trial& trial) {
  if (!trial.at_least("timeline.synchronisation.share", kLeastSynchronisationShare))
    return trial.clean();
  const double share = *trial.maybe("timeline.synchronisation.share");
  const double block = trial.maybe("timeline.idle.block.share").value_or(0);
  for (const std::string_view fact :
       {"timeline.idle.sync.share", "timeline.idle.block.share", "timeline.synchronisations",
        "timeline.copy.pageable.share", "timeline.copy.bytes"}) {
    trial.show(fact);
  }
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
