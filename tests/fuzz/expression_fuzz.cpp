// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of playbooks' expressions. Whatever the text is, parsing must end in a problem
// with a place in it, or in a tree that can be typed and evaluated within its bounds.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "playbook/evaluate.h"
#include "playbook/expression.h"
#include "playbook/expression_types.h"
#include "promise.h"
#include "support/made_evidence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace proofline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ParsedExpression parsed = parse_expression(text);
  if (!parsed.ok()) {
    require(parsed.problems.front().at <= size, "the problem has a place in the text");
    return 0;
  }
  require(parsed.expression.nodes.size() <= Expression::kMostNodes, "the tree is bounded");
  const TypedExpression typed = type_expression(parsed.expression, {});
  for (const ExpressionProblem& one : typed.problems) {
    require(one.at <= size, "so has a problem of types");
  }
  if (!typed.problems.empty()) return 0;
  // Half of what it reads is there.
  MadeEvidence evidence;
  bool there = true;
  for (const ExpressionNode& node : parsed.expression.nodes) {
    if (node.kind != ExpressionNode::Kind::kFact) continue;
    if (there) evidence.facts[node.text] = {0.5, ""};
    there = !there;
  }
  if (typed.kind.type == ValueType::kLogic) {
    const Evaluation result = evaluate_logic(parsed.expression, {}, evidence);
    require(result.answer != Answer::kUnknown || !result.missing.empty(),
            "what is unknown says why");
  } else {
    const EvaluatedValue result = evaluate_value(parsed.expression, {}, evidence);
    require(result.value.has_value() || !result.missing.empty(), "what has no value says why");
  }
  return 0;
}
