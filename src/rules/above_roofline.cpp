// SPDX-License-Identifier: Apache-2.0
//
// A point is above its roof: the measurement is broken.
#include <fmt/format.h>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "vocabulary/levels.h"

namespace proofline {
namespace {

Outcome evaluate_above_roofline(Trial& trial) {
  bool known = false;
  for (const LevelInfo& level : levels()) {
    if (level.bytes.empty()) continue;  // no bytes, no roofline
    const FactRef fact = facts::kRooflineLevelFraction[level.level];
    known = known || trial.maybe(fact).has_value();
    if (trial.maybe(fact).value_or(0) > 1.02 && trial.at_least(fact, 1.02)) {
      return trial.found(
          fmt::format("the kernel lies above the {} roofline, at {} of what is possible",
                      level.name, percent(*trial.maybe(fact))),
          {0, 0, GainKind::kMeasured},
          "do not trust this capture: record again with steady clocks and nothing else on the GPU");
    }
  }
  if (trial.maybe(facts::kRoofShare).value_or(0) > 1.05 &&
      trial.at_least(facts::kRoofShare, 1.05)) {
    return trial.found(
        fmt::format("a level reads {} of its peak, which cannot be",
                    percent(*trial.maybe(facts::kRoofShare))),
        {0, 0, GainKind::kMeasured},
        "do not trust this capture: record again with steady clocks and nothing else on the GPU");
  }
  if (!known) trial.need(facts::kRoofShare);
  return trial.clean();
}

}  // namespace

Rule above_roofline() {
  return {
      .id = "above-roofline",
      .group = CauseGroup::kCapture,
      .bound = Bound::kNone,
      .at = "capture",
      .what = "More operations or bytes per second than the device can do.",
      .why =
          "Counters of different passes were combined although the passes differed, or the clock "
          "or device attributes are wrong.",
      .fix =
          "Record again with steady clocks and without other work; check that bytes and operations "
          "belong to the same launch.",
      .limits = "Up to 2 % above is rounding.",
      .evaluate = evaluate_above_roofline,
  };
}

}  // namespace proofline
