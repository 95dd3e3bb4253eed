// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/outlook.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/measurement/paired_change.h"
#include "diagnosis/decision/decide_configuration.h"
#include "diagnosis/decision/decide_gates.h"

namespace proofline {
namespace {

// A clock or a throttled side that speaks against the answer does so with more starts too; a slow
// tail may turn out to be the other side's as well.
bool is_clear(const ComparedConfiguration& one, const DecideOptions& options) {
  const bool withheld = one.clock_changed || one.contradiction == Contradiction::kThrottling;
  return one.kind != ChangeKind::kUnclear || (withheld && one.time_kind != ChangeKind::kUnclear) ||
         (options.keep_same && one.not_slower);
}

bool lies_within(const RatioEstimate& ratio, double effect) {
  return ratio.low >= 1 - effect && ratio.high <= 1 + effect;
}

}  // namespace

Outlook outlook_on(const BenchmarkSeries& series, const DecideOptions& options, double effect) {
  std::vector<ComparedConfiguration> all;
  for (std::size_t side = 1; side < series.sides.size(); ++side) {
    const MeasurementMatching matching = match_measurements(
        series.sides.front().benchmark, series.sides[side].benchmark, options.force);
    for (const MeasurementPair& pair : matching.pairs) {
      if (was_measured(pair)) all.push_back(pair_samples(pair, true));
    }
  }
  ChangeOptions change;
  change.confidence = options.confidence;
  change.threshold = options.threshold;
  change.comparisons = std::max<std::size_t>(1, all.size());
  change.until_clear = true;
  Outlook outlook{.clear = !all.empty(), .effect_ruled_out = true, .starts = 0};
  for (ComparedConfiguration& one : all) {
    compare_samples(change, one);
    if (is_clear(one, options)) continue;
    outlook.clear = false;
    const bool compared =
        one.obstacle == Obstacle::kNone && one.contradiction == Contradiction::kNone;
    if (!compared || !lies_within(one.shown.time, effect)) outlook.effect_ruled_out = false;
    if (!compared) continue;
    outlook.starts = std::max(
        outlook.starts, one.shown.pairs_needed.value_or(std::numeric_limits<std::size_t>::max()));
  }
  return outlook;
}

}  // namespace proofline
