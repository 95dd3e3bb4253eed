// SPDX-License-Identifier: Apache-2.0
//
// The functions of expressions. Each is one row of the table in functions.cpp. The type check,
// lint, evaluation and `list functions`, from which docs/playbooks.md has its table, all read that
// row. No member has a default, so that a row that lacks one does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "playbook/expression_types.h"
#include "playbook/fact_source.h"
#include "playbook/typed_value.h"

namespace proofline {

// Joins the answers of conditions into one.
struct ConditionFunction {
  JoinAnswers join;
  bool negated;  // the answer is the opposite of the joined one
};

// known(x): the only function whose answer does not become UNKNOWN with its argument.
struct PresenceFunction {};

// What a function of numbers gives. A result like the arguments has their dimension, in which they
// must agree.
enum class NumberResult : std::uint8_t { kLogic, kLikeArguments, kPlain, kShareOfWhole };

struct NumberCall {
  std::string text;                 // as the playbook has it
  std::span<const double> numbers;  // as many as the function has parameters
  const EvidenceSide& side;
  const FactSource& source;
};

struct NumberFunction {
  NumberResult gives;
  // The value with the facts that were read for it, or what is missing; dimension and share follow
  // from `gives`.
  TypedValue (*compute)(const NumberCall& call);
};

// Asks the evidence about what one literal text names: a pattern, a rule, a task.
struct TextFunction {
  ValueKind gives;
  bool reads_kernel;  // the answer differs between the kernels of a playbook
  // What is wrong with the text; known before any evidence is read.
  std::optional<std::string> (*mistake)(const std::string& text, const ExpressionScope& scope);
  std::variant<LogicAnswer, FactAnswer> (*ask)(const FactSource& source, const EvidenceSide& side,
                                               const std::string& text);
};

using FunctionForm =
    std::variant<ConditionFunction, PresenceFunction, NumberFunction, TextFunction>;

struct ExpressionFunction {
  std::string_view signature;  // "clamp(x, low, high)"; a last "..." takes any number of arguments
  std::string_view help;       // one line for `list functions`
  FunctionForm form;

  std::string_view name() const { return signature.substr(0, signature.find('(')); }
  bool takes(std::size_t arguments) const;
  // "3 arguments", "at least 1 argument"
  std::string arity() const;
};

std::span<const ExpressionFunction> expression_functions();
// Null where there is none of this name.
const ExpressionFunction* find_function(std::string_view name);

}  // namespace proofline
