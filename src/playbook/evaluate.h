// SPDX-License-Identifier: Apache-2.0
//
// The answer of an expression over evidence: true, false or UNKNOWN, with the readings that decided
// it, or what is missing. An absent fact makes arithmetic and comparison UNKNOWN, and so does x/0;
// `false and UNKNOWN` is false. Only `known(x)` answers on absence.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "playbook/expression.h"
#include "playbook/fact_source.h"

namespace proofline {

struct FactReading {
  std::string name;  // with its side: "before.duration"
  AnswerValue value;
  std::string unit;
};

// One comparison, pattern, rule or check that the answer rests on.
struct Reading {
  std::string what;                  // a fact, or the text of what was computed
  std::optional<AnswerValue> value;  // in `unit`; absent: `text` says what was seen
  std::string unit;
  std::string op;                   // "<=", "in", "one of", "matches"; "" there was no comparison
  std::vector<AnswerValue> wanted;  // in `unit`; two of a range
  std::optional<double> before;  // in `unit`: the same fact before the change, if compared with it
  std::string text;
  Answer answer = Answer::kUnknown;  // of this comparison, as the whole expression takes it
  std::vector<FactReading> facts;    // that were read for it
};

struct Evaluation {
  Answer answer = Answer::kUnknown;
  std::vector<Reading> readings;
  std::vector<MissingFact> missing;
};

using Lets = std::map<std::string, Expression, std::less<>>;

Evaluation evaluate_logic(const Expression& expression, const Lets& lets, const FactSource& source);

// Of an expression that is no logic: a field of a report.
struct EvaluatedValue {
  std::optional<AnswerValue> value;
  std::string unit;
  std::vector<MissingFact> missing;
};
EvaluatedValue evaluate_value(const Expression& expression, const Lets& lets,
                              const FactSource& source);

}  // namespace proofline
