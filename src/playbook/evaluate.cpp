// SPDX-License-Identifier: Apache-2.0
#include "playbook/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "playbook/functions.h"
#include "playbook/typed_value.h"

namespace proofline {
namespace {

using Kind = ExpressionNode::Kind;

// More than any sensible expression takes; `let`s that use `let`s could take for ever.
constexpr std::size_t kMostSteps = 20000;

std::string_view sign_of(Kind kind) {
  switch (kind) {
    case Kind::kLess: return "<";
    case Kind::kAtMost: return "<=";
    case Kind::kMore: return ">";
    case Kind::kAtLeast: return ">=";
    case Kind::kEqual: return "==";
    case Kind::kUnequal: return "!=";
    case Kind::kBetween: return "in";
    case Kind::kOneOf: return "one of";
    case Kind::kMatches: return "matches";
    default: return "";
  }
}

std::string opposite(std::string_view sign) {
  constexpr std::pair<std::string_view, std::string_view> kOpposites[] = {
      {"<", ">="}, {"<=", ">"}, {">", "<="}, {">=", "<"}, {"==", "!="}, {"!=", "=="}};
  for (const auto& [one, other] : kOpposites) {
    if (one == sign) return std::string(other);
  }
  return "not " + std::string(sign);
}

Answer inverse(Answer answer) {
  if (answer == Answer::kUnknown) return answer;
  return answer == Answer::kTrue ? Answer::kFalse : Answer::kTrue;
}

std::string shown(const ExpressionNode& node) {
  switch (node.side.kind) {
    case EvidenceSide::Kind::kBefore: return "before." + node.text;
    case EvidenceSide::Kind::kCase: return fmt::format("case[{}].{}", node.side.id, node.text);
    case EvidenceSide::Kind::kAfter: break;
  }
  return node.text;
}

class ExpressionRun {
 public:
  ExpressionRun(const Lets& lets, const FactSource& source) : lets_(lets), source_(source) {}

  // `negated`: a `not` is before it, so that readings say what is wanted.
  Evaluation logic(const Expression& expression, NodeIndex index, bool negated) {
    const ExpressionNode& node = expression.node(index);
    if (!step()) return out_of_steps();
    switch (node.kind) {
      case Kind::kNot: {
        Evaluation inner = logic(expression, node.operands[0], !negated);
        inner.answer = inverse(inner.answer);
        return inner;
      }
      case Kind::kAnd: return join(expression, node.operands, all_of, negated);
      case Kind::kOr: return join(expression, node.operands, any_of, negated);
      case Kind::kCall: {
        Called called = call(expression, node, negated);
        if (auto* judged = std::get_if<Evaluation>(&called)) return std::move(*judged);
        return from_bool(std::get<TypedValue>(called), std::string(expression.source(node)),
                         negated);
      }
      case Kind::kFact: return fact_logic(node, negated);
      case Kind::kLess:
      case Kind::kAtMost:
      case Kind::kMore:
      case Kind::kAtLeast:
      case Kind::kEqual:
      case Kind::kUnequal:
      case Kind::kBetween:
      case Kind::kOneOf:
      case Kind::kMatches: return compare(expression, node, negated);
      default: break;
    }
    Evaluation none;
    none.missing.push_back(
        {std::string(expression.source(node)), "this is neither true nor false", ""});
    return none;
  }

  TypedValue value(const Expression& expression, NodeIndex index) {
    const ExpressionNode& node = expression.node(index);
    TypedValue typed;
    if (!step()) {
      typed.missing = out_of_steps().missing;
      return typed;
    }
    switch (node.kind) {
      case Kind::kNumber:
        typed.value = node.number * node.unit.factor;
        typed.dimension = node.unit.dimension;
        typed.share = node.unit.share;
        return typed;
      case Kind::kText: typed.value = node.text; return typed;
      case Kind::kFact: return fact_value(node);
      case Kind::kCall: {
        Called called = call(expression, node, false);
        if (auto* computed = std::get_if<TypedValue>(&called)) return std::move(*computed);
        return as_value(std::get<Evaluation>(called));
      }
      case Kind::kNegate: {
        typed = value(expression, node.operands[0]);
        if (const double* number = typed.number()) typed.value = -*number;
        typed.unit.clear();
        return typed;
      }
      case Kind::kAdd:
      case Kind::kSubtract:
      case Kind::kMultiply:
      case Kind::kDivide: return arithmetic(expression, node);
      default: break;
    }
    return as_value(logic(expression, index, false));
  }

 private:
  // A judgement with the readings that decided it, or a value that has none.
  using Called = std::variant<Evaluation, TypedValue>;

  bool step() { return ++steps_ <= kMostSteps; }
  static Evaluation out_of_steps() {
    Evaluation none;
    none.missing.push_back({"", "the expression takes too many steps", ""});
    return none;
  }

  // --- logic ---

  // What decided it: of a false `and` the false parts, of an open one what is missing.
  Evaluation join(const Expression& expression, const std::vector<NodeIndex>& operands,
                  JoinAnswers join_answers, bool negated) {
    std::vector<Evaluation> parts;
    std::vector<Answer> answers;
    for (const NodeIndex operand : operands) {
      parts.push_back(logic(expression, operand, negated));
      answers.push_back(parts.back().answer);
    }
    Evaluation joined;
    joined.answer = join_answers(answers);
    const bool open = joined.answer == Answer::kUnknown;
    for (Evaluation& part : parts) {
      if (part.answer == joined.answer || open) {
        std::move(part.readings.begin(), part.readings.end(), std::back_inserter(joined.readings));
      }
      if (open) add_missing(joined.missing, part.missing);
    }
    return joined;
  }

  static Evaluation from(const LogicAnswer& said, std::string what, bool negated) {
    Evaluation result;
    result.answer = said.answer;
    if (said.answer == Answer::kUnknown) {
      result.missing.push_back(said.missing);
      return result;
    }
    Reading reading;
    reading.what = std::move(what);
    reading.text = said.text;
    reading.answer = negated ? inverse(said.answer) : said.answer;
    result.readings.push_back(std::move(reading));
    return result;
  }

  static Evaluation from_bool(const TypedValue& typed, const std::string& what, bool negated) {
    Evaluation result;
    const bool* value = typed.value ? std::get_if<bool>(&*typed.value) : nullptr;
    if (value == nullptr) {
      result.missing = typed.missing;
      if (result.missing.empty()) {
        result.missing.push_back({what, "this is neither true nor false", ""});
      }
      return result;
    }
    result.answer = as_answer(*value);
    Reading reading;
    reading.what = what;
    reading.value = *value;
    reading.op = "==";
    reading.wanted = {!negated};
    reading.answer = negated ? inverse(result.answer) : result.answer;
    reading.facts = typed.facts;
    result.readings.push_back(std::move(reading));
    return result;
  }

  static TypedValue as_value(const Evaluation& judged) {
    TypedValue typed;
    if (judged.answer != Answer::kUnknown) typed.value = judged.answer == Answer::kTrue;
    typed.missing = judged.missing;
    return typed;
  }

  Evaluation fact_logic(const ExpressionNode& node, bool negated) {
    if (node.text.starts_with("check[")) {
      const std::string id = node.text.substr(6, node.text.size() - 7);
      return from(source_.check(id), node.text, negated);
    }
    if (const Expression* let = find_let(node)) return logic(*let, let->root, negated);
    return from_bool(fact_value(node), shown(node), negated);
  }

  // --- comparisons ---

  Evaluation compare(const Expression& expression, const ExpressionNode& node, bool negated) {
    const TypedValue left = value(expression, node.operands[0]);
    std::vector<TypedValue> others;
    TypedValue all;
    gather(all, left);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      others.push_back(value(expression, node.operands[i]));
      gather(all, others.back());
    }
    Evaluation result;
    result.answer = compare_values(node.kind, left, others);
    if (result.answer == Answer::kUnknown) {
      result.missing = std::move(all.missing);
      if (result.missing.empty()) {
        result.missing.push_back(
            {std::string(expression.source(node)), "the two sides are of different kinds", ""});
      }
      return result;
    }
    Reading reading;
    const ExpressionNode& of = expression.node(node.operands[0]);
    reading.what = of.kind == Kind::kFact ? shown(of) : std::string(expression.source(of));
    const Shown unit = shown_unit(left, others);
    reading.unit = unit.unit;
    reading.value = in_unit(left, unit.factor);
    reading.op = negated ? opposite(sign_of(node.kind)) : std::string(sign_of(node.kind));
    for (const TypedValue& other : others) {
      if (const auto wanted = in_unit(other, unit.factor)) reading.wanted.push_back(*wanted);
    }
    reading.before = before(expression, node, of, unit.factor);
    reading.answer = negated ? inverse(result.answer) : result.answer;
    reading.facts = std::move(all.facts);
    result.readings.push_back(std::move(reading));
    return result;
  }

  struct Shown {
    std::string unit;
    double factor = 1;
  };
  static Shown shown_unit(const TypedValue& left, const std::vector<TypedValue>& others) {
    if (!left.unit.empty()) return {left.unit, left.factor};
    bool share = left.share;
    for (const TypedValue& other : others) share = share || other.share;
    const std::string unit = unit_for(left.dimension, share && left.dimension == Dimension{});
    return {unit, unit.empty() ? 1 : scale_of_unit(unit).factor};
  }

  static std::optional<AnswerValue> in_unit(const TypedValue& typed, double factor) {
    const double* number = typed.number();
    return number != nullptr ? AnswerValue(*number / factor) : typed.value;
  }

  // The same fact of the other side, where it is compared with that.
  std::optional<double> before(const Expression& expression, const ExpressionNode& node,
                               const ExpressionNode& left, double factor) {
    if (left.kind != Kind::kFact || left.side.kind != EvidenceSide::Kind::kAfter) {
      return std::nullopt;
    }
    for (const ExpressionNode& other : expression.nodes) {
      const bool inside = other.begin >= node.begin && other.end <= node.end;
      if (!inside || other.kind != Kind::kFact || other.text != left.text ||
          other.side.kind != EvidenceSide::Kind::kBefore) {
        continue;
      }
      const TypedValue typed = fact_value(other);
      if (const double* number = typed.number()) return *number / factor;
    }
    return std::nullopt;
  }

  // --- values ---

  const Expression* find_let(const ExpressionNode& node) const {
    if (!node.text.starts_with("let.")) return nullptr;
    const auto found = lets_.find(std::string_view(node.text).substr(4));
    return found != lets_.end() ? &found->second : nullptr;
  }

  TypedValue fact_value(const ExpressionNode& node) {
    if (const Expression* let = find_let(node)) {
      TypedValue typed = value(*let, let->root);
      typed.unit.clear();
      return typed;
    }
    return typed_value(source_.fact(node.side, node.text), shown(node));
  }

  TypedValue arithmetic(const Expression& expression, const ExpressionNode& node) {
    const TypedValue left = value(expression, node.operands[0]);
    const TypedValue right = value(expression, node.operands[1]);
    TypedValue result;
    gather(result, left);
    gather(result, right);
    const double* a = left.number();
    const double* b = right.number();
    if (a == nullptr || b == nullptr) {
      if (left.value && right.value) {
        result.missing.push_back(
            {std::string(expression.source(node)), "a text cannot be computed with", ""});
      }
      return result;
    }
    result.dimension = left.dimension;
    double number = 0;
    switch (node.kind) {
      case Kind::kAdd:
        number = *a + *b;
        result.share = left.share && right.share;
        break;
      case Kind::kSubtract:
        number = *a - *b;
        result.share = left.share && right.share;
        break;
      case Kind::kMultiply:
        number = *a * *b;
        result.dimension.time += right.dimension.time;
        result.dimension.bytes += right.dimension.bytes;
        break;
      default:
        if (*b == 0) {
          result.missing.push_back(
              {std::string(expression.source(node)), "it divides by zero", ""});
          return result;
        }
        number = *a / *b;
        result.dimension.time -= right.dimension.time;
        result.dimension.bytes -= right.dimension.bytes;
    }
    if (!std::isfinite(number)) {
      result.missing.push_back(
          {std::string(expression.source(node)), "the result is not a finite number", ""});
      return result;
    }
    result.value = number;
    return result;
  }

  // --- calls ---

  Called call(const Expression& expression, const ExpressionNode& node, bool negated) {
    const ExpressionFunction* function = find_function(node.text);
    // The type check refuses both; an expression that was not checked is UNKNOWN.
    if (function == nullptr || !function->takes(node.operands.size())) {
      TypedValue none;
      none.missing.push_back(
          {std::string(expression.source(node)), "this is no call of a function", ""});
      return none;
    }
    return std::visit([&](const auto& form) { return call(form, expression, node, negated); },
                      function->form);
  }

  Called call(const ConditionFunction& function, const Expression& expression,
              const ExpressionNode& node, bool negated) {
    Evaluation joined = join(expression, node.operands, function.join, negated != function.negated);
    if (function.negated) joined.answer = inverse(joined.answer);
    return joined;
  }

  Called call(const PresenceFunction&, const Expression& expression, const ExpressionNode& node,
              bool) {
    TypedValue known;
    known.value = value(expression, node.operands[0]).value.has_value();
    return known;
  }

  Called call(const NumberFunction& function, const Expression& expression,
              const ExpressionNode& node, bool) {
    TypedValue result;
    std::vector<double> numbers;
    for (const NodeIndex operand : node.operands) {
      const TypedValue argument = value(expression, operand);
      gather(result, argument);
      if (operand == node.operands.front() && function.gives == NumberResult::kLikeArguments) {
        result.dimension = argument.dimension;
        result.share = argument.share;
      }
      if (const double* number = argument.number()) numbers.push_back(*number);
    }
    if (numbers.size() < node.operands.size()) return result;
    const std::string text(expression.source(node));
    const TypedValue computed = function.compute({text, numbers, node.side, source_});
    gather(result, computed);
    result.value = computed.value;
    if (function.gives == NumberResult::kShareOfWhole) result.share = true;
    const double* number = result.number();
    if (number != nullptr && !std::isfinite(*number)) {
      result.value.reset();
      result.missing.push_back({text, "the result is not a finite number", ""});
    }
    return result;
  }

  Called call(const TextFunction& function, const Expression& expression,
              const ExpressionNode& node, bool negated) {
    const std::string what(expression.source(node));
    const auto said = function.ask(source_, node.side, expression.node(node.operands[0]).text);
    if (const auto* judged = std::get_if<LogicAnswer>(&said)) return from(*judged, what, negated);
    return typed_value(std::get<FactAnswer>(said), what);
  }

  const Lets& lets_;
  const FactSource& source_;
  std::size_t steps_ = 0;
};

}  // namespace

Evaluation evaluate_logic(const Expression& expression, const Lets& lets,
                          const FactSource& source) {
  return ExpressionRun(lets, source).logic(expression, expression.root, false);
}

EvaluatedValue evaluate_value(const Expression& expression, const Lets& lets,
                              const FactSource& source) {
  const TypedValue typed = ExpressionRun(lets, source).value(expression, expression.root);
  EvaluatedValue result;
  result.missing = typed.missing;
  if (!typed.value) return result;
  result.value = typed.value;
  const double* number = typed.number();
  if (number == nullptr) return result;
  result.unit = typed.unit;
  double factor = typed.factor;
  if (typed.unit.empty()) {
    result.unit = unit_for(typed.dimension, typed.share);
    factor = result.unit.empty() ? 1 : scale_of_unit(result.unit).factor;
  }
  result.value = *number / factor;
  return result;
}

}  // namespace proofline
