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
#include "analysis/sass/selector_match.h"
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

void keep(std::vector<std::uint32_t>& first, std::uint32_t instruction) {
  if (first.size() < Expectation::kMostInstructions) first.push_back(instruction);
}

// Where paths meet, whatever holds on one of them may have happened.
void join(Truth& state, Truth other) { state = std::max(state, other); }

// How far along the steps of an order some path has come. Steps that stand directly behind one
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
    keep(first, instruction);
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

// How many steps stand directly behind one another, from one on.
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

 private:
  struct Matches {
    std::uint64_t sure = 0;
    std::uint64_t possible = 0;  // besides
    Range bytes;
    std::vector<std::uint32_t> first;  // of the sure ones
    std::string missing;               // why the value is not known exactly
  };
  // A run of steps that was met: where it began, and the last instruction of the run before it.
  struct Run {
    std::uint32_t first = Instruction::kNone;
    std::uint32_t before = Instruction::kNone;
  };

  void fill(Region& region) const;
  bool enter(const Region& region);
  Outcome look(const Region& region, const OrderClaim& claim);
  Outcome look(const Region& region, const WidthClaim& claim);
  Outcome look(const Region& region, const ValueClaim& claim);
  Progress follow(const Region& region, const OrderClaim& claim, Truth least);
  std::uint64_t unsure(const Region& region);
  Matches match(const Region& region, SelectorMatcher& matcher);
  Range measure(const Region& region, const ValueClaim::Term& term, SelectorMatcher& matcher,
                Matches& matches);
  Range predicated(const Region& region, SelectorMatcher& matcher, Matches& matches);
  Range lanes(const Region& region, bool useful, SelectorMatcher& matcher, Matches& matches);
  Range live(const Region& region, Matches& matches);
  std::optional<Range> divide(const Region& region, const ValueClaim& claim, const Range& value,
                              Matches& matches, std::string& text);

  bool sees_all() const { return code_.function.complete && !flow_.open(); }
  // Whether instructions that nobody sees may belong to the region.
  bool open(const Region& region) const;
  std::string place(const Region& region) const;
  std::string doubts(const Region& region, std::uint64_t possible) const;
  std::string wanted(const PatternBounds& bounds) const {
    return fmt::format("{} {}", forbid_ ? "forbidden" : "expected", to_text(bounds));
  }

  template <class Visit>
  void for_each(std::uint32_t block, Visit visit) const {
    const FlowBlock& at = flow_.blocks[block];
    for (std::uint32_t i = at.first; i < at.first + at.count; ++i) visit(i);
  }

  Truth meant(std::uint32_t instruction, SelectorMatcher& matcher) const {
    if (inside_[instruction] == Truth::kNo) return Truth::kNo;
    return std::min(inside_[instruction], matcher(instruction));
  }

  // Visits what the selector means and may mean.
  template <class Visit>
  void for_each(const Region& region, SelectorMatcher& matcher, Visit visit) const {
    for (const std::uint32_t block : region.blocks) {
      for_each(block, [&](std::uint32_t i) {
        const Truth truth = meant(i, matcher);
        if (truth != Truth::kNo) visit(i, truth == Truth::kYes);
      });
    }
  }

  // Carries a state along the edges that lead forward; the highest counts where paths meet.
  template <class State, class Step>
  void walk(const Region& region, std::vector<State>& at_end, Step step) const {
    at_end.resize(flow_.blocks.size());
    for (const std::uint32_t block : region.blocks) {
      State state{};
      for (const FlowEdge& edge : flow_.predecessors(block)) {
        const bool forward = rank_[edge.from] < rank_[block];
        if (forward && contains(code_, region, edge.from)) join(state, at_end[edge.from]);
      }
      for_each(block, [&](std::uint32_t i) { state = step(i, state); });
      at_end[block] = state;
    }
  }

  const Pattern& pattern_;
  const bool forbid_;
  PatternCode& code_;
  const Flow& flow_;
  std::optional<SelectorMatcher> after_;
  std::vector<SelectorMatcher> matchers_;  // of the claim's selectors, in their order
  std::vector<std::uint32_t> rank_;        // of each block in the forward order
  std::vector<std::uint32_t> by_loop_;     // blocks, those of a loop and the loops in it together
  std::vector<Truth> inside_;              // of each instruction: whether the region has it
  std::vector<Truth> after_at_end_;        // of each block
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
    : pattern_(pattern),
      forbid_(forbid),
      code_(code),
      flow_(code.flow),
      rank_(flow_.blocks.size()),
      by_loop_(forward_order(flow_)),
      inside_(code.function.instructions.size()) {
  if (pattern.after) after_.emplace(*pattern.after, code);
  for (const Selector* selector : selectors_of(pattern)) matchers_.emplace_back(*selector, code);
  for (std::uint32_t i = 0; i < by_loop_.size(); ++i) rank_[by_loop_[i]] = i;
  // The loops in a loop follow it, so that its blocks lie together.
  std::stable_sort(by_loop_.begin(), by_loop_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return flow_.blocks[a].loop < flow_.blocks[b].loop;
  });
}

void Evaluator::fill(Region& region) const {
  const auto before = [&](std::uint32_t block, std::uint32_t other) {
    return flow_.blocks[block].loop < other;
  };
  auto begin = by_loop_.begin();
  auto end = by_loop_.end();
  if (region.loop != kNoLoop) {
    begin = std::lower_bound(begin, end, region.loop, before);
    end = std::lower_bound(begin, end, flow_.loops[region.loop].end, before);
  }
  std::copy_if(begin, end, std::back_inserter(region.blocks),
               [&](std::uint32_t block) { return contains(code_, region, block); });
  std::sort(region.blocks.begin(), region.blocks.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
}

// Finds what the region has of its blocks: all that is reachable, or what comes after an
// instruction. False where that instruction is not there.
bool Evaluator::enter(const Region& region) {
  // What a role runs is certain only where every branch is.
  const Truth reached = region.role == kNoRole || sees_all() ? Truth::kYes : Truth::kMaybe;
  const auto in_block = [&](std::uint32_t i) {
    if (flow_.blocks[flow_.block_of[i]].reachable) return reached;
    return flow_.open() ? Truth::kMaybe : Truth::kNo;
  };
  if (!after_) {
    for (const std::uint32_t block : region.blocks) {
      for_each(block, [&](std::uint32_t i) { inside_[i] = in_block(i); });
    }
    return true;
  }
  Truth found = Truth::kNo;
  walk(region, after_at_end_, [&](std::uint32_t i, Truth state) {
    inside_[i] = std::min(in_block(i), state);
    const Truth here = std::min(in_block(i), (*after_)(i));
    found = std::max(found, here);
    return std::max(state, here);
  });
  return found != Truth::kNo;
}

bool Evaluator::open(const Region& region) const {
  const bool by_flow = region.loop != kNoLoop || region.role != kNoRole || after_.has_value() ||
                       std::holds_alternative<OrderClaim>(pattern_.claim);
  return !code_.function.complete || (by_flow && flow_.open());
}

// --- counts and ratios ---------------------------------------------------------------------------

Evaluator::Matches Evaluator::match(const Region& region, SelectorMatcher& matcher) {
  Matches matches;
  for_each(region, matcher, [&](std::uint32_t i, bool sure) {
    const std::optional<std::uint32_t> width = code_.width(i);
    matches.bytes.high += width ? *width : Range::kNoLimit;
    if (!sure) {
      ++matches.possible;
      return;
    }
    ++matches.sure;
    matches.bytes.low += width.value_or(0);
    if (!matcher.means_all()) keep(matches.first, i);
  });
  return matches;
}

// The share of the instructions that stand behind a predicate.
Range Evaluator::predicated(const Region& region, SelectorMatcher& matcher, Matches& matches) {
  std::uint64_t behind = 0;
  matches = match(region, matcher);
  matches.first.clear();
  const std::uint64_t count = std::exchange(matches.sure, 0);
  for_each(region, matcher, [&](std::uint32_t i, bool sure) {
    if (!sure || code_.function.instructions[i].guard.always()) return;
    ++behind;
    keep(matches.first, i);
  });
  matches.sure = behind;
  if (count == 0 || open(region)) {
    if (count == 0) matches.missing = "there is none of them";
    return {0, 1};
  }
  const auto all = static_cast<double>(count + matches.possible);
  return {static_cast<double>(behind) / all, static_cast<double>(behind + matches.possible) / all};
}

// The share of the lanes, in all executions of the instructions by warps.
Range Evaluator::lanes(const Region& region, bool useful, SelectorMatcher& matcher,
                       Matches& matches) {
  const std::vector<LaneCounts>& counted = code_.scope.lanes;
  LaneCounts sum;
  matches = match(region, matcher);
  for_each(region, matcher, [&](std::uint32_t i, bool sure) {
    if (sure && i < counted.size()) sum += counted[i];
  });
  if (counted.empty()) {
    matches.missing = "lanes are counted in reports only (ncu --section SourceCounters)";
  } else if (sum.executed == 0) {
    matches.missing = "none of them was executed";
  }
  if (sum.executed == 0 || matches.possible > 0 || open(region)) return {0, 1};
  const auto lanes = static_cast<double>(useful ? sum.predicated_on : sum.active);
  return {lanes / static_cast<double>(sum.all()), lanes / static_cast<double>(sum.all())};
}

// The most registers that are live at one instruction.
Range Evaluator::live(const Region& region, Matches& matches) {
  if (!sees_all() || code_.scope.live.empty()) {
    matches.missing = "which registers are live is certain only where all of the code is known";
    return {0, Range::kNoLimit};
  }
  std::uint16_t most = 0;
  for (const std::uint32_t block : region.blocks) {
    for_each(block, [&](std::uint32_t i) {
      if (inside_[i] == Truth::kNo || code_.scope.live[i] <= most) return;
      most = code_.scope.live[i];
      matches.first = {i};
      matches.sure = 1;
    });
  }
  return {static_cast<double>(most), static_cast<double>(most)};
}

Range Evaluator::measure(const Region& region, const ValueClaim::Term& term,
                         SelectorMatcher& matcher, Matches& matches) {
  using Measure = ValueClaim::Term::Measure;
  switch (term.measure) {
    case Measure::kCount:
    case Measure::kBytes:
    case Measure::kPasses: break;
    case Measure::kPredicated: return predicated(region, matcher, matches);
    case Measure::kActiveLanes: return lanes(region, false, matcher, matches);
    case Measure::kUsefulLanes: return lanes(region, true, matcher, matches);
    case Measure::kLive: return live(region, matches);
    default: {
      KnownValue known = value_of(term.measure, region, code_);
      matches.missing = std::move(known.missing);
      return known.range;
    }
  }
  matches = match(region, matcher);
  Range range = matches.bytes;
  if (term.measure != Measure::kBytes) {
    range.low = static_cast<double>(matches.sure);
    range.high = static_cast<double>(matches.sure + matches.possible);
  }
  if (open(region)) range.high = Range::kNoLimit;
  // Without a store there is no pass.
  if (term.measure != Measure::kPasses || range.high == 0) return range;
  const auto& in_loops = code_.scope.loop_staging_passes;
  std::optional<std::uint32_t> passes = code_.scope.staging_passes;
  if (region.loop != kNoLoop) {
    passes = region.loop < in_loops.size() ? in_loops[region.loop] : std::nullopt;
  }
  if (passes) return {static_cast<double>(*passes), static_cast<double>(*passes)};
  matches.missing = "passes are known where tensor instructions multiply what is stored";
  return {0, Range::kNoLimit};
}

// The value over the claim's divisor; nothing where that is zero.
std::optional<Range> Evaluator::divide(const Region& region, const ValueClaim& claim,
                                       const Range& value, Matches& matches, std::string& text) {
  Matches divisors;
  const Range by = measure(region, *claim.divisor, matchers_[1], divisors);
  matches.possible += divisors.possible;
  if (matches.missing.empty()) matches.missing = std::move(divisors.missing);
  text = fmt::format("{}/{}", to_text(claim.value), to_text(*claim.divisor));
  if (by.high == 0) {
    text += fmt::format(" has no value {}: there is nothing to divide by", place(region));
    return std::nullopt;
  }
  const Range ratio = {value.low / by.high, by.low == 0 ? Range::kNoLimit : value.high / by.low};
  text += fmt::format(" is {} {} ({} / {}), {}", number(ratio), place(region), number(value),
                      number(by), wanted(claim.bounds));
  return ratio;
}

Outcome Evaluator::look(const Region& region, const ValueClaim& claim) {
  Matches matches;
  Outcome outcome;
  Range range = measure(region, claim.value, matchers_[0], matches);
  if (claim.divisor) {
    const std::optional<Range> ratio = divide(region, claim, range, matches, outcome.text);
    if (!ratio) return outcome;
    range = *ratio;
  } else if (claim.value.measure == ValueClaim::Term::Measure::kCount) {
    outcome.text = fmt::format("{} {} {}", range.high == 0 ? "no" : number(range),
                               claim.value.of.text, place(region));
    if (to_text(claim.bounds) != PatternBound{}.text) outcome.text += ", " + wanted(claim.bounds);
  } else {
    const bool known = matches.missing.empty() || range.low > 0;
    outcome.text =
        fmt::format("{} is {} {}, {}", to_text(claim.value), known ? number(range) : "not known",
                    place(region), wanted(claim.bounds));
  }
  if (!claim.divisor) outcome.text += code_.addresses(matches.first, matches.sure);
  outcome.holds = hold(claim.bounds, range);
  if (outcome.holds == Truth::kMaybe) {
    outcome.text +=
        matches.missing.empty() ? doubts(region, matches.possible) : "; " + matches.missing;
  }
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
  for_each(region, matchers_[0], [&](std::uint32_t i, bool is_sure) {
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
    outcome.text =
        fmt::format("{} of {} {} {} are {}, {}{}", wrong.count, sure, claim.of.text, place(region),
                    wrong.text(), wanted(claim.bounds), code_.addresses(wrong.first, wrong.count));
    outcome.instructions = std::move(wrong.first);
    return outcome;
  }
  outcome.text =
      fmt::format("{} {} {}", sure == 0 ? "no" : group_digits(sure), claim.of.text, place(region));
  if (right.count > 0) outcome.text += fmt::format(", {} of them {}", right.count, right.text());
  if (possible > 0 || open(region)) {
    outcome.text += doubts(region, possible);
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
  runs_.resize(inside_.size());
  walk(region, progress_at_end_, [&](std::uint32_t i, const Progress& state) {
    Progress next(state.steps, state.last);
    const std::size_t length = run_length(claim, state.steps);
    for (std::size_t there = length; there-- > 0;) {
      const std::uint32_t first = there == 0 ? i : state.started[there];
      if (first == Instruction::kNone) continue;
      if (meant(i, matchers_[state.steps + there]) < least) continue;
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
    for_each(block, [&](std::uint32_t i) {
      count += std::any_of(matchers_.begin(), matchers_.end(),
                           [&](SelectorMatcher& step) { return meant(i, step) == Truth::kMaybe; });
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
    keep(outcome.instructions, first);
    if (first != end) keep(outcome.instructions, end);
    step += run_length(claim, step);
  }
  if (step == claim.steps.size()) {
    outcome.holds = Truth::kYes;
    outcome.text = fmt::format("{} {}", found, place(region));
    return outcome;
  }
  outcome.text = fmt::format("{}no {} {}", step == 0 ? "" : found + ", but then ",
                             run_text(claim, step), place(region));
  const bool possible = follow(region, claim, Truth::kMaybe).steps == claim.steps.size();
  outcome.holds = possible || open(region) ? Truth::kMaybe : Truth::kNo;
  if (outcome.holds == Truth::kMaybe) outcome.text += doubts(region, unsure(region));
  return outcome;
}

// --- words ---------------------------------------------------------------------------------------

std::string Evaluator::place(const Region& region) const {
  const std::string text = pattern_.after ? fmt::format("after {} ", pattern_.after->text) : "";
  if (region.loop != kNoLoop) {
    return text + fmt::format("in loop {}", code_.address(code_.header(region.loop)));
  }
  if (region.role == kNoRole) return text + "in the function";
  const std::vector<PatternRole>& roles = *code_.scope.roles;
  const PatternRole& role = roles[region.role];
  const auto alike = std::count_if(roles.begin(), roles.end(), [&](const PatternRole& other) {
    return other.kind == role.kind;
  });
  return text + fmt::format("in role {}{}", to_string(role.kind),
                            alike > 1 ? fmt::format(" ({})", role.condition) : "");
}

std::string Evaluator::doubts(const Region& region, std::uint64_t possible) const {
  std::string text;
  if (possible > 0) {
    text += fmt::format("; for {} it cannot be told", plural(possible, "instruction"));
  }
  if (!code_.function.complete) text += "; the listing of the function is cut";
  const std::uint32_t branches = flow_.dangling + flow_.indirect_unknown;
  if (open(region) && branches > 0) {
    text += fmt::format("; where {} to is not known",
                        plural(branches, "branch leads", "branches lead"));
  }
  if (open(region) && flow_.in_doubt) text += "; not all branches are known";
  return text;
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
    const bool sure = sees_all() && !found.in_doubt;
    return {none && sure ? Truth::kNo : Truth::kMaybe, std::move(found.missing), {}};
  }
  std::uint64_t instructions = 0;
  for (const Region& region : regions) {
    if (region.loop != kNoLoop) instructions += flow_.loops[region.loop].instructions;
  }
  if (instructions / kMostMeanDepth > inside_.size()) {
    return {Truth::kMaybe, "the loops are nested too deep to look at each", {}};
  }
  const bool all = kind == Kind::kEveryLoop || kind == Kind::kEveryRole || kind == Kind::kRole;
  const bool each = all && !forbid_;
  std::uint64_t looked_at = 0;
  for (Region& region : regions) {
    fill(region);
    if (!enter(region)) continue;
    Outcome outcome =
        std::visit([&](const auto& claim) { return look(region, claim); }, pattern_.claim);
    const bool decides = each ? outcome.holds < deciding.holds : outcome.holds > deciding.holds;
    if (looked_at++ == 0 || decides) deciding = std::move(outcome);
    if (deciding.holds == (each ? Truth::kNo : Truth::kYes)) return deciding;
  }
  if (looked_at == 0) {
    return {Truth::kMaybe, fmt::format("there is no {} to look behind", pattern_.after->text), {}};
  }
  if (looked_at > 1) {
    deciding.text += fmt::format(" ({} {} looked at)", looked_at,
                                 regions.front().loop == kNoLoop ? "roles" : "loops");
  }
  if (found.in_doubt || (each && !sees_all())) {
    deciding.holds = Truth::kMaybe;
    deciding.text += "; there may be more of them";
  }
  return deciding;
}

}  // namespace

std::string_view to_string(ExpectationVerdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"PASS", "FAIL", "UNKNOWN"};
  return kNames[static_cast<std::size_t>(verdict)];
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

}  // namespace proofline
