// SPDX-License-Identifier: Apache-2.0
//
// What `--expect` and `--forbid` say of machine code, in one line each:
//
//   pattern  := claim [ "after" selector ] [ "in" place ]
//   claim    := selector                                at least one
//             | selector ( ( ">" | ">>" ) selector )+   each somewhere after, or directly after,
//                                                       the one before it
//             | bounded(selector)                       how many
//             | bounded(selector "width")               bytes that a thread moves, for each of them
//             | bounded(term [ "/" term ])
//   bounded(x) := [ number compare ] x [ compare number ]      with one bound at least
//   term     := ( "count" | "bytes" | "predicated" | "active-lanes" | "useful-lanes" )
//               "(" selector ")" | "passes" "(" "shared-store" ")" | "instructions" | "registers"
//             | "live" | "stack" | "shared" | "loops" | "working-loops" | "roles" | "mbarriers"
//             | "unpaired-mbarriers"
//   selector := name ( "|" name )*
//   compare  := ">=" | "<=" | ">" | "<" | "="
//   number   := digits [ "%" | "KiB" ]
//   place    := "function" | "role" kind | ( "any" | "every" ) "role"
//             | [ "any" | "every" ] "loop" [ address ] [ "with" selector ] [ "of" "role" kind ]
//   kind     := "load" | "mma" | "epilogue" | "other"
//
// A name is an opcode, with or without modifiers: those that are named must be there, in their
// order, so that STG.128 is STG.E.128 too but STS is not STSM; * matches any letters, ? one.
// Or it is a class of instructions ("shared-store"), `all`, `spill`, or PTX, which is turned into
// SASS. Upper and lower case are the same, except that of a class and an opcode of one name (fence,
// FENCE) small letters mean the class. Without a place the whole function is meant; "loop" alone is
// the hot one, of those that have the selector and are of the role where these are named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/sass/roles.h"
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

// Each must hold.
using PatternBounds = std::vector<PatternBound>;

bool hold(const PatternBounds& bounds, double value);
// ">= 2 and <= 8"
std::string to_text(const PatternBounds& bounds);

struct OrderClaim {
  // More of them adjacent would take more memory to follow.
  static constexpr std::size_t kMostInARun = 8;

  struct Step {
    Selector of;
    bool directly = false;  // the very next instruction; otherwise somewhere after
  };
  std::vector<Step> steps;
};

struct WidthClaim {
  Selector of;
  PatternBounds bounds;
};

struct ValueClaim {
  struct Term {
    enum class Measure : std::uint8_t {
      kCount,
      kBytes,
      kPasses,
      kPredicated,   // share of the instructions that are under a predicate
      kActiveLanes,  // share of the lanes of the warps that executed them
      kUsefulLanes,  // likewise: active, and their predicate held
      kRegisters,
      kLive,
      kStack,
      kShared,
      kLoops,
      kWorkingLoops,
      kRoles,
      kMbarriers,
      kUnpairedMbarriers,
    };

    Measure measure = Measure::kCount;
    Selector of;  // of those that are measured of instructions
  };

  Term value;
  std::optional<Term> divisor;
  PatternBounds bounds;
};

// As it is typed: "active-lanes(FADD)", "registers".
std::string to_text(const ValueClaim::Term& term);

struct PatternPlace {
  enum class Kind : std::uint8_t {
    kFunction,
    kHotLoop,
    kLoopAt,
    kAnyLoop,
    kEveryLoop,
    kRole,  // each of its kind
    kAnyRole,
    kEveryRole,
  };

  Kind kind = Kind::kFunction;
  std::uint64_t address = 0;     // of the header's first instruction, for kLoopAt
  std::optional<Selector> with;  // loops that have it, and not only in a loop inside them
  std::optional<RoleKind> role;  // of kRole, and of loops where it is named
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
// A value without bounds and the one place where it is measured, "count(HGMMA) in loop": a pattern
// whose claim is a ValueClaim, for measure_pattern (analysis/sass/expectations.h).
Result<Pattern> parse_code_value(std::string_view text);

}  // namespace proofline
