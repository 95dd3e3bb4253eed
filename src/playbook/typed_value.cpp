// SPDX-License-Identifier: Apache-2.0
#include "playbook/typed_value.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/regex_text.h"

namespace proofline {
namespace {

using Kind = ExpressionNode::Kind;

// 1000 ns and 1 us are the same, though their doubles in seconds are not.
bool is_same(const TypedValue& a, const TypedValue& b) {
  constexpr double kRounding = 1e-12;
  const double* x = a.number();
  const double* y = b.number();
  if (x == nullptr || y == nullptr) return a.value == b.value;
  return std::abs(*x - *y) <= kRounding * std::max(std::abs(*x), std::abs(*y));
}
bool is_at_most(const TypedValue& a, const TypedValue& b) {
  return *a.number() <= *b.number() || is_same(a, b);
}

Answer matches(const TypedValue& left, const TypedValue& pattern) {
  const auto* text = std::get_if<std::string>(&*left.value);
  const auto* regex = std::get_if<std::string>(&*pattern.value);
  if (text == nullptr || regex == nullptr) return Answer::kUnknown;
  const re2::RE2 compiled(*regex, re2::RE2::Quiet);
  if (!compiled.ok()) return Answer::kUnknown;
  return as_answer(re2::RE2::PartialMatch(regex_text(*text), compiled));
}

}  // namespace

void add_missing(std::vector<MissingFact>& to, const std::vector<MissingFact>& from) {
  for (const MissingFact& one : from) {
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
  }
}

void gather(TypedValue& to, const TypedValue& from) {
  to.facts.insert(to.facts.end(), from.facts.begin(), from.facts.end());
  add_missing(to.missing, from.missing);
}

TypedValue typed_value(const FactAnswer& said, std::string name) {
  TypedValue typed;
  if (!said.value) {
    typed.missing.push_back(said.missing);
    return typed;
  }
  const auto* number = std::get_if<double>(&*said.value);
  if (number != nullptr && !std::isfinite(*number)) {
    typed.missing.push_back({name, "it is not a finite number", ""});
    return typed;
  }
  typed.facts.push_back({std::move(name), *said.value, said.unit});
  typed.value = said.value;
  if (number == nullptr) return typed;
  const UnitScale scale = scale_of_unit(said.unit);
  typed.value = *number * scale.factor;
  typed.dimension = scale.dimension;
  typed.share = scale.share;
  typed.unit = said.unit;
  typed.factor = scale.factor;
  return typed;
}

Answer compare_values(Kind kind, const TypedValue& left, const std::vector<TypedValue>& others) {
  if (!left.value) return Answer::kUnknown;
  for (const TypedValue& other : others) {
    if (!other.value || other.value->index() != left.value->index()) return Answer::kUnknown;
  }
  if (kind == Kind::kMatches) return matches(left, others.front());
  if (kind == Kind::kOneOf) {
    return as_answer(std::any_of(others.begin(), others.end(),
                                 [&](const TypedValue& other) { return is_same(left, other); }));
  }
  const TypedValue& other = others.front();
  if (kind == Kind::kEqual) return as_answer(is_same(left, other));
  if (kind == Kind::kUnequal) return as_answer(!is_same(left, other));
  if (left.number() == nullptr) return Answer::kUnknown;
  switch (kind) {
    case Kind::kLess: return as_answer(!is_at_most(other, left));
    case Kind::kAtMost: return as_answer(is_at_most(left, other));
    case Kind::kMore: return as_answer(!is_at_most(left, other));
    case Kind::kAtLeast: return as_answer(is_at_most(other, left));
    case Kind::kBetween: return as_answer(is_at_most(other, left) && is_at_most(left, others[1]));
    default: return Answer::kUnknown;
  }
}

}  // namespace proofline
