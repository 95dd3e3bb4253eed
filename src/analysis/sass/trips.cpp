// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/trips.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace proofline {
namespace {

constexpr int kMostAdditions = 32;             // of a chain of additions
constexpr std::uint32_t kMostLoopDepth = 512;  // of loops, and of dominators, that are followed
constexpr int kMostTestBlocks = 8;             // from the end of a loop upwards
constexpr std::size_t kMostTripText = 64;

enum class Sign : std::uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual };

struct SignName {
  std::string_view name;
  Sign sign;
  Sign opposite;
  Sign mirrored;
};

constexpr std::array<SignName, 6> kSigns = {
    {{"LT", Sign::kLess, Sign::kGreaterEqual, Sign::kGreater},
     {"LE", Sign::kLessEqual, Sign::kGreater, Sign::kGreaterEqual},
     {"GT", Sign::kGreater, Sign::kLessEqual, Sign::kLess},
     {"GE", Sign::kGreaterEqual, Sign::kLess, Sign::kLessEqual},
     {"EQ", Sign::kEqual, Sign::kNotEqual, Sign::kEqual},
     {"NE", Sign::kNotEqual, Sign::kEqual, Sign::kNotEqual}}};

// A comparison for which the loop goes on: counter `sign` limit.
struct Test {
  Sign sign = Sign::kNotEqual;
  bool is_unsigned = false;
  Operand counter;
  Operand limit;
  std::uint32_t at = 0;  // the comparison
};

// A counter: what it holds at the test in round k is start + added + k * step.
struct LoopCounter {
  LinearValue start;
  std::uint32_t added = 0;
  std::int64_t step = 0;
};

// The number of rounds after which `sign` no longer holds; nothing where it always does, or where
// the counter would have to wrap round.
std::optional<std::uint64_t> rounds_until(const Test& test, std::uint32_t start, std::int64_t step,
                                          std::uint32_t limit) {
  if (step == 0) return std::nullopt;
  const std::uint64_t size = static_cast<std::uint64_t>(step > 0 ? step : -step);
  if (test.sign == Sign::kEqual) return start == limit ? 1 : 0;
  if (test.sign == Sign::kNotEqual) {
    const std::uint32_t way = step > 0 ? limit - start : start - limit;
    return way % size == 0 ? std::optional<std::uint64_t>(way / size) : std::nullopt;
  }
  const auto wide = [&](std::uint32_t number) {
    return test.is_unsigned ? std::int64_t{number}
                            : std::int64_t{static_cast<std::int32_t>(number)};
  };
  const bool upwards = test.sign == Sign::kLess || test.sign == Sign::kLessEqual;
  std::int64_t way = upwards ? wide(limit) - wide(start) : wide(start) - wide(limit);
  if (test.sign == Sign::kLessEqual || test.sign == Sign::kGreaterEqual) ++way;
  if (way <= 0) return 0;
  if (upwards != (step > 0)) return std::nullopt;
  return (static_cast<std::uint64_t>(way) + size - 1) / size;
}

class TripFinder {
 public:
  explicit TripFinder(Values& values)
      : values_(values), function_(values.function()), flow_(values.flow()) {}

  std::vector<TripHint> find() {
    count_exits();
    std::vector<TripHint> hints(flow_.loops.size());
    for (loop_ = 0; loop_ < flow_.loops.size(); ++loop_) hints[loop_] = hint();
    return hints;
  }

 private:
  // Ways out of each loop. An edge leaves the innermost loop around it and those further out, up to
  // one that its end is in.
  void count_exits() {
    exits_.assign(flow_.loops.size(), 0);
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      if (flow_.blocks[block].loop == kNoLoop) continue;
      for (const FlowEdge& edge : flow_.successors(block)) add_exit(block, edge.to);
      const std::uint32_t last = last_of(block);
      const FlowKind kind = flow_kind(values_.opcode(last));
      if (kind == FlowKind::kExit || kind == FlowKind::kReturn) add_exit(block, kNoBlock);
    }
    for (std::size_t loop = exits_.size(); loop-- > 0;) {
      const std::uint32_t parent = flow_.loops[loop].parent;
      if (parent != kNoLoop) exits_[parent] += exits_[loop];
    }
  }

  void add_exit(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t innermost = flow_.blocks[from].loop;
    std::uint32_t loop = innermost;
    for (std::uint32_t depth = 0; loop != kNoLoop; ++depth) {
      if (to != kNoBlock && flow_.in_loop(to, loop)) break;
      if (depth == kMostLoopDepth) {
        exits_known_ = false;
        break;
      }
      loop = flow_.loops[loop].parent;
    }
    if (loop == innermost) return;
    ++exits_[innermost];
    if (loop != kNoLoop) --exits_[loop];
  }

  std::uint32_t last_of(std::uint32_t block) const {
    return flow_.blocks[block].first + flow_.blocks[block].count - 1;
  }

  bool inside(std::uint32_t instruction) const {
    return flow_.in_loop(flow_.block_of[instruction], loop_);
  }

  TripHint hint() {
    const FlowLoop& loop = flow_.loops[loop_];
    for (const std::uint32_t latch : loop.latches) {
      // The test may be before the last block; what dominates that runs in every round.
      std::uint32_t block = latch;
      for (int i = 0; i < kMostTestBlocks && block != loop.header; ++i) {
        if (TripHint found = hint_of_test(block); !found.bound.empty()) return found;
        block = flow_.blocks[block].dominator;
      }
    }
    return hint_of_test(loop.header);
  }

  TripHint hint_of_test(std::uint32_t block) {
    TripHint hint;
    const std::uint32_t branch = last_of(block);
    const auto predicate = exit_predicate(block, branch);
    if (!predicate) return hint;
    const std::uint32_t definition =
        values_.definitions().before(slot_of(*predicate), branch).only();
    if (definition == Instruction::kNone || !inside(definition)) return hint;
    if (values_.opcode(definition).starts_with("SYNCS.PHASECHK")) {
      hint.bound = "an mbarrier";
      return hint;
    }
    auto test = read_test(definition, *predicate);
    if (!test) return hint;
    auto counter = counter_of(test->counter, test->at);
    if (!counter) {
      exchange_sides(*test);
      counter = counter_of(test->counter, test->at);
    }
    if (!counter) return bound_without_counter(*test);
    const LinearValue limit = values_.read(test->limit, test->at);
    hint.step = counter->step;
    hint.bound = bound_text(*test, limit, *counter);
    if (!counter->start.is_constant() || !limit.is_constant()) return hint;
    const std::uint32_t first = counter->start.constant + counter->added;
    if (auto rounds = rounds_until(*test, first, counter->step, limit.constant)) {
      // Anywhere but at the top, the test comes after a round has been begun.
      const auto& latches = flow_.loops[loop_].latches;
      const bool at_top = block == flow_.loops[loop_].header && latches.front() != block;
      if (!at_top) ++*rounds;
      const bool only = exits_known_ && exits_[loop_] == 1 && latches.size() == 1;
      (only ? hint.exact : hint.most) = rounds;
    }
    return hint;
  }

  // The predicate for which the branch at the end of the block stays in the loop.
  std::optional<Operand> exit_predicate(std::uint32_t block, std::uint32_t branch) const {
    const auto edges = flow_.successors(block);
    if (flow_kind(values_.opcode(branch)) != FlowKind::kBranch || edges.size() != 2) return {};
    const Instruction& one = function_.instructions[branch];
    Operand predicate = operand_of(one.guard);
    for (const Operand& operand : function_.operands_of(one)) {
      const bool usable = is_predicate(operand.kind);
      if (usable && operand.index != Operand::kTrue) {
        if (!one.guard.always()) return {};  // two conditions at once
        predicate = operand;
      }
    }
    bool stays_if_taken = false;
    bool leaves = false;
    for (const FlowEdge& edge : edges) {
      const bool stays = flow_.in_loop(edge.to, loop_);
      if (edge.kind == EdgeKind::kTaken) stays_if_taken = stays;
      leaves = leaves || !stays;
    }
    if (!leaves || slot_of(predicate) == kNoSlot) return {};
    if (!stays_if_taken) predicate.negated = !predicate.negated;
    return predicate;
  }

  std::optional<Test> read_test(std::uint32_t definition, const Operand& predicate) const {
    const Instruction& one = function_.instructions[definition];
    const std::string_view name = values_.opcode(definition);
    const std::string_view mnemonic = mnemonic_of(name);
    if ((mnemonic != "ISETP" && mnemonic != "UISETP") || !one.guard.always()) return {};
    if (has_part(name, "EX") || name.size() < mnemonic.size() + 3) return {};
    const std::string_view sign = name.substr(mnemonic.size() + 1, 2);
    const auto known = std::find_if(kSigns.begin(), kSigns.end(),
                                    [&](const SignName& each) { return each.name == sign; });
    const std::vector<Operand> operands = read_operands(function_, one);
    if (known == kSigns.end() || operands.size() < 2) return {};
    const auto all = function_.operands_of(one);
    if (all.empty() || slot_of(all[0]) != slot_of(predicate)) return {};
    for (const Operand& operand : all) {  // another condition is mixed in
      const bool other = is_predicate(operand.kind);
      if (other && operand.use == OperandUse::kRead && operand.index != Operand::kTrue) return {};
    }
    return Test{predicate.negated ? known->opposite : known->sign, has_part(name, "U32"),
                operands[0], operands[1], definition};
  }

  static void exchange_sides(Test& test) {
    std::swap(test.counter, test.limit);
    test.sign = std::find_if(kSigns.begin(), kSigns.end(), [&](const SignName& each) {
                  return each.sign == test.sign;
                })->mirrored;
  }

  // A register plus a constant.
  struct Sum {
    RegisterSlot slot = kNoSlot;
    std::uint32_t constant = 0;
  };

  std::optional<Sum> sum_of(std::uint32_t instruction) {
    const Instruction& one = function_.instructions[instruction];
    const std::string_view name = values_.opcode(instruction);
    const std::string_view mnemonic = mnemonic_of(name);
    const std::vector<Operand> operands = read_operands(function_, one);
    if (operands.empty() || !one.guard.always() || has_part(name, "X")) return {};
    // IMAD.MOV, and IMAD.IADD with its factor of one.
    const bool product = mnemonic == "IMAD" && operands.size() == 3 &&
                         (has_part(name, "MOV") || has_part(name, "IADD"));
    const bool moves = mnemonic == "MOV" || mnemonic == "UMOV" || mnemonic == "R2UR";
    if (!product && !moves && operands.size() != summands_of(mnemonic)) return {};
    Sum sum;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = operands[i];
      if (product && i == 1) continue;
      const RegisterSlot slot = slot_of(operand);
      if (slot == kNoSlot) {
        if (operand.kind == OperandKind::kConstant) return {};
        sum.constant += static_cast<std::uint32_t>(operand.value);
        continue;
      }
      if (const LinearValue value = values_.before(slot, instruction); value.is_constant()) {
        sum.constant += operand.negated ? 0 - value.constant : value.constant;
        continue;
      }
      if (sum.slot != kNoSlot || operand.negated) return {};
      sum.slot = slot;
    }
    return sum.slot != kNoSlot ? std::optional(sum) : std::nullopt;
  }

  // Where a register gets its value both from before the loop and from the round before.
  struct Merge {
    RegisterSlot slot = kNoSlot;
    std::uint32_t added = 0;                    // since then
    std::uint32_t before = Instruction::kNone;  // the definition before the loop
    std::uint32_t in_loop = Instruction::kNone;
  };

  // Follows additions backwards to the merge.
  std::optional<Merge> merge_of(RegisterSlot slot, std::uint32_t at) {
    Merge merge;
    for (int i = 0; i < kMostAdditions; ++i) {
      const Reaching reaching = values_.definitions().before(slot, at);
      const auto& all = reaching.definitions;
      if (!reaching.complete || reaching.from_entry || all.empty() || all.size() > 2) return {};
      if (all.size() == 2) {
        const bool first = inside(all[0]);
        if (first == inside(all[1])) return {};
        merge.slot = slot;
        merge.before = all[first ? 1 : 0];
        merge.in_loop = all[first ? 0 : 1];
        return merge;
      }
      const auto sum = inside(all[0]) ? sum_of(all[0]) : std::nullopt;
      if (!sum) return {};
      merge.added += sum->constant;
      slot = sum->slot;
      at = all[0];
    }
    return {};
  }

  std::optional<LoopCounter> counter_of(const Operand& operand, std::uint32_t at) {
    const RegisterSlot slot = slot_of(operand);
    if (slot == kNoSlot || operand.negated) return {};
    const auto merge = merge_of(slot, at);
    if (!merge || !in_every_round(merge->in_loop)) return {};
    const auto sum = sum_of(merge->in_loop);
    if (!sum) return {};
    // The addition takes up what the merge gave, at once or by other additions.
    const auto again = merge_of(sum->slot, merge->in_loop);
    const bool same = again && again->slot == merge->slot && again->in_loop == merge->in_loop &&
                      again->before == merge->before;
    if (!same) return {};
    LoopCounter counter;
    counter.step = static_cast<std::int32_t>(sum->constant + again->added);
    counter.start = values_.result(merge->before);
    counter.added = merge->added;
    return counter;
  }

  // Whether the instruction's block dominates all ends of the loop.
  bool in_every_round(std::uint32_t instruction) const {
    const std::uint32_t block = flow_.block_of[instruction];
    const FlowLoop& loop = flow_.loops[loop_];
    return std::all_of(loop.latches.begin(), loop.latches.end(), [&](std::uint32_t at) {
      for (std::uint32_t i = 0; i < kMostLoopDepth && at != kNoBlock; ++i) {
        if (at == block) return true;
        if (at == loop.header) return false;
        at = flow_.blocks[at].dominator;
      }
      return false;
    });
  }

  bool fixed_in_loop(const Operand& operand, std::uint32_t at) {
    const RegisterSlot slot = slot_of(operand);
    if (slot == kNoSlot) return true;
    if (!values_.varies(values_.read(operand, at))) return true;
    const Reaching reaching = values_.definitions().before(slot, at);
    return reaching.complete &&
           std::none_of(reaching.definitions.begin(), reaching.definitions.end(),
                        [&](std::uint32_t each) { return inside(each); });
  }

  std::string limit_text(const Operand& operand, std::uint32_t at) {
    if (!fixed_in_loop(operand, at)) return "";
    return value_text(values_.read(operand, at));
  }

  std::string value_text(const LinearValue& value) const {
    std::string text = values_.text(value);
    const bool readable = !values_.varies(value) && text.size() <= kMostTripText;
    return readable ? text : "a value from before the loop";
  }

  // A counter that comes from below to a constant, mostly zero: its distance says more.
  std::string bound_text(const Test& test, const LinearValue& limit, const LoopCounter& counter) {
    if (!limit.is_constant() || counter.start.is_constant()) {
      return limit_text(test.limit, test.at);
    }
    LinearValue distance;
    const bool upwards = counter.step > 0;
    distance.constant =
        upwards ? limit.constant - counter.start.constant : counter.start.constant - limit.constant;
    for (LinearValue::Term term : counter.start.terms) {
      if (upwards) term.factor = 0 - term.factor;
      distance.terms.push_back(term);
    }
    return value_text(distance);
  }

  // A stride that only the run knows: the side that stays the same is the limit. A number alone
  // would tell nothing.
  TripHint bound_without_counter(const Test& test) {
    TripHint hint;
    const bool first = fixed_in_loop(test.counter, test.at);
    if (first == fixed_in_loop(test.limit, test.at)) return hint;
    const Operand& limit = first ? test.counter : test.limit;
    if (!values_.read(limit, test.at).is_constant()) hint.bound = limit_text(limit, test.at);
    return hint;
  }

  Values& values_;
  const CodeFunction& function_;
  const Flow& flow_;
  std::vector<std::int64_t> exits_;  // by loop
  bool exits_known_ = true;
  std::uint32_t loop_ = 0;
};

}  // namespace

std::vector<TripHint> find_trips(Values& values) { return TripFinder(values).find(); }

}  // namespace proofline
