// SPDX-License-Identifier: Apache-2.0
//
// An expression over facts, as playbooks write it, parsed into a tree:
//
//   expr    = and {"or" and}        and = not {"and" not}        not = ["not"] test
//   test    = sum [("<"|"<="|">"|">="|"=="|"!=") sum | "in" sum ".." sum
//                  | "in" "{" literal {"," literal} "}" | "~" string]
//   sum     = product {("+"|"-") product}    product = unary {("*"|"/") unary}
//   unary   = ["-"] atom
//   atom    = number [unit] | string | "(" expr ")"
//           | [side "."] (path | path "(" [expr {"," expr}] ")")
//   side    = "before" | "after" | "case" "[" id "]"
//   path    = name {"." name | "[" index "]"}       index = anything but "]"
//   name    = letter {letter | digit | "_" | "-" letter}
//
// A minus sign between names has blanks round it: names hold hyphens. Length and depth are bounded,
// so that a stranger's expression cannot take long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/dimension.h"

namespace proofline {

// Whose evidence a fact is looked up in.
struct EvidenceSide {
  enum class Kind : std::uint8_t { kAfter, kBefore, kCase };

  Kind kind = Kind::kAfter;
  std::string id;  // of the case

  friend bool operator==(const EvidenceSide&, const EvidenceSide&) = default;
};

using NodeIndex = std::uint32_t;

struct ExpressionNode {
  enum class Kind : std::uint8_t {
    kNumber,
    kText,
    kFact,
    kCall,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kLess,
    kAtMost,
    kMore,
    kAtLeast,
    kEqual,
    kUnequal,
    kBetween,  // operands: value, low, high
    kOneOf,    // operands: value, then the literals
    kMatches,  // operands: value, the regular expression
    kNot,
    kAnd,
    kOr,
  };

  Kind kind = Kind::kNumber;
  std::uint32_t begin = 0;  // bytes of the text that it means
  std::uint32_t end = 0;
  double number = 0;      // of kNumber: as written
  UnitScale unit;         // of kNumber
  std::string text;       // of kText; the path of kFact and kCall
  EvidenceSide side;      // of kFact and kCall
  bool has_side = false;  // one was written
  std::vector<NodeIndex> operands;
};

// Something wrong in an expression, at a byte of its text.
struct ExpressionProblem {
  std::uint32_t at = 0;
  std::string message;
};

struct Expression {
  static constexpr std::size_t kMostBytes = 4096;
  static constexpr std::size_t kMostDepth = 48;
  static constexpr std::size_t kMostNodes = 512;

  std::string text;
  std::vector<ExpressionNode> nodes;
  NodeIndex root = 0;

  const ExpressionNode& node(NodeIndex index) const { return nodes[index]; }
  std::string_view source(const ExpressionNode& node) const {
    return std::string_view(text).substr(node.begin, node.end - node.begin);
  }
};

// Where it cannot be parsed, the one problem is told and the expression is of no use.
struct ParsedExpression {
  Expression expression;
  std::vector<ExpressionProblem> problems;

  bool ok() const { return problems.empty(); }
};

ParsedExpression parse_expression(std::string_view text);

// Whether a text is a name of the grammar, as ids of items have to be so that expressions can
// speak of them.
bool is_expression_name(std::string_view text);

}  // namespace proofline
