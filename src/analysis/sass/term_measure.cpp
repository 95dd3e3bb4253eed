// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/term_measure.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/sass/expectations.h"
#include "analysis/sass/lost_lanes.h"

namespace proofline {
namespace {

using Measure = ValueClaim::Term::Measure;

using Range = ValueRange;
using Region = PatternRegion;
using Matches = MeasuredInstructions;

MeasuredInstructions match(const RegionWalk& walk, const Region& region, SelectorMatcher& matcher) {
  MeasuredInstructions matches;
  walk.for_each(region, matcher, [&](std::uint32_t i, bool sure) {
    const std::optional<std::uint32_t> width = walk.code().width(i);
    matches.bytes.high += width ? *width : Range::kNoLimit;
    if (!sure) {
      ++matches.possible;
      return;
    }
    ++matches.sure;
    matches.bytes.low += width.value_or(0);
    if (!matcher.means_all()) keep_first(i, matches.first);
  });
  return matches;
}

// The share of the instructions that are under a predicate.
Range predicated(const RegionWalk& walk, const Region& region, SelectorMatcher& matcher,
                 Matches& matches) {
  std::uint64_t behind = 0;
  matches = match(walk, region, matcher);
  matches.first.clear();
  const std::uint64_t count = std::exchange(matches.sure, 0);
  walk.for_each(region, matcher, [&](std::uint32_t i, bool sure) {
    if (!sure || walk.code().function.instructions[i].guard.always()) return;
    ++behind;
    keep_first(i, matches.first);
  });
  matches.sure = behind;
  if (count == 0 || walk.open(region)) {
    if (count == 0) matches.missing = "there is none of them";
    return {0, 1};
  }
  const auto all = static_cast<double>(count + matches.possible);
  return {static_cast<double>(behind) / all, static_cast<double>(behind + matches.possible) / all};
}

// The share of the lanes, in all executions of the instructions by warps.
Range lanes(const RegionWalk& walk, const Region& region, bool useful, SelectorMatcher& matcher,
            Matches& matches) {
  const std::vector<LaneCounts>& counted = walk.code().scope.lanes;
  LaneCounts sum;
  matches = match(walk, region, matcher);
  walk.for_each(region, matcher, [&](std::uint32_t i, bool sure) {
    if (sure && i < counted.size()) sum += counted[i];
  });
  if (counted.empty()) {
    matches.missing = "lanes are counted in reports only (ncu --section SourceCounters)";
  } else if (sum.executed == 0) {
    matches.missing = "none of them was executed";
  }
  if (sum.executed == 0 || matches.possible > 0 || walk.open(region)) return {0, 1};
  const auto lanes = static_cast<double>(useful ? sum.predicated_on : sum.active);
  return {lanes / static_cast<double>(sum.all()), lanes / static_cast<double>(sum.all())};
}

// The most registers that are live at one instruction.
Range live(const RegionWalk& walk, const Region& region, Matches& matches) {
  if (!walk.sees_all() || walk.code().scope.live.empty()) {
    matches.missing = "which registers are live is certain only where all of the code is known";
    return {0, Range::kNoLimit};
  }
  std::uint16_t most = 0;
  for (const std::uint32_t block : region.blocks) {
    walk.for_each(block, [&](std::uint32_t i) {
      if (walk.inside(i) == Truth::kNo || walk.code().scope.live[i] <= most) return;
      most = walk.code().scope.live[i];
      matches.first = {i};
      matches.sure = 1;
    });
  }
  return {static_cast<double>(most), static_cast<double>(most)};
}

}  // namespace

void keep_first(std::uint32_t instruction, std::vector<std::uint32_t>& first) {
  if (first.size() < Expectation::kMostInstructions) first.push_back(instruction);
}

ValueRange measure(const RegionWalk& walk, const PatternRegion& region,
                   const ValueClaim::Term& term, SelectorMatcher& matcher,
                   MeasuredInstructions& matches) {
  switch (term.measure) {
    case Measure::kCount:
    case Measure::kBytes:
    case Measure::kPasses: break;
    case Measure::kPredicated: return predicated(walk, region, matcher, matches);
    case Measure::kActiveLanes: return lanes(walk, region, false, matcher, matches);
    case Measure::kUsefulLanes: return lanes(walk, region, true, matcher, matches);
    case Measure::kLive: return live(walk, region, matches);
    default: {
      KnownValue known = value_of(term.measure, region, walk.code());
      matches.missing = std::move(known.missing);
      return known.range;
    }
  }
  matches = match(walk, region, matcher);
  Range range = matches.bytes;
  if (term.measure != Measure::kBytes) {
    range.low = static_cast<double>(matches.sure);
    range.high = static_cast<double>(matches.sure + matches.possible);
  }
  if (walk.open(region)) range.high = Range::kNoLimit;
  // Without a store there is no pass.
  if (term.measure != Measure::kPasses || range.high == 0) return range;
  const auto& in_loops = walk.code().scope.loop_staging_passes;
  std::optional<std::uint32_t> passes = walk.code().scope.staging_passes;
  if (region.loop != kNoLoop) {
    passes = region.loop < in_loops.size() ? in_loops[region.loop] : std::nullopt;
  }
  if (passes) return {static_cast<double>(*passes), static_cast<double>(*passes)};
  matches.missing =
      "passes are known where tensor instructions multiply what is stored, and no generic load "
      "brought it";
  return {0, Range::kNoLimit};
}

}  // namespace proofline
