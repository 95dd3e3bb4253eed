// SPDX-License-Identifier: Apache-2.0
//
// Three-valued throughout: an instruction is one of those meant, is not, or may be. A number is a
// range from what is certain to what is possible, and a bound holds, does not, or may.
#include "analysis/sass/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "analysis/sass/pattern_regions.h"
#include "analysis/sass/pattern_values.h"
#include "analysis/sass/region_walk.h"
#include "analysis/sass/selector_match.h"
#include "analysis/sass/term_measure.h"
#include "base/text.h"

namespace proofline {
namespace {

using Range = ValueRange;
using Region = PatternRegion;

// Looking at each loop takes time by the depth of their nesting; no compiler nests them so deep.
constexpr std::uint64_t kMostMeanDepth = 64;

Truth holds(const PatternBound& bound, const Range& range) {
  if (bound.holds(range.low) && bound.holds(range.high)) return Truth::kYes;
  const bool between = bound.comparison == PatternBound::Comparison::kEqual &&
                       range.low <= bound.number && bound.number <= range.high;
  return bound.holds(range.low) || bound.holds(range.high) || between ? Truth::kMaybe : Truth::kNo;
}

Truth hold(const PatternBounds& bounds, const Range& range) {
  Truth all = Truth::kYes;
  for (const PatternBound& bound : bounds) all = std::min(all, holds(bound, range));
  return all;
}

std::string number(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string number(const Range& range) {
  if (range.low == range.high) return number(range.low);
  if (range.high == Range::kNoLimit) return "at least " + number(range.low);
  return fmt::format("{} to {}", number(range.low), number(range.high));
}

// How far along the steps of an order some path has come. Steps that are directly after one
// another are a run; only whole runs count, and of the next one it is kept where those began of
// which so many instructions are there.
struct Progress {
  Progress() { started.fill(Instruction::kNone); }
  Progress(std::uint32_t done, std::uint32_t by) : steps(done), last(by) {
    started.fill(Instruction::kNone);
  }

  std::uint32_t steps = 0;
  std::uint32_t last = Instruction::kNone;  // the last instruction of the last whole run
  std::array<std::uint32_t, OrderClaim::kMostInARun> started;
};

void join(Progress& state, const Progress& other) {
  if (other.steps > state.steps) {
    state = other;
  } else if (other.steps == state.steps) {
    for (std::size_t i = 0; i < state.started.size(); ++i) {
      if (state.started[i] == Instruction::kNone) state.started[i] = other.started[i];
    }
  }
}

// Instructions, and what widths they have.
struct Widths {
  std::uint64_t count = 0;
  std::uint32_t narrowest = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t widest = 0;
  std::vector<std::uint32_t> first;

  void add(std::uint32_t instruction, std::uint32_t width) {
    ++count;
    narrowest = std::min(narrowest, width);
    widest = std::max(widest, width);
    keep_first(instruction, first);
  }
  std::string text() const {
    if (narrowest == widest) return fmt::format("{} bytes wide", widest);
    return fmt::format("{} to {} bytes wide", narrowest, widest);
  }
};

struct Outcome {
  Truth holds = Truth::kMaybe;
  std::string text;
  std::vector<std::uint32_t> instructions;
};

// How many steps stand adjacent, from one on.
std::size_t run_length(const OrderClaim& claim, std::size_t first) {
  std::size_t end = first;
  while (end < claim.steps.size() && (end == first || claim.steps[end].directly)) ++end;
  return end - first;
}

std::string run_text(const OrderClaim& claim, std::size_t first) {
  std::string text = claim.steps[first].of.text;
  for (std::size_t i = 1; i < run_length(claim, first); ++i) {
    text += " >> " + claim.steps[first + i].of.text;
  }
  return text;
}

class Evaluator {
 public:
  Evaluator(const Pattern& pattern, bool forbid, PatternCode& code);

  Outcome evaluate();
  CodeNumber measured();

 private:
  // A run of steps that was met: where it began, and the last instruction of the run before it.
  struct Run {
    std::uint32_t first = Instruction::kNone;
    std::uint32_t before = Instruction::kNone;
  };

  Outcome look(const Region& region, const OrderClaim& claim);
  Outcome look(const Region& region, const WidthClaim& claim);
  Outcome look(const Region& region, const ValueClaim& claim);
  Progress follow(const Region& region, const OrderClaim& claim, Truth least);
  std::uint64_t unsure(const Region& region);
  std::optional<Range> value_of(const Region& region, const ValueClaim& claim,
                                MeasuredInstructions& matches, std::string& text);
  // Why a value is a range.
  std::string doubts(const Region& region, const MeasuredInstructions& matches) {
    return matches.missing.empty() ? walk_.doubts(region, matches.possible)
                                   : "; " + matches.missing;
  }

  std::string wanted(const PatternBounds& bounds) const {
    return fmt::format("{} {}", forbid_ ? "forbidden" : "expected", to_text(bounds));
  }

  const Pattern& pattern_;
  const bool forbid_;
  PatternCode& code_;
  RegionWalk walk_;
  std::vector<SelectorMatcher> matchers_;  // of the claim's selectors, in their order
  std::vector<Progress> progress_at_end_;
  std::vector<Run> runs_;  // by the instruction that was a run's last
};

std::vector<const Selector*> selectors_of(const Pattern& pattern) {
  std::vector<const Selector*> selectors;
  if (const auto* order = std::get_if<OrderClaim>(&pattern.claim)) {
    for (const OrderClaim::Step& step : order->steps) selectors.push_back(&step.of);
  } else if (const auto* width = std::get_if<WidthClaim>(&pattern.claim)) {
    selectors.push_back(&width->of);
  } else if (const auto* value = std::get_if<ValueClaim>(&pattern.claim)) {
    selectors.push_back(&value->value.of);
    if (value->divisor) selectors.push_back(&value->divisor->of);
  }
  return selectors;
}

Evaluator::Evaluator(const Pattern& pattern, bool forbid, PatternCode& code)
    : pattern_(pattern), forbid_(forbid), code_(code), walk_(pattern, code) {
  for (const Selector* selector : selectors_of(pattern)) matchers_.emplace_back(*selector, code);
}

// The claim's value, over its divisor where it has one: then the text tells both. Nothing where the
// divisor is zero.
std::optional<Range> Evaluator::value_of(const Region& region, const ValueClaim& claim,
                                         MeasuredInstructions& matches, std::string& text) {
  const Range value = measure(walk_, region, claim.value, matchers_[0], matches);
  if (!claim.divisor) return value;
  MeasuredInstructions divisors;
  const Range by = measure(walk_, region, *claim.divisor, matchers_[1], divisors);
  matches.possible += divisors.possible;
  if (matches.missing.empty()) matches.missing = std::move(divisors.missing);
  text = fmt::format("{}/{}", to_text(claim.value), to_text(*claim.divisor));
  if (by.high == 0) {
    text += fmt::format(" has no value {}: there is nothing to divide by", walk_.place(region));
    return std::nullopt;
  }
  const Range ratio = {value.low / by.high, by.low == 0 ? Range::kNoLimit : value.high / by.low};
  text += fmt::format(" is {} {} ({} / {})", number(ratio), walk_.place(region), number(value),
                      number(by));
  return ratio;
}

Outcome Evaluator::look(const Region& region, const ValueClaim& claim) {
  MeasuredInstructions matches;
  Outcome outcome;
  const std::optional<Range> found = value_of(region, claim, matches, outcome.text);
  if (!found) return outcome;
  const Range& range = *found;
  if (claim.divisor) {
    outcome.text += ", " + wanted(claim.bounds);
  } else if (claim.value.measure == ValueClaim::Term::Measure::kCount) {
    outcome.text = fmt::format("{} {} {}", range.high == 0 ? "no" : number(range),
                               claim.value.of.text, walk_.place(region));
    if (to_text(claim.bounds) != PatternBound{}.text) outcome.text += ", " + wanted(claim.bounds);
  } else {
    const bool known = matches.missing.empty() || range.low > 0;
    outcome.text =
        fmt::format("{} is {} {}, {}", to_text(claim.value), known ? number(range) : "not known",
                    walk_.place(region), wanted(claim.bounds));
  }
  if (!claim.divisor) outcome.text += code_.addresses(matches.first, matches.sure);
  outcome.holds = hold(claim.bounds, range);
  if (outcome.holds == Truth::kMaybe) outcome.text += doubts(region, matches);
  outcome.instructions = std::move(matches.first);
  return outcome;
}

// --- widths --------------------------------------------------------------------------------------

// Where the width is expected each instruction must have it, and there must be one; where it is
// forbidden none may.
Outcome Evaluator::look(const Region& region, const WidthClaim& claim) {
  Widths right;
  Widths wrong;
  std::uint64_t sure = 0;
  std::uint64_t possible = 0;
  walk_.for_each(region, matchers_[0], [&](std::uint32_t i, bool is_sure) {
    const std::optional<std::uint32_t> width = code_.width(i);
    if (is_sure) ++sure;
    if (!is_sure || !width) {
      ++possible;
    } else {
      (hold(claim.bounds, *width) == forbid_ ? wrong : right).add(i, *width);
    }
  });
  Outcome outcome;
  if (wrong.count > 0) {
    outcome.holds = forbid_ ? Truth::kYes : Truth::kNo;
    outcome.text = fmt::format("{} of {} {} {} are {}, {}{}", wrong.count, sure, claim.of.text,
                               walk_.place(region), wrong.text(), wanted(claim.bounds),
                               code_.addresses(wrong.first, wrong.count));
    outcome.instructions = std::move(wrong.first);
    return outcome;
  }
  outcome.text = fmt::format("{} {} {}", sure == 0 ? "no" : group_digits(sure), claim.of.text,
                             walk_.place(region));
  if (right.count > 0) outcome.text += fmt::format(", {} of them {}", right.count, right.text());
  if (possible > 0 || walk_.open(region)) {
    outcome.text += walk_.doubts(region, possible);
  } else {
    outcome.holds = forbid_ || sure == 0 ? Truth::kNo : Truth::kYes;
  }
  outcome.instructions = std::move(right.first);
  return outcome;
}

// --- order ---------------------------------------------------------------------------------------

// The farthest that any path comes along the steps, over instructions that are at least so likely.
Progress Evaluator::follow(const Region& region, const OrderClaim& claim, Truth least) {
  Progress farthest;
  runs_.resize(code_.function.instructions.size());
  walk_.walk(region, progress_at_end_, [&](std::uint32_t i, const Progress& state) {
    Progress next(state.steps, state.last);
    const std::size_t length = run_length(claim, state.steps);
    for (std::size_t there = length; there-- > 0;) {
      const std::uint32_t first = there == 0 ? i : state.started[there];
      if (first == Instruction::kNone) continue;
      if (walk_.meant(i, matchers_[state.steps + there]) < least) continue;
      if (there + 1 < length) {
        next.started[there + 1] = first;
        continue;
      }
      runs_[i] = {first, state.last};
      next = Progress(state.steps + static_cast<std::uint32_t>(length), i);
      if (next.steps > farthest.steps) farthest = next;
      return next;
    }
    return next;
  });
  return farthest;
}

// How many instructions may be one of the steps.
std::uint64_t Evaluator::unsure(const Region& region) {
  std::uint64_t count = 0;
  for (const std::uint32_t block : region.blocks) {
    walk_.for_each(block, [&](std::uint32_t i) {
      count += std::any_of(matchers_.begin(), matchers_.end(), [&](SelectorMatcher& step) {
        return walk_.meant(i, step) == Truth::kMaybe;
      });
    });
  }
  return count;
}

Outcome Evaluator::look(const Region& region, const OrderClaim& claim) {
  const Progress sure = follow(region, claim, Truth::kYes);
  Outcome outcome;
  std::vector<std::uint32_t> ends;  // of the runs
  for (std::uint32_t i = sure.last; i != Instruction::kNone; i = runs_[i].before) ends.push_back(i);
  std::reverse(ends.begin(), ends.end());
  std::string found;
  std::size_t step = 0;
  for (const std::uint32_t end : ends) {
    const std::uint32_t first = runs_[end].first;
    found += fmt::format("{}{} at {}", step == 0 ? "" : ", then ", run_text(claim, step),
                         code_.address(first));
    if (first != end) found += " to " + code_.address(end);
    keep_first(first, outcome.instructions);
    if (first != end) keep_first(end, outcome.instructions);
    step += run_length(claim, step);
  }
  if (step == claim.steps.size()) {
    outcome.holds = Truth::kYes;
    outcome.text = fmt::format("{} {}", found, walk_.place(region));
    return outcome;
  }
  outcome.text = fmt::format("{}no {} {}", step == 0 ? "" : found + ", but then ",
                             run_text(claim, step), walk_.place(region));
  const bool possible = follow(region, claim, Truth::kMaybe).steps == claim.steps.size();
  outcome.holds = possible || walk_.open(region) ? Truth::kMaybe : Truth::kNo;
  if (outcome.holds == Truth::kMaybe) outcome.text += walk_.doubts(region, unsure(region));
  return outcome;
}

// --- the whole -----------------------------------------------------------------------------------

Outcome Evaluator::evaluate() {
  using Kind = PatternPlace::Kind;
  const Kind kind = pattern_.place.kind;
  FoundRegions found = find_regions(pattern_.place, code_);
  std::vector<Region>& regions = found.regions;
  Outcome deciding;
  if (regions.empty()) {
    // That no loop is such can be said of none; that each is, or that the hot one is, cannot.
    const bool none = kind == Kind::kAnyLoop || (kind == Kind::kEveryLoop && forbid_);
    const bool sure = walk_.sees_all() && !found.in_doubt;
    return {none && sure ? Truth::kNo : Truth::kMaybe, std::move(found.missing), {}};
  }
  std::uint64_t instructions = 0;
  for (const Region& region : regions) {
    if (region.loop != kNoLoop) instructions += code_.flow.loops[region.loop].instructions;
  }
  if (instructions / kMostMeanDepth > code_.function.instructions.size()) {
    return {Truth::kMaybe, "the loops are nested too deep to look at each", {}};
  }
  const bool all = kind == Kind::kEveryLoop || kind == Kind::kEveryRole || kind == Kind::kRole;
  const bool each = all && !forbid_;
  std::uint64_t looked_at = 0;
  for (Region& region : regions) {
    if (!walk_.enter(region)) continue;
    Outcome outcome =
        std::visit([&](const auto& claim) { return look(region, claim); }, pattern_.claim);
    const bool decides = each ? outcome.holds < deciding.holds : outcome.holds > deciding.holds;
    // Where nothing decides, the region that came farthest tells most.
    const bool farther = !each && outcome.holds == deciding.holds &&
                         outcome.instructions.size() > deciding.instructions.size();
    if (looked_at++ == 0 || decides || farther) deciding = std::move(outcome);
    if (deciding.holds == (each ? Truth::kNo : Truth::kYes)) return deciding;
  }
  if (looked_at == 0) {
    return {Truth::kMaybe, fmt::format("there is no {} to look behind", pattern_.after->text), {}};
  }
  if (looked_at > 1) {
    deciding.text += fmt::format(" ({} {} looked at)", looked_at,
                                 regions.front().loop == kNoLoop ? "roles" : "loops");
  }
  if (found.in_doubt || (each && !walk_.sees_all())) {
    deciding.holds = Truth::kMaybe;
    deciding.text += "; there may be more of them";
  }
  return deciding;
}

CodeNumber Evaluator::measured() {
  FoundRegions found = find_regions(pattern_.place, code_);
  if (found.regions.empty()) return {std::nullopt, std::move(found.missing)};
  if (found.regions.size() > 1) {
    return {std::nullopt, fmt::format("there are {} such roles, and a number is that of one",
                                      found.regions.size())};
  }
  Region& region = found.regions.front();
  if (!walk_.enter(region)) {
    return {std::nullopt, fmt::format("there is no {} to look behind", pattern_.after->text)};
  }
  const auto& claim = std::get<ValueClaim>(pattern_.claim);
  MeasuredInstructions matches;
  CodeNumber result;
  const std::optional<Range> range = value_of(region, claim, matches, result.text);
  if (!range) return result;
  if (!claim.divisor) {
    result.text =
        fmt::format("{} is {} {}", to_text(claim.value), number(*range), walk_.place(region));
  }
  if (found.in_doubt) {
    result.text += "; there may be more of them";
  } else if (range->low == range->high) {
    result.value = range->low;
  } else {
    result.text += doubts(region, matches);
  }
  return result;
}

}  // namespace

std::string_view to_string(ExpectationVerdict verdict) {
  switch (verdict) {
    case ExpectationVerdict::kPass: return "PASS";
    case ExpectationVerdict::kFail: return "FAIL";
    case ExpectationVerdict::kUnknown: return "UNKNOWN";
  }
  return "";
}

Expectation evaluate(const Pattern& pattern, bool forbid, const CodeFunction& function,
                     const Flow& flow, const OpcodeNames& opcodes, const PatternScope& scope) {
  if (function.instructions.empty()) return {ExpectationVerdict::kUnknown, "no instructions", {}};
  PatternCode code{function, flow, opcodes, scope, {}};
  Outcome outcome = Evaluator(pattern, forbid, code).evaluate();
  Expectation expectation;
  expectation.text = std::move(outcome.text);
  expectation.instructions = std::move(outcome.instructions);
  if (outcome.holds != Truth::kMaybe) {
    const bool passed = (outcome.holds == Truth::kYes) != forbid;
    expectation.verdict = passed ? ExpectationVerdict::kPass : ExpectationVerdict::kFail;
  }
  return expectation;
}

CodeNumber measure_pattern(const Pattern& pattern, const CodeFunction& function, const Flow& flow,
                           const OpcodeNames& opcodes, const PatternScope& scope) {
  if (function.instructions.empty()) return {std::nullopt, "no instructions"};
  PatternCode code{function, flow, opcodes, scope, {}};
  return Evaluator(pattern, false, code).measured();
}

}  // namespace proofline
