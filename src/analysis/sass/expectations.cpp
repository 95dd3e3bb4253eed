// SPDX-License-Identifier: Apache-2.0
//
// Three-valued throughout: an instruction is one of those meant, is not, or may be. A number is a
// range from what is certain to what is possible, and a bound holds, does not, or may.
#include "analysis/sass/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "analysis/sass/selector_match.h"
#include "base/text.h"

namespace proofline {
namespace {

struct Range {
  double low = 0;
  double high = 0;
};

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
// Looking at each loop takes time by the depth of their nesting; no compiler nests them so deep.
constexpr std::uint64_t kMostMeanDepth = 64;

Truth holds(const PatternBound& bound, const Range& range) {
  if (bound.holds(range.low) && bound.holds(range.high)) return Truth::kYes;
  const bool between = bound.comparison == PatternBound::Comparison::kEqual &&
                       range.low <= bound.number && bound.number <= range.high;
  return bound.holds(range.low) || bound.holds(range.high) || between ? Truth::kMaybe : Truth::kNo;
}

std::string number(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string number(const Range& range) {
  if (range.low == range.high) return number(range.low);
  if (range.high == kNoLimit) return "at least " + number(range.low);
  return fmt::format("{} to {}", number(range.low), number(range.high));
}

void keep(std::vector<std::uint32_t>& first, std::uint32_t instruction) {
  if (first.size() < Expectation::kMostInstructions) first.push_back(instruction);
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

// A stretch of code that the pattern is about.
struct Region {
  std::uint32_t loop = kNoLoop;       // kNoLoop: the function
  std::vector<std::uint32_t> blocks;  // in forward order
};

struct Outcome {
  Truth holds = Truth::kMaybe;
  std::string text;
  std::vector<std::uint32_t> instructions;
};

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
  };
  // How far along the steps of an order some path has come, and by which instruction.
  struct Progress {
    std::uint32_t steps = 0;
    std::uint32_t last = Instruction::kNone;
    bool operator<(const Progress& other) const { return steps < other.steps; }
  };

  bool loops_meant(std::vector<std::uint32_t>& loops, Outcome& outcome) const;
  Region region_of(std::uint32_t loop) const;
  bool enter(const Region& region);
  Outcome look(const Region& region, const OrderClaim& claim);
  Outcome look(const Region& region, const WidthClaim& claim);
  Outcome look(const Region& region, const ValueClaim& claim);
  Progress follow(const Region& region, Truth least);
  std::uint64_t unsure(const Region& region);
  Matches match(const Region& region, SelectorMatcher& matcher);
  Range measure(const Region& region, const ValueClaim::Term& term, SelectorMatcher& matcher,
                Matches& matches);
  std::optional<Range> divide(const Region& region, const ValueClaim& claim, const Range& value,
                              Matches& matches, std::string& text);

  bool sees_all() const { return code_.function.complete && !flow_.open(); }
  // Whether instructions that nobody sees may belong to the region.
  bool open(const Region& region) const;
  std::string place(const Region& region) const;
  std::string addresses(const std::vector<std::uint32_t>& instructions, std::uint64_t count) const;
  std::string doubts(const Region& region, std::uint64_t possible) const;
  std::string wanted(const PatternBound& bound) const {
    return fmt::format("{} {}", forbid_ ? "forbidden" : "expected", bound.text);
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
        const bool same_region = region.loop == kNoLoop || flow_.in_loop(edge.from, region.loop);
        if (same_region && rank_[edge.from] < rank_[block]) {
          state = std::max(state, at_end[edge.from]);
        }
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
  std::vector<std::uint32_t> step_before_;  // of each instruction that was a step
};

std::vector<const Selector*> selectors_of(const Pattern& pattern) {
  std::vector<const Selector*> selectors;
  if (const auto* order = std::get_if<OrderClaim>(&pattern.claim)) {
    for (const Selector& step : order->steps) selectors.push_back(&step);
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

Region Evaluator::region_of(std::uint32_t loop) const {
  const auto before = [&](std::uint32_t block, std::uint32_t other) {
    return flow_.blocks[block].loop < other;
  };
  auto begin = by_loop_.begin();
  auto end = by_loop_.end();
  if (loop != kNoLoop) {
    begin = std::lower_bound(begin, end, loop, before);
    end = std::lower_bound(begin, end, flow_.loops[loop].end, before);
  }
  Region region{loop, {begin, end}};
  std::sort(region.blocks.begin(), region.blocks.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
  return region;
}

// Finds what the region has of its blocks: all that is reachable, or what comes after an
// instruction. False where that instruction is not there.
bool Evaluator::enter(const Region& region) {
  const auto in_block = [&](std::uint32_t i) {
    if (flow_.blocks[flow_.block_of[i]].reachable) return Truth::kYes;
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
  const bool by_flow = region.loop != kNoLoop || after_.has_value() ||
                       std::holds_alternative<OrderClaim>(pattern_.claim);
  return !code_.function.complete || (by_flow && flow_.open());
}

// --- counts and ratios ---------------------------------------------------------------------------

Evaluator::Matches Evaluator::match(const Region& region, SelectorMatcher& matcher) {
  Matches matches;
  for_each(region, matcher, [&](std::uint32_t i, bool sure) {
    const std::optional<std::uint32_t> width = code_.width(i);
    matches.bytes.high += width ? *width : kNoLimit;
    if (!sure) {
      ++matches.possible;
      return;
    }
    ++matches.sure;
    matches.bytes.low += width.value_or(0);
    keep(matches.first, i);
  });
  return matches;
}

Range Evaluator::measure(const Region& region, const ValueClaim::Term& term,
                         SelectorMatcher& matcher, Matches& matches) {
  using Measure = ValueClaim::Term::Measure;
  if (term.measure == Measure::kPasses) {
    const auto& in_loops = code_.scope.loop_staging_passes;
    std::optional<std::uint32_t> passes = code_.scope.staging_passes;
    if (region.loop != kNoLoop) {
      passes = region.loop < in_loops.size() ? in_loops[region.loop] : std::nullopt;
    }
    if (!passes) return {0, kNoLimit};
    return {static_cast<double>(*passes), static_cast<double>(*passes)};
  }
  matches = match(region, matcher);
  Range range = matches.bytes;
  if (term.measure == Measure::kCount) {
    range.low = static_cast<double>(matches.sure);
    range.high = static_cast<double>(matches.sure + matches.possible);
  }
  if (open(region)) range.high = kNoLimit;
  return range;
}

std::string to_text(const ValueClaim::Term& term) {
  constexpr std::array<std::string_view, 3> kMeasures = {"count", "bytes", "passes"};
  return fmt::format("{}({})", kMeasures[static_cast<std::size_t>(term.measure)], term.of.text);
}

// The value over the claim's divisor; nothing where that is zero.
std::optional<Range> Evaluator::divide(const Region& region, const ValueClaim& claim,
                                       const Range& value, Matches& matches, std::string& text) {
  Matches divisors;
  const Range by = measure(region, *claim.divisor, matchers_[1], divisors);
  matches.possible += divisors.possible;
  text = fmt::format("{}/{}", to_text(claim.value), to_text(*claim.divisor));
  if (by.high == 0) {
    text += fmt::format(" has no value {}: there is nothing to divide by", place(region));
    return std::nullopt;
  }
  const Range ratio = {value.low / by.high, by.low == 0 ? kNoLimit : value.high / by.low};
  text += fmt::format(" is {} {} ({} / {}), {}", number(ratio), place(region), number(value),
                      number(by), wanted(claim.bound));
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
    if (claim.bound.text != PatternBound{}.text) outcome.text += ", " + wanted(claim.bound);
    outcome.text += addresses(matches.first, matches.sure);
  } else {
    outcome.text = fmt::format("{} is {} {}, {}", to_text(claim.value), number(range),
                               place(region), wanted(claim.bound));
  }
  outcome.holds = holds(claim.bound, range);
  if (outcome.holds == Truth::kMaybe) outcome.text += doubts(region, matches.possible);
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
      (claim.bound.holds(*width) == forbid_ ? wrong : right).add(i, *width);
    }
  });
  Outcome outcome;
  if (wrong.count > 0) {
    outcome.holds = forbid_ ? Truth::kYes : Truth::kNo;
    outcome.text =
        fmt::format("{} of {} {} {} are {}, {}{}", wrong.count, sure, claim.of.text, place(region),
                    wrong.text(), wanted(claim.bound), addresses(wrong.first, wrong.count));
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
Evaluator::Progress Evaluator::follow(const Region& region, Truth least) {
  Progress farthest;
  step_before_.resize(inside_.size());
  walk(region, progress_at_end_, [&](std::uint32_t i, Progress state) {
    if (state.steps == matchers_.size() || meant(i, matchers_[state.steps]) < least) return state;
    step_before_[i] = state.last;
    const Progress next{state.steps + 1, i};
    farthest = std::max(farthest, next);
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
  const Progress sure = follow(region, Truth::kYes);
  Outcome outcome;
  std::vector<std::uint32_t> path;
  for (std::uint32_t i = sure.last; i != Instruction::kNone; i = step_before_[i]) path.push_back(i);
  std::reverse(path.begin(), path.end());
  std::string found;
  for (std::size_t k = 0; k < path.size(); ++k) {
    found += fmt::format("{}{} at {}", k == 0 ? "" : ", then ", claim.steps[k].text,
                         code_.address(path[k]));
    keep(outcome.instructions, path[k]);
  }
  if (sure.steps == claim.steps.size()) {
    outcome.holds = Truth::kYes;
    outcome.text = fmt::format("{} {}", found, place(region));
    return outcome;
  }
  outcome.text = fmt::format("{}no {} {}", sure.steps == 0 ? "" : found + ", but then ",
                             claim.steps[sure.steps].text, place(region));
  const bool possible = follow(region, Truth::kMaybe).steps == claim.steps.size();
  outcome.holds = possible || open(region) ? Truth::kMaybe : Truth::kNo;
  if (outcome.holds == Truth::kMaybe) outcome.text += doubts(region, unsure(region));
  return outcome;
}

// --- words ---------------------------------------------------------------------------------------

std::string Evaluator::place(const Region& region) const {
  std::string text = pattern_.after ? fmt::format("after {} ", pattern_.after->text) : "";
  return text + (region.loop == kNoLoop
                     ? "in the function"
                     : fmt::format("in loop {}", code_.address(code_.header(region.loop))));
}

std::string Evaluator::addresses(const std::vector<std::uint32_t>& instructions,
                                 std::uint64_t count) const {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(instructions.size(), kMost); ++i) {
    text += (i == 0 ? ": " : ", ") + code_.address(instructions[i]);
  }
  return count > kMost ? text + ", ..." : text;
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

// The loops that the pattern is about, kNoLoop for the function; false, and an outcome that says
// why, where there is none such.
bool Evaluator::loops_meant(std::vector<std::uint32_t>& loops, Outcome& outcome) const {
  using Kind = PatternPlace::Kind;
  const Kind kind = pattern_.place.kind;
  for (std::uint32_t loop = 0; loop < flow_.loops.size(); ++loop) {
    const bool all = kind == Kind::kAnyLoop || kind == Kind::kEveryLoop;
    const bool this_one =
        kind == Kind::kHotLoop
            ? loop == code_.scope.hot_loop
            : code_.function.instructions[code_.header(loop)].address == pattern_.place.address;
    if (all || (kind != Kind::kFunction && this_one)) loops.push_back(loop);
  }
  if (kind == Kind::kFunction) loops = {kNoLoop};
  if (!loops.empty()) return true;
  if (flow_.loops.empty()) {
    outcome.text = "the function has no loop";
    // That no loop is such can be said of none; that each is, or that the hot one is, cannot.
    if (sees_all() && (kind == Kind::kAnyLoop || (kind == Kind::kEveryLoop && forbid_))) {
      outcome.holds = Truth::kNo;
    }
  } else if (kind == Kind::kHotLoop) {
    outcome.text = "no loop of the function was chosen as the hot one";
  } else {
    std::vector<std::uint32_t> headers;
    for (std::uint32_t loop = 0; loop < flow_.loops.size(); ++loop) {
      keep(headers, code_.header(loop));
    }
    outcome.text = fmt::format("no loop begins at 0x{:04x}, but at{}", pattern_.place.address,
                               addresses(headers, flow_.loops.size()).substr(1));
  }
  return false;
}

Outcome Evaluator::evaluate() {
  std::vector<std::uint32_t> loops;
  Outcome deciding;
  if (!loops_meant(loops, deciding)) return deciding;
  std::uint64_t instructions = 0;
  for (const std::uint32_t loop : loops) {
    if (loop != kNoLoop) instructions += flow_.loops[loop].instructions;
  }
  if (instructions / kMostMeanDepth > inside_.size()) {
    return {Truth::kMaybe, "the loops are nested too deep to look at each", {}};
  }
  const bool each = pattern_.place.kind == PatternPlace::Kind::kEveryLoop && !forbid_;
  std::uint64_t looked_at = 0;
  for (const std::uint32_t loop : loops) {
    const Region region = region_of(loop);
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
  if (looked_at > 1) deciding.text += fmt::format(" ({} loops looked at)", looked_at);
  if (each && !sees_all()) {
    deciding.holds = Truth::kMaybe;
    deciding.text += "; there may be more loops";
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
