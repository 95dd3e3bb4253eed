// SPDX-License-Identifier: Apache-2.0
//
// What an expression is evaluated over: facts by side, machine code, rules, other checks and the
// journal. Absent is not zero: whatever is not there comes with its reason and the command that
// would bring it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "arch/arch.h"
#include "playbook/expression.h"

namespace proofline {

// The three answers, in the order of Kleene's logic: all of them is the least, any the greatest.
enum class Answer : std::uint8_t { kFalse, kUnknown, kTrue };
std::string_view to_string(Answer answer);  // "false"

using JoinAnswers = Answer (*)(std::span<const Answer> answers);
Answer all_of(std::span<const Answer> answers);
Answer any_of(std::span<const Answer> answers);

using AnswerValue = std::variant<bool, double, std::string>;

struct MissingFact {
  std::string name;
  std::string reason;
  std::string command;  // "" where none would help

  friend bool operator==(const MissingFact&, const MissingFact&) = default;
};

struct FactAnswer {
  std::optional<AnswerValue> value;
  std::string unit;     // of a number
  MissingFact missing;  // where there is no value
};

struct LogicAnswer {
  Answer answer = Answer::kUnknown;
  std::string text;     // what was seen: "LDG at 0x0210, then STS at 0x0240"
  MissingFact missing;  // where it is unknown
};

// What a playbook may ask of the attempts at one of its tasks. All but the gain, a share, are
// logic.
enum class JournalQuestion : std::uint8_t { kTried, kKept, kReverted, kGain };
std::string_view to_string(JournalQuestion question);  // "tried"

class FactSource {
 public:
  virtual ~FactSource() = default;

  virtual FactAnswer fact(const EvidenceSide& side, const std::string& name) const = 0;
  // A pattern of `sass --expect` or `--forbid`.
  virtual LogicAnswer pattern(const EvidenceSide& side, const std::string& pattern,
                              bool forbid) const = 0;
  // A term of these patterns as a number: "count(LDG) in loop".
  virtual FactAnswer code(const EvidenceSide& side, const std::string& term) const = 0;
  // Whether a rule of the diagnosis found its cause.
  virtual LogicAnswer found(const EvidenceSide& side, const std::string& rule) const = 0;
  virtual LogicAnswer check(const std::string& id) const = 0;
  virtual FactAnswer journal(JournalQuestion question, const std::string& task) const = 0;
  // Null where the GPU is not known.
  virtual const SmLimits* limits(const EvidenceSide& side) const = 0;
};

}  // namespace proofline
