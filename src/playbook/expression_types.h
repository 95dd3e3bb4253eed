// SPDX-License-Identifier: Apache-2.0
//
// What can be said of an expression before any evidence is read: unknown and outdated names, unlike
// types and dimensions, a share against a number above 1, wrong patterns and regular expressions.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "playbook/expression.h"
#include "playbook/fact_catalogue.h"

namespace proofline {

// What the playbook's own names mean.
struct ExpressionScope {
  std::map<std::string, ValueKind, std::less<>> lets;      // without "let."
  std::map<std::string, ValueKind, std::less<>> workload;  // without "workload."
  bool any_workload = false;  // keys may come from the command line too
  std::set<std::string, std::less<>> checks;
  std::set<std::string, std::less<>> cases;
  std::set<std::string, std::less<>> tasks;  // and options and what is known
};

struct TypedExpression {
  ValueKind kind;
  std::vector<ExpressionProblem> problems;
};

TypedExpression type_expression(const Expression& expression, const ExpressionScope& scope);

// The facts that it reads, by name, without those of `let`.
std::set<std::string> facts_of(const Expression& expression);
// Whether it reads what only a kernel has: its facts, its code, or what rules say of it.
bool reads_kernel(const Expression& expression,
                  const std::map<std::string, Expression, std::less<>>& lets);

}  // namespace proofline
