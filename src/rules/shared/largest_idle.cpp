// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/largest_idle.h"

#include <fmt/format.h>

#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"

namespace proofline {

LargestIdle largest_idle(const Trial& trial) {
  const double unexplained = trial.maybe(facts::kTimelineIdleUnexplainedShare).value_or(0);
  const auto share_of = [&](const IdleClassInfo& one) {
    const double share = trial.maybe(facts::kTimelineIdleShare[one.idle]).value_or(0);
    if (one.idle == IdleClass::kUnattributed) return share + unexplained;
    return one.idle == IdleClass::kLaunch ? share - unexplained : share;
  };
  const IdleClassInfo* largest = &kIdleClassTable.front();
  for (const IdleClassInfo& one : kIdleClassTable) {
    if (share_of(one) > share_of(*largest)) largest = &one;
  }
  return {*largest, share_of(*largest)};
}

std::string idle_statement(double idle, const LargestIdle& largest) {
  return fmt::format("the GPU is idle {} of the time, {} of it {}", percent(idle),
                     percent(largest.share / idle), largest.info.reason);
}

}  // namespace proofline
