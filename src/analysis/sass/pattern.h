// SPDX-License-Identifier: Apache-2.0
//
// What `--expect` and `--forbid` say of machine code, in one line each:
//
//   pattern  := claim [ "after" selector ] [ "in" place ]
//   claim    := selector                              at least one
//             | selector ( ">" selector )+            each somewhere behind the one before it
//             | selector compare number               how many
//             | selector "width" compare number       bytes that a thread moves, for each of them
//             | term [ "/" term ] compare number
//   term     := ( "count" | "bytes" ) "(" selector ")" | "passes" "(" "shared-store" ")"
//   selector := name ( "|" name )*
//   compare  := ">=" | "<=" | ">" | "<" | "="
//   place    := "function" | "loop" [ address ] | "any" "loop" | "every" "loop"
//
// A name is an opcode, with or without modifiers: those that are named must be there, in their
// order, so that STG.128 is STG.E.128 too but STS is not STSM; * stands for any letters, ? for one.
// Or it is a class of instructions ("shared-store"), `all`, `spill`, or PTX, which is turned into
// SASS. Upper and lower case are the same, except that of a class and an opcode of one name (fence,
// FENCE) small letters mean the class. Without a place the whole function is meant; "loop" alone is
// the hot one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/mnemonics.h"
#include "base/result.h"

namespace proofline {

struct InstructionName {
  enum class Kind : std::uint8_t { kOpcode, kClass, kAll, kSpill };

  Kind kind = Kind::kOpcode;
  std::string opcode;                                          // with * and ?
  InstructionClass instructions = InstructionClass::kUnknown;  // of kClass
};

struct Selector {
  std::string text;  // in SASS: "HGMMA|QGMMA"
  std::vector<InstructionName> names;
};

struct PatternBound {
  enum class Comparison : std::uint8_t { kAtLeast, kAtMost, kMore, kLess, kEqual };

  Comparison comparison = Comparison::kAtLeast;
  double number = 1;
  std::string text = ">= 1";

  bool holds(double value) const;
};

struct OrderClaim {
  std::vector<Selector> steps;
};

struct WidthClaim {
  Selector of;
  PatternBound bound;
};

struct ValueClaim {
  struct Term {
    enum class Measure : std::uint8_t { kCount, kBytes, kPasses };

    Measure measure = Measure::kCount;
    Selector of;
  };

  Term value;
  std::optional<Term> divisor;
  PatternBound bound;
};

struct PatternPlace {
  enum class Kind : std::uint8_t { kFunction, kHotLoop, kLoopAt, kAnyLoop, kEveryLoop };

  Kind kind = Kind::kFunction;
  std::uint64_t address = 0;  // of the header's first instruction, for kLoopAt
};

struct Pattern {
  std::string text;  // as typed
  std::variant<OrderClaim, WidthClaim, ValueClaim> claim;
  std::optional<Selector> after;
  PatternPlace place;
  std::vector<std::string> remarks;  // a sentence for each name that was PTX
};

// An error says at which character, and what could have stood there.
Result<Pattern> parse_pattern(std::string_view text);

// Whether the opcode has the name's mnemonic and, in their order, its modifiers.
bool matches_opcode(std::string_view name, std::string_view opcode);

}  // namespace proofline
