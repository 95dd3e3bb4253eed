// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/pattern_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace proofline {
namespace {

using Measure = ValueClaim::Term::Measure;

constexpr std::array kTerms = {
    TermName{"count", Measure::kCount, true},
    TermName{"bytes", Measure::kBytes, true, TermUnit::kBytes},
    TermName{"passes", Measure::kPasses, true, TermUnit::kNumber, TermReach::kLoops},
    TermName{"predicated", Measure::kPredicated, true, TermUnit::kShare},
    TermName{"active-lanes", Measure::kActiveLanes, true, TermUnit::kShare},
    TermName{"useful-lanes", Measure::kUsefulLanes, true, TermUnit::kShare},
    TermName{"instructions", Measure::kCount, false},
    TermName{"registers", Measure::kRegisters, false, TermUnit::kNumber, TermReach::kRoles},
    TermName{"live", Measure::kLive, false},
    TermName{"stack", Measure::kStack, false, TermUnit::kBytes, TermReach::kFunction},
    TermName{"shared", Measure::kShared, false, TermUnit::kBytes, TermReach::kFunction},
    TermName{"loops", Measure::kLoops, false, TermUnit::kNumber, TermReach::kNotAfter},
    TermName{"working-loops", Measure::kWorkingLoops, false, TermUnit::kNumber,
             TermReach::kNotAfter},
    TermName{"roles", Measure::kRoles, false, TermUnit::kNumber, TermReach::kFunction},
    TermName{"mbarriers", Measure::kMbarriers, false, TermUnit::kNumber, TermReach::kFunction},
    TermName{"unpaired-mbarriers", Measure::kUnpairedMbarriers, false, TermUnit::kNumber,
             TermReach::kFunction},
};

}  // namespace

std::span<const TermName> term_names() { return kTerms; }

const TermName& name_of(const ValueClaim::Term& term) {
  return *std::find_if(kTerms.begin(), kTerms.end(),
                       [&](const TermName& one) { return one.measure == term.measure; });
}

bool PatternBound::holds(double value) const {
  switch (comparison) {
    case Comparison::kAtLeast: return value >= number;
    case Comparison::kAtMost: return value <= number;
    case Comparison::kMore: return value > number;
    case Comparison::kLess: return value < number;
    case Comparison::kEqual: return value == number;
  }
  return false;
}

bool hold(const PatternBounds& bounds, double value) {
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const PatternBound& bound) { return bound.holds(value); });
}

std::string to_text(const PatternBounds& bounds) {
  std::string text;
  for (const PatternBound& bound : bounds) text += (text.empty() ? "" : " and ") + bound.text;
  return text;
}

std::string to_text(const ValueClaim::Term& term) {
  const TermName& name = name_of(term);
  if (!name.selects) return std::string(name.name);
  return fmt::format("{}({})", name.name, term.of.text);
}

}  // namespace proofline
