// SPDX-License-Identifier: Apache-2.0
//
// A value in the middle of an expression, with its dimension, its unit and what it was made of; and
// how two of them compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "playbook/dimension.h"
#include "playbook/evaluate.h"
#include "playbook/expression.h"
#include "playbook/fact_source.h"

namespace proofline {

// A value with what it is a value of; numbers in what expressions count in.
struct TypedValue {
  std::optional<AnswerValue> value;
  Dimension dimension;
  bool share = false;
  std::string unit;   // as the fact has it; "" computed
  double factor = 1;  // of that unit
  std::vector<FactReading> facts;
  std::vector<MissingFact> missing;

  const double* number() const { return value ? std::get_if<double>(&*value) : nullptr; }
};

// What is missing is told once.
void add_missing(std::vector<MissingFact>& to, const std::vector<MissingFact>& from);
// The facts and what is missing; not the value.
void gather(TypedValue& to, const TypedValue& from);

// A fact as expressions count; `name` as the expression has it.
TypedValue typed_value(const FactAnswer& said, std::string name);

inline Answer as_answer(bool value) { return value ? Answer::kTrue : Answer::kFalse; }

// Of a comparison's node: the left side with one value, two of a range, or several.
Answer compare_values(ExpressionNode::Kind kind, const TypedValue& left,
                      const std::vector<TypedValue>& others);

}  // namespace proofline
