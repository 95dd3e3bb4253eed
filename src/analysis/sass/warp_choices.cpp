// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/warp_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sass/operands.h"

namespace proofline {
namespace {

constexpr unsigned kMostDepth = 4;  // of predicates made from predicates
constexpr std::size_t kMostText = 40;
constexpr std::uint32_t kWarpSize = 32;
// Numbers of threads and of their bytes; larger ones may have wrapped round.
constexpr std::uint32_t kMostFactor = 1U << 10U;
constexpr std::uint32_t kMostBound = 1U << 20U;

struct Comparison {
  std::string_view name;  // as in ISETP.LT
  std::string_view sign;
  std::string_view opposite;
  std::string_view mirrored;  // the name with the sides exchanged
};

constexpr std::array<Comparison, 6> kComparisons = {{{"LT", "<", ">=", "GT"},
                                                     {"LE", "<=", ">", "GE"},
                                                     {"GT", ">", "<=", "LT"},
                                                     {"GE", ">=", "<", "LE"},
                                                     {"EQ", "==", "!=", "EQ"},
                                                     {"NE", "!=", "==", "NE"}}};

const Comparison* find_comparison(std::string_view name) {
  const auto found = std::find_if(kComparisons.begin(), kComparisons.end(),
                                  [&](const Comparison& one) { return one.name == name; });
  return found != kComparisons.end() ? &*found : nullptr;
}

const Comparison* comparison_of(std::string_view opcode) {
  if (const std::size_t dot = opcode.find('.'); dot != std::string_view::npos) {
    return find_comparison(mnemonic_of(opcode.substr(dot + 1)));
  }
  return nullptr;
}

WarpChoice opposite(WarpChoice choice) {
  std::swap(choice.taken, choice.not_taken);
  std::swap(choice.taken_by, choice.not_taken_by);
  return choice;
}

class ChoiceFinder {
 public:
  ChoiceFinder(Values& values, const BlockShape& block)
      : values_(values), function_(values.function()), block_(block) {}

  WarpChoice of_branch(std::uint32_t branch) {
    const Instruction& one = function_.instructions[branch];
    WarpChoice choice = of_predicate(slot_of(one.guard), one.guard.negated, branch);
    for (const Operand& operand : function_.operands_of(one)) {
      if (is_predicate(operand.kind) && operand.use == OperandUse::kRead) {
        choice = both(choice, of_predicate(slot_of(operand), operand.negated, branch), " and ");
      }
    }
    if (flow_kind(values_.opcode(branch)) == FlowKind::kIndirect) return of_table(branch);
    return choice;
  }

 private:
  // A jump to a place that a table gives for the warp.
  WarpChoice of_table(std::uint32_t branch) {
    for (const Operand& operand : function_.operands_of(function_.instructions[branch])) {
      if (slot_of(operand) == kNoSlot || is_predicate(operand.kind)) continue;
      if (values_.spread(values_.read(operand, branch)) == Spread::kWarp) {
        return {ChoiceKind::kWarp, "", ""};
      }
    }
    return {};
  }

  WarpChoice of_predicate(RegisterSlot slot, bool negated, std::uint32_t at) {
    if (slot == kNoSlot || depth_ == kMostDepth) return {};
    const std::uint32_t definition = values_.definitions().before(slot, at).only();
    if (definition == Instruction::kNone) return {};
    ++depth_;
    WarpChoice choice = of_definition(slot, definition);
    --depth_;
    return negated ? opposite(std::move(choice)) : choice;
  }

  WarpChoice of_definition(RegisterSlot slot, std::uint32_t definition) {
    const Instruction& one = function_.instructions[definition];
    const std::string_view name = values_.opcode(definition);
    const std::string_view mnemonic = mnemonic_of(name);
    if (!one.guard.always()) return {};
    if (mnemonic == "ELECT") return {ChoiceKind::kLane, "one lane", "the other lanes"};
    if (mnemonic == "ISETP" || mnemonic == "UISETP") {
      WarpChoice choice = both(of_comparison(definition), of_sources(definition),
                               has_part(name, "OR") ? " or " : " and ");
      // The second predicate of the two is the opposite.
      const auto operands = function_.operands_of(one);
      const bool first = !operands.empty() && slot_of(operands[0]) == slot;
      return first ? choice : opposite(std::move(choice));
    }
    if (mnemonic == "LOP3" || mnemonic == "ULOP3") return of_bits(definition);
    if (mnemonic == "PLOP3" || mnemonic == "UPLOP3") {
      return {of_sources(definition).kind, text(definition), "not " + text(definition)};
    }
    return {};
  }

  // Of the predicates that an instruction reads.
  WarpChoice of_sources(std::uint32_t definition) {
    WarpChoice choice;
    for (const Operand& operand : function_.operands_of(function_.instructions[definition])) {
      if (!is_predicate(operand.kind) || operand.use != OperandUse::kRead) continue;
      choice = both(choice, of_predicate(slot_of(operand), operand.negated, definition), " and ");
    }
    return choice;
  }

  static WarpChoice both(const WarpChoice& a, const WarpChoice& b, std::string_view word) {
    if (b.kind == ChoiceKind::kNone) return a;
    if (a.kind == ChoiceKind::kNone) return b;
    // A lane of a warp is chosen by a branch on both; the warp is what counts.
    const bool conjunction = word == " and ";
    WarpChoice choice{std::max(a.kind, b.kind), a.taken + std::string(word) + b.taken,
                      a.not_taken + (conjunction ? " or " : " and ") + b.not_taken};
    if (a.taken_by && b.taken_by) {
      choice.taken_by = conjunction ? *a.taken_by & *b.taken_by : *a.taken_by | *b.taken_by;
      choice.not_taken_by =
          conjunction ? *a.not_taken_by | *b.not_taken_by : *a.not_taken_by & *b.not_taken_by;
    }
    return choice;
  }

  WarpChoice of_comparison(std::uint32_t definition) {
    const std::string_view name = values_.opcode(definition);
    const Comparison* comparison = comparison_of(name);
    const std::vector<Operand> operands =
        read_operands(function_, function_.instructions[definition]);
    if (comparison == nullptr || operands.size() < 2 || has_part(name, "EX")) return {};
    LinearValue left = values_.read(operands[0], definition);
    LinearValue right = values_.read(operands[1], definition);
    if (left.is_constant()) {
      std::swap(left, right);
      comparison = find_comparison(comparison->mirrored);
    }
    if (left.is_constant() || !right.is_constant()) return {};
    const ChoiceKind kind = kind_of(left, *comparison, right.constant);
    if (kind == ChoiceKind::kNone) return {};
    std::optional<std::uint32_t> compared;
    if (comparison->name != "EQ" && comparison->name != "NE") compared = right.constant;
    take_out_factor(left, right.constant);
    if (same_for_all(left, *comparison, right.constant)) return {};
    const std::string left_text = values_.text(left);
    if (!tells_warps_apart(left_text)) return {};
    const auto bound = static_cast<std::int32_t>(right.constant);
    WarpChoice choice{kind, fmt::format("{} {} {}", left_text, comparison->sign, bound),
                      fmt::format("{} {} {}", left_text, comparison->opposite, bound), compared};
    if (kind == ChoiceKind::kWarp) tell_warps(left, *comparison, right.constant, choice);
    return choice;
  }

  // What takes many steps to make from the warp is a number of rounds or of elements that are left
  // for it, and every warp does the same with its own.
  static bool tells_warps_apart(std::string_view value) {
    return value.size() <= kMostText && value.find(Values::kShortened) == std::string_view::npos;
  }

  // Which warps of a block in one dimension compare how: the index of a warp, or that of its first
  // thread, counts for all its threads.
  void tell_warps(const LinearValue& value, const Comparison& comparison, std::uint32_t bound,
                  WarpChoice& choice) const {
    const bool row = block_.exact && block_.y == 1 && block_.z == 1;
    if (!row || value.terms.size() != 1 || value.terms[0].factor != 1) return;
    if (value.constant > kMostBound || bound > kMostBound) return;
    const std::string& symbol = values_.symbol(value.terms[0].symbol).text;
    const bool threads = symbol == "tid" || symbol == "tid of a warp";
    if (!threads && symbol != "warp") return;
    WarpSet taken;
    WarpSet not_taken;
    for (std::uint32_t warp = 0; warp < (block_.x + kWarpSize - 1) / kWarpSize; ++warp) {
      const std::uint32_t its = value.constant + (threads ? kWarpSize * warp : warp);
      (holds(comparison, its, bound) ? taken : not_taken).set(warp);
    }
    choice.taken_by = taken;
    choice.not_taken_by = not_taken;
  }

  static bool holds(const Comparison& comparison, std::uint32_t left, std::uint32_t right) {
    if (comparison.sign == "<") return left < right;
    if (comparison.sign == "<=") return left <= right;
    if (comparison.sign == ">") return left > right;
    if (comparison.sign == ">=") return left >= right;
    return (left == right) == (comparison.sign == "==");
  }

  // The largest index of a thread or warp that has a symbol of its own.
  std::optional<std::uint32_t> most_of(std::string_view symbol) const {
    if (symbol == "tid" || symbol == "tid of a warp") return block_.x - 1;
    if (symbol == "tid.y") return block_.y - 1;
    if (symbol == "tid.z") return block_.z - 1;
    if (symbol == "warp") return (block_.x - 1) / kWarpSize;
    return std::nullopt;
  }

  // Whether every thread of the block compares alike: tid <= 2047 where there are 128.
  bool same_for_all(const LinearValue& value, const Comparison& comparison,
                    std::uint32_t bound) const {
    if (value.terms.size() != 1 || value.terms[0].factor != 1) return false;
    const auto most = most_of(values_.symbol(value.terms[0].symbol).text);
    // Numbers that may have wrapped round are not compared.
    if (!most || value.constant > kMostBound || bound > kMostBound) return false;
    const std::uint32_t first = value.constant;
    const std::uint32_t last = value.constant + *most;
    if (comparison.name == "LT" || comparison.name == "GE") return last < bound || first >= bound;
    if (comparison.name == "LE" || comparison.name == "GT") return last <= bound || first > bound;
    return bound < first || bound > last || first == last;
  }

  // 32*warp == 256 is warp == 8.
  static void take_out_factor(LinearValue& value, std::uint32_t& bound) {
    if (value.terms.size() != 1) return;
    const std::uint32_t factor = value.terms[0].factor;
    const bool divides = bound % factor == 0 && value.constant % factor == 0;
    const bool small = factor <= kMostFactor && bound <= kMostBound && value.constant <= kMostBound;
    if (!divides || !small) return;
    value.terms[0].factor = 1;
    value.constant /= factor;
    bound /= factor;
  }

  ChoiceKind kind_of(const LinearValue& value, const Comparison& comparison,
                     std::uint32_t bound) const {
    switch (values_.spread(value)) {
      case Spread::kWarp: return ChoiceKind::kWarp;
      case Spread::kLane: return ChoiceKind::kLane;
      case Spread::kThread: break;
      default: return ChoiceKind::kNone;
    }
    if (value.terms.size() != 1 || value.terms[0].factor != 1) return ChoiceKind::kNone;
    const std::string& index = values_.symbol(value.terms[0].symbol).text;
    if (index == "tid.y" || index == "tid.z") {
      // Rows of whole warps; that is what it is for where the block is not known.
      const bool whole_warps = !block_.exact || block_.x % kWarpSize == 0;
      return whole_warps ? ChoiceKind::kWarp : ChoiceKind::kThreads;
    }
    if (index != "tid") return ChoiceKind::kNone;
    // Both sides are whole warps: tid < 128, tid > 127.
    const bool below = comparison.sign == "<" || comparison.sign == ">=";
    const bool above = comparison.sign == "<=" || comparison.sign == ">";
    const bool aligned =
        value.constant % kWarpSize == 0 &&
        ((below && bound % kWarpSize == 0) || (above && (bound + 1) % kWarpSize == 0));
    return aligned ? ChoiceKind::kWarp : ChoiceKind::kThreads;
  }

  // LOP3.LUT P0, RZ, R3, 0x1f, ...: true where a bit is left.
  WarpChoice of_bits(std::uint32_t definition) {
    LinearValue value = values_.result(definition);
    const Spread spread = values_.spread(value);
    if (spread != Spread::kWarp && spread != Spread::kLane) return {};
    // 32 * (warp & 3) is zero where (warp & 3) is.
    std::uint32_t zero = 0;
    take_out_factor(value, zero);
    const std::string bits = values_.text(value);
    if (!tells_warps_apart(bits)) return {};
    return {spread == Spread::kWarp ? ChoiceKind::kWarp : ChoiceKind::kLane, bits + " != 0",
            bits + " == 0"};
  }

  std::string text(std::uint32_t instruction) const {
    return instruction_text(function_, values_.opcodes(), function_.instructions[instruction]);
  }

  Values& values_;
  const CodeFunction& function_;
  const BlockShape& block_;
  unsigned depth_ = 0;
};

}  // namespace

WarpChoice warp_choice(Values& values, std::uint32_t branch, const BlockShape& block) {
  return ChoiceFinder(values, block).of_branch(branch);
}

}  // namespace proofline
