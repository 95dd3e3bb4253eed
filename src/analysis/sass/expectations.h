// SPDX-License-Identifier: Apache-2.0
//
// Whether a function's machine code is as a pattern says. A verdict is definite: what an unknown
// opcode, a cut listing or an unresolved branch could change is UNKNOWN.
//
// Order means one pass through the code: along the edges of the flow, but never back to a loop's
// header. "A > B" holds where some such path meets an A and then a B, "A >> B" where B is the next
// instruction on it; "after A" is what is after an A on some such path. Calls are not followed:
// what a called function does counts in the whole function, but not in a loop and not in an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sass/flow.h"
#include "analysis/sass/lost_lanes.h"
#include "analysis/sass/pattern.h"
#include "analysis/sass/roles.h"
#include "model/code/listing.h"

namespace proofline {

// A warp role of the function.
struct PatternRole {
  RoleKind kind = RoleKind::kOther;
  std::string condition;                   // "warp == 8"
  std::optional<std::uint32_t> registers;  // set for it; nothing: it has the function's
};

struct PatternMbarriers {
  std::uint32_t barriers = 0;
  std::uint32_t unpaired = 0;  // somebody arrives and nobody waits, or the other way round
  std::uint32_t unplaced = 0;  // arrivals and waits that may be at any of them, or at others
  // Why one that looks unpaired may be paired; "" it is not.
  std::string in_doubt;
};

// What other analyses know of the function. Absent or empty: unknown.
struct PatternScope {
  std::uint32_t hot_loop = kNoLoop;             // in Flow::loops
  std::vector<bool> polling;                    // by loop
  std::vector<double> weights;                  // by block: samples, or executed instructions
  std::vector<bool> spill;                      // by instruction
  std::vector<bool> may_spill;                  // by instruction: local memory of unclear use
  std::vector<bool> partial;                    // by instruction: its name lacks modifiers, maybe
  std::optional<std::uint32_t> staging_passes;  // into one tile of shared memory
  std::vector<std::optional<std::uint32_t>> loop_staging_passes;  // by loop
  std::vector<std::uint16_t> live;                                // registers, by instruction
  std::vector<LaneCounts> lanes;                                  // by instruction
  std::optional<std::vector<PatternRole>> roles;
  std::vector<std::uint32_t> role_of;  // by block, in roles; kNoRole: none's
  std::optional<PatternMbarriers> mbarriers;
  // What launches of the function had: registers of a thread, shared memory of a block, at least
  // and at most.
  std::optional<std::uint32_t> launched_registers;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> launched_shared_bytes;
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
// have such a width, no loop or role may be such, whether "any" or "every" one was asked for.
Expectation evaluate(const Pattern& pattern, bool forbid, const CodeFunction& function,
                     const Flow& flow, const OpcodeNames& opcodes, const PatternScope& scope);

// A value in its one place: the number, or why it is unknown.
struct CodeNumber {
  std::optional<double> value;
  std::string text;  // "count(HGMMA) is 4 in loop 0x0320"
};
// Of a pattern of parse_code_value.
CodeNumber measure_pattern(const Pattern& pattern, const CodeFunction& function, const Flow& flow,
                           const OpcodeNames& opcodes, const PatternScope& scope);

}  // namespace proofline
