// SPDX-License-Identifier: Apache-2.0
#include "playbook/expression_types.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/nearest.h"
#include "base/text.h"
#include "playbook/functions.h"
#include "vocabulary/outdated_names.h"

namespace proofline {
namespace {

using Kind = ExpressionNode::Kind;

// "check[ID]" -> "ID"; nothing where it is another path.
std::optional<std::string_view> index_of(std::string_view path, std::string_view name) {
  if (!path.starts_with(name) || path.size() < name.size() + 2) return std::nullopt;
  if (path[name.size()] != '[' || path.back() != ']') return std::nullopt;
  return path.substr(name.size() + 1, path.size() - name.size() - 2);
}

std::string suggestion(std::string_view name, const std::set<std::string, std::less<>>& known) {
  return did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
}

template <class Value>
std::string suggestion(std::string_view name,
                       const std::map<std::string, Value, std::less<>>& known) {
  std::vector<std::string_view> names;
  for (const auto& [one, value] : known) names.push_back(one);
  return did_you_mean(name, names);
}

class Typing {
 public:
  Typing(const Expression& expression, const ExpressionScope& scope)
      : expression_(expression), scope_(scope) {}

  TypedExpression run() {
    typed_.kind = type(expression_.root);
    return std::move(typed_);
  }

 private:
  void problem(const ExpressionNode& node, std::string message) {
    typed_.problems.push_back({node.begin, std::move(message)});
  }

  ValueKind type(NodeIndex index) {
    const ExpressionNode& node = expression_.node(index);
    switch (node.kind) {
      case Kind::kNumber: return ValueKind::number(node.unit);
      case Kind::kText: return ValueKind::text();
      case Kind::kFact: return type_fact(node);
      case Kind::kCall: return type_call(node);
      case Kind::kNegate: return need(node.operands[0], ValueType::kNumber);
      case Kind::kAdd:
      case Kind::kSubtract: return type_sum(node);
      case Kind::kMultiply:
      case Kind::kDivide: return type_product(node);
      case Kind::kLess:
      case Kind::kAtMost:
      case Kind::kMore:
      case Kind::kAtLeast: type_comparison(node, true); break;
      case Kind::kEqual:
      case Kind::kUnequal:
      case Kind::kOneOf: type_comparison(node, false); break;
      case Kind::kBetween: type_comparison(node, true); break;
      case Kind::kMatches: {
        need(node.operands[0], ValueType::kText);
        check_regex(expression_.node(node.operands[1]));
        break;
      }
      case Kind::kNot:
      case Kind::kAnd:
      case Kind::kOr:
        for (const NodeIndex operand : node.operands) need(operand, ValueType::kLogic);
        break;
    }
    return ValueKind::logic();
  }

  ValueKind need(NodeIndex index, ValueType wanted) {
    const ValueKind kind = type(index);
    if (!kind.any && kind.type != wanted) {
      problem(expression_.node(index),
              fmt::format("this is {}, but {} is needed", to_string(kind.type), to_string(wanted)));
      return ValueKind::unknown();
    }
    return kind;
  }

  ValueKind type_sum(const ExpressionNode& node) {
    const ValueKind left = need(node.operands[0], ValueType::kNumber);
    const ValueKind right = need(node.operands[1], ValueType::kNumber);
    if (left.any) return right;
    if (!right.any && left.dimension != right.dimension) {
      problem(expression_.node(node.operands[1]),
              fmt::format("this is {}, what it is added to is {}", to_text(right.dimension),
                          to_text(left.dimension)));
    }
    ValueKind sum = left;
    sum.share = left.share && right.share;
    return sum;
  }

  ValueKind type_product(const ExpressionNode& node) {
    const ValueKind left = need(node.operands[0], ValueType::kNumber);
    const ValueKind right = need(node.operands[1], ValueType::kNumber);
    if (left.any || right.any) return ValueKind::unknown();
    const int sign = node.kind == Kind::kMultiply ? 1 : -1;
    ValueKind product;
    product.dimension.time = left.dimension.time + sign * right.dimension.time;
    product.dimension.bytes = left.dimension.bytes + sign * right.dimension.bytes;
    return product;
  }

  // The first operand against each of the others.
  void type_comparison(const ExpressionNode& node, bool ordered) {
    const ValueKind left =
        ordered ? need(node.operands[0], ValueType::kNumber) : type(node.operands[0]);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const ValueKind right =
          ordered ? need(node.operands[i], ValueType::kNumber) : type(node.operands[i]);
      const ExpressionNode& other = expression_.node(node.operands[i]);
      if (left.any || right.any) continue;
      if (left.type != right.type) {
        problem(other,
                fmt::format("{} is compared with {}", to_string(left.type), to_string(right.type)));
      } else if (left.type == ValueType::kNumber && left.dimension != right.dimension) {
        problem(other, fmt::format("{} is compared with {}", to_text(left.dimension),
                                   to_text(right.dimension)));
      } else {
        check_share(left, other);
        check_share(right, expression_.node(node.operands[0]));
      }
    }
  }

  // "share <= 10" means 10 %, and would always hold.
  void check_share(const ValueKind& share, const ExpressionNode& number) {
    if (!share.share || number.kind != Kind::kNumber || number.unit.share || number.number <= 1) {
      return;
    }
    problem(number, fmt::format("a share is 0 to 1; did you mean {}%?", number.number));
  }

  void check_regex(const ExpressionNode& node) {
    const re2::RE2 regex(node.text, re2::RE2::Quiet);
    if (!regex.ok()) problem(node, "this is no regular expression: " + regex.error());
  }

  void check_case(const ExpressionNode& node) {
    if (node.side.kind != EvidenceSide::Kind::kCase || scope_.cases.contains(node.side.id)) return;
    problem(node, fmt::format("there is no case {}{}", quote(node.side.id),
                              suggestion(node.side.id, scope_.cases)));
  }

  ValueKind type_fact(const ExpressionNode& node) {
    check_case(node);
    const std::string_view path = node.text;
    if (path.starts_with("let.")) return named(node, path.substr(4), scope_.lets, "let");
    if (path.starts_with("workload.")) {
      const std::string_view key = path.substr(9);
      if (scope_.any_workload && !scope_.workload.contains(key)) return ValueKind::unknown();
      return named(node, key, scope_.workload, "key of [workload]");
    }
    if (const auto id = index_of(path, "check")) {
      if (!scope_.checks.contains(*id)) {
        problem(node,
                fmt::format("there is no check {}{}", quote(*id), suggestion(*id, scope_.checks)));
      }
      return ValueKind::logic();
    }
    if (const auto kind = kind_of_fact(path)) return *kind;
    return unknown_fact(node);
  }

  template <class Names>
  ValueKind named(const ExpressionNode& node, std::string_view name, const Names& names,
                  std::string_view what) {
    const auto found = names.find(name);
    if (found != names.end()) return found->second;
    problem(node, fmt::format("there is no {} {}{}", what, quote(name), suggestion(name, names)));
    return ValueKind::unknown();
  }

  ValueKind unknown_fact(const ExpressionNode& node) {
    if (const OutdatedName* entry = find_outdated(node.text)) {
      problem(node, fmt::format("{} is no name of today: {}; {}", node.text,
                                right_name(*entry, node.text), entry->why));
      return ValueKind::unknown();
    }
    if (find_function(node.text) != nullptr) {
      problem(node, fmt::format("{} is a function: {}(...)", node.text, node.text));
      return ValueKind::unknown();
    }
    const std::vector<std::string> near = facts_near(node.text);
    problem(node, fmt::format("unknown fact {}{}", node.text,
                              near.empty() ? "" : fmt::format("; did you mean {}?", near.front())));
    // What it was probably meant to be, so that the rest is checked in the same go.
    const auto meant = near.empty() ? std::nullopt : kind_of_fact(near.front());
    return meant.value_or(ValueKind::unknown());
  }

  ValueKind type_call(const ExpressionNode& node) {
    check_case(node);
    const ExpressionFunction* function = find_function(node.text);
    if (function == nullptr) {
      std::vector<std::string_view> names;
      for (const ExpressionFunction& one : expression_functions()) names.push_back(one.name());
      problem(node,
              fmt::format("there is no function {}{}", node.text, did_you_mean(node.text, names)));
      return ValueKind::unknown();
    }
    if (!function->takes(node.operands.size())) {
      problem(node, fmt::format("{} takes {}, not {}", node.text, function->arity(),
                                node.operands.size()));
      return ValueKind::unknown();
    }
    return std::visit([&](const auto& form) { return type_form(form, node); }, function->form);
  }

  ValueKind type_form(const ConditionFunction&, const ExpressionNode& node) {
    for (const NodeIndex operand : node.operands) need(operand, ValueType::kLogic);
    return ValueKind::logic();
  }

  ValueKind type_form(const PresenceFunction&, const ExpressionNode& node) {
    type(node.operands[0]);
    return ValueKind::logic();
  }

  ValueKind type_form(const NumberFunction& function, const ExpressionNode& node) {
    std::vector<ValueKind> kinds;
    for (const NodeIndex operand : node.operands) {
      kinds.push_back(need(operand, ValueType::kNumber));
    }
    switch (function.gives) {
      case NumberResult::kLogic: return ValueKind::logic();
      case NumberResult::kPlain: return ValueKind::number({});
      case NumberResult::kShareOfWhole: return ValueKind::number({{}, 1, true});
      case NumberResult::kLikeArguments: break;
    }
    for (std::size_t i = 1; i < kinds.size(); ++i) {
      if (kinds[0].any || kinds[i].any || kinds[i].dimension == kinds[0].dimension) continue;
      problem(expression_.node(node.operands[i]),
              fmt::format("this is {}, the first argument is {}", to_text(kinds[i].dimension),
                          to_text(kinds[0].dimension)));
    }
    return kinds[0];
  }

  ValueKind type_form(const TextFunction& function, const ExpressionNode& node) {
    const ExpressionNode& argument = expression_.node(node.operands[0]);
    if (argument.kind != Kind::kText) {
      problem(argument, fmt::format("{} takes a text in double quotes", node.text));
    } else if (const auto mistake = function.mistake(argument.text, scope_)) {
      problem(argument, *mistake);
    }
    return function.gives;
  }

  const Expression& expression_;
  const ExpressionScope& scope_;
  TypedExpression typed_;
};

}  // namespace

TypedExpression type_expression(const Expression& expression, const ExpressionScope& scope) {
  return Typing(expression, scope).run();
}

std::set<std::string> facts_of(const Expression& expression) {
  std::set<std::string> facts;
  for (const ExpressionNode& node : expression.nodes) {
    if (node.kind == Kind::kFact) facts.insert(node.text);
  }
  return facts;
}

bool reads_kernel(const Expression& expression,
                  const std::map<std::string, Expression, std::less<>>& lets) {
  for (const ExpressionNode& node : expression.nodes) {
    if (node.kind == Kind::kCall) {
      const ExpressionFunction* function = find_function(node.text);
      const auto* asks = function ? std::get_if<TextFunction>(&function->form) : nullptr;
      if (asks != nullptr && asks->reads_kernel) return true;
      continue;
    }
    if (node.kind != Kind::kFact) continue;
    if (node.text.starts_with("let.")) {
      const auto let = lets.find(std::string_view(node.text).substr(4));
      if (let != lets.end() && reads_kernel(let->second, lets)) return true;
      continue;
    }
    // A check is of the kernel that asks for it.
    if (node.text.starts_with("check[")) return true;
    const CatalogueFact* fact = find_catalogue_fact(node.text);
    if (fact == nullptr || fact->of_kernel) return true;
  }
  return false;
}

}  // namespace proofline
