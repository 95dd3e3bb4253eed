// SPDX-License-Identifier: Apache-2.0
//
// Whether a function's machine code is as a pattern says. A verdict is definite: what an unknown
// opcode, a cut listing or a branch to nobody knows where could change is UNKNOWN.
//
// Order means one pass through the code: along the edges of the flow, but never back to a loop's
// header. "A > B" holds where some such path meets an A and then a B; "after A" is what lies behind
// an A on some such path. Calls are not followed: what a called function does counts in the whole
// function, but not in a loop and not in an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/flow.h"
#include "analysis/sass/pattern.h"
#include "model/code/listing.h"

namespace proofline {

// What other analyses know of the function.
struct PatternScope {
  std::uint32_t hot_loop = kNoLoop;             // in Flow::loops
  std::vector<bool> spill;                      // by instruction; empty: nobody told
  std::vector<bool> partial;                    // by instruction: its name lacks modifiers, maybe
  std::optional<std::uint32_t> staging_passes;  // into one tile of shared memory
  std::vector<std::optional<std::uint32_t>> loop_staging_passes;  // by loop
};

enum class ExpectationVerdict : std::uint8_t { kPass, kFail, kUnknown };

// "PASS", "FAIL", "UNKNOWN"
std::string_view to_string(ExpectationVerdict verdict);

struct Expectation {
  static constexpr std::size_t kMostInstructions = 16;

  ExpectationVerdict verdict = ExpectationVerdict::kUnknown;
  std::string text;                         // with the numbers and the first addresses
  std::vector<std::uint32_t> instructions;  // that it rests on: positions, the first few
};

// Where the pattern is expected it must hold; where it is forbidden it must not: no instruction may
// have such a width, no loop may be such, whether "any" or "every" loop was asked for.
Expectation evaluate(const Pattern& pattern, bool forbid, const CodeFunction& function,
                     const Flow& flow, const OpcodeNames& opcodes, const PatternScope& scope);

}  // namespace proofline
