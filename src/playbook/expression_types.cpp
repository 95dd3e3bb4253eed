// SPDX-License-Identifier: Apache-2.0
#include "playbook/expression_types.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/sass/pattern.h"
#include "base/characters.h"
#include "base/nearest.h"
#include "base/text.h"
#include "rules/rule.h"
#include "vocabulary/outdated_names.h"

namespace proofline {
namespace {

using Kind = ExpressionNode::Kind;

enum class Argument : std::uint8_t { kLogic, kNumber, kAnything, kText };

struct Function {
  std::string_view name;
  std::size_t least;  // arguments
  std::size_t most;
  Argument takes;
  ValueType gives;
};
constexpr std::size_t kMany = 64;
constexpr Function kFunctions[] = {
    {"any", 1, kMany, Argument::kLogic, ValueType::kLogic},
    {"all", 1, kMany, Argument::kLogic, ValueType::kLogic},
    {"none", 1, kMany, Argument::kLogic, ValueType::kLogic},
    {"known", 1, 1, Argument::kAnything, ValueType::kLogic},
    {"min", 1, kMany, Argument::kNumber, ValueType::kNumber},
    {"max", 1, kMany, Argument::kNumber, ValueType::kNumber},
    {"floor", 1, 1, Argument::kNumber, ValueType::kNumber},
    {"ceil", 1, 1, Argument::kNumber, ValueType::kNumber},
    {"clamp", 3, 3, Argument::kNumber, ValueType::kNumber},
    {"pow2", 1, 1, Argument::kNumber, ValueType::kNumber},
    {"divides", 2, 2, Argument::kNumber, ValueType::kLogic},
    {"expect", 1, 1, Argument::kText, ValueType::kLogic},
    {"forbid", 1, 1, Argument::kText, ValueType::kLogic},
    {"code", 1, 1, Argument::kText, ValueType::kNumber},
    {"found", 1, 1, Argument::kText, ValueType::kLogic},
    {"journal.tried", 1, 1, Argument::kText, ValueType::kLogic},
    {"journal.kept", 1, 1, Argument::kText, ValueType::kLogic},
    {"journal.reverted", 1, 1, Argument::kText, ValueType::kLogic},
    {"journal.gain", 1, 1, Argument::kText, ValueType::kNumber},
    {"fit.blocks", 3, 3, Argument::kNumber, ValueType::kNumber},
    {"fit.occupancy", 3, 3, Argument::kNumber, ValueType::kNumber},
    {"fit.waves", 4, 4, Argument::kNumber, ValueType::kNumber},
    {"fit.stages", 2, 2, Argument::kNumber, ValueType::kNumber},
    {"fit.cluster", 2, 2, Argument::kNumber, ValueType::kLogic},
};

const Function* find_function(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

// "check[ID]" -> "ID"; nothing where it is another path.
std::optional<std::string_view> index_of(std::string_view path, std::string_view name) {
  if (!path.starts_with(name) || path.size() < name.size() + 2) return std::nullopt;
  if (path[name.size()] != '[' || path.back() != ']') return std::nullopt;
  return path.substr(name.size() + 1, path.size() - name.size() - 2);
}

std::string suggestion(std::string_view name, const std::set<std::string, std::less<>>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto near = nearest(name, candidates, 1);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near.front());
}

template <class Value>
std::string suggestion(std::string_view name,
                       const std::map<std::string, Value, std::less<>>& known) {
  std::set<std::string, std::less<>> names;
  for (const auto& [one, value] : known) names.insert(one);
  return suggestion(name, names);
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
    const Function* function = find_function(node.text);
    if (function == nullptr) {
      std::set<std::string, std::less<>> names;
      for (const Function& one : kFunctions) names.emplace(one.name);
      problem(node,
              fmt::format("there is no function {}{}", node.text, suggestion(node.text, names)));
      return ValueKind::unknown();
    }
    if (node.operands.size() < function->least || node.operands.size() > function->most) {
      problem(node, function->least == function->most
                        ? fmt::format("{} takes {}, not {}", node.text,
                                      plural(function->least, "argument"), node.operands.size())
                        : fmt::format("{} takes at least {}", node.text,
                                      plural(function->least, "argument")));
      return ValueKind::unknown();
    }
    std::vector<ValueKind> kinds;
    for (const NodeIndex operand : node.operands) kinds.push_back(argument(*function, operand));
    return result_of(*function, node, kinds);
  }

  ValueKind argument(const Function& function, NodeIndex operand) {
    switch (function.takes) {
      case Argument::kLogic: return need(operand, ValueType::kLogic);
      case Argument::kNumber: return need(operand, ValueType::kNumber);
      case Argument::kAnything: return type(operand);
      case Argument::kText: break;
    }
    const ExpressionNode& node = expression_.node(operand);
    if (node.kind != Kind::kText) {
      problem(node, fmt::format("{} takes a text in double quotes", function.name));
      return ValueKind::unknown();
    }
    check_text(function.name, node);
    return ValueKind::text();
  }

  void check_text(std::string_view function, const ExpressionNode& node) {
    if (function == "expect" || function == "forbid") {
      const auto pattern = parse_pattern(node.text);
      if (!pattern) problem(node, pattern.error().message);
    } else if (function == "code") {
      const auto value = parse_code_value(node.text);
      if (!value) problem(node, value.error().message);
    } else if (function == "found") {
      if (find_rule(node.text) != nullptr) return;
      std::set<std::string, std::less<>> ids;
      for (const Rule& rule : rules()) ids.emplace(rule.id);
      problem(node, fmt::format("there is no rule {}{}", node.text, suggestion(node.text, ids)));
    } else if (function.starts_with("journal.") && !scope_.tasks.contains(node.text)) {
      problem(node, fmt::format("there is no task, option or known change {}{}", quote(node.text),
                                suggestion(node.text, scope_.tasks)));
    }
  }

  ValueKind result_of(const Function& function, const ExpressionNode& node,
                      const std::vector<ValueKind>& kinds) {
    if (function.gives == ValueType::kLogic) return ValueKind::logic();
    const bool keeps = is_one_of(function.name, {"min", "max", "clamp", "floor", "ceil", "pow2"});
    if (keeps) {
      for (std::size_t i = 1; i < kinds.size(); ++i) {
        if (kinds[0].any || kinds[i].any || kinds[i].dimension == kinds[0].dimension) continue;
        problem(expression_.node(node.operands[i]),
                fmt::format("this is {}, the first argument is {}", to_text(kinds[i].dimension),
                            to_text(kinds[0].dimension)));
      }
      return kinds[0];
    }
    ValueKind kind;
    kind.share = function.name == "fit.occupancy" || function.name == "journal.gain";
    return kind;
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
      if (is_one_of(node.text, {"expect", "forbid", "code", "found"})) return true;
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
