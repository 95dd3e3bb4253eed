// SPDX-License-Identifier: Apache-2.0
//
// What patterns say where the code is not all known.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/expected_code.h"

namespace proofline::sass_expectation_doubts_test {
namespace {

using test_support::verdict;
using Code = test_support::ExpectedCode;
using Line = test_support::CodeLineText;

// --- what is not known ---------------------------------------------------------------------------

TEST(SassExpectationDoubts, UnknownOpcodesCouldBeAnything) {
  Code code({{"LDTM.x32 R4, tmem[UR12]"},
             {"FADD R25, R25, R30", 3},
             {"NOP"},
             {"STG.E.128 desc[UR4][R4.64], R20"},
             {"EXIT"}});
  code.function.instructions[4].opcode = kUnknownOpcode;
  EXPECT_EQ(verdict(code.expect("FADD >= 3")), "PASS");
  EXPECT_EQ(verdict(code.expect("FADD >= 4")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("FADD >= 5")), "FAIL");
  EXPECT_EQ(verdict(code.expect("FADD = 3")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("FADD <= 3")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("FADD")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("LDL")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("local-load")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("spill")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("LDTM > FADD > STG")), "PASS");
  EXPECT_EQ(verdict(code.expect("LDTM > F2FP > STG")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("LDTM > F2FP > LDS > STG")), "FAIL");
  EXPECT_EQ(verdict(code.expect("STG > FADD")), "FAIL");
  EXPECT_EQ(verdict(code.expect("STG width >= 16")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("STG width >= 32")), "FAIL");
  EXPECT_EQ(verdict(code.expect("count(all) = 7")), "PASS");
  EXPECT_EQ(code.forbid("LDL").text,
            "0 to 1 LDL in the function; for 1 instruction it cannot be told");
}

TEST(SassExpectationDoubts, AnOpcodeThatNoGenerationHasIsOfAnyClass) {
  const Code code({{"XYZZY.E R2, R3"}, {"EXIT"}});
  EXPECT_EQ(verdict(code.forbid("local-store")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("STL")), "PASS");
  EXPECT_EQ(verdict(code.expect("XYZZY*")), "PASS");
  EXPECT_EQ(verdict(code.expect("unknown = 1")), "PASS");
}

TEST(SassExpectationDoubts, ACutListingProvesOnlyWhatItShows) {
  Code code({{"FADD R25, R25, R30", 2}, {"STL [R1], R12"}, {"EXIT"}});
  code.function.complete = false;
  EXPECT_EQ(verdict(code.expect("FADD >= 2")), "PASS");
  EXPECT_EQ(verdict(code.expect("FADD >= 3")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("FADD = 2")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("FADD = 1")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("local-store")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("LDL")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("FADD > FFMA")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("count(FADD)/count(all) >= 0.5")), "UNKNOWN");
  EXPECT_EQ(code.forbid("LDL").text,
            "at least 0 LDL in the function; the listing of the function is cut");
}

TEST(SassExpectationDoubts, BranchesToNobodyKnowsWhere) {
  const Code code({{"FADD R25, R25, R30"}, {"BRX R4 -0x10"}, {"STS [R5], R6"}, {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("FADD")), "PASS");
  EXPECT_EQ(verdict(code.forbid("STS")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("STS after FADD")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("LDL")), "PASS");
}

TEST(SassExpectationDoubts, NamesThatLackModifiers) {
  Code code({{"STG.E desc[UR4][R4.64], R20", 2}, {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("STG width >= 16")), "FAIL");
  EXPECT_EQ(verdict(code.expect("STG.E.128")), "FAIL");
  code.scope.partial = {true, true, false};
  EXPECT_EQ(verdict(code.expect("STG width >= 16")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("STG.E.128")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("STG >= 2")), "PASS");
  EXPECT_EQ(verdict(code.expect("LDG.E.128")), "FAIL");
}

// Behind an array whose size the code does not tell.
TEST(SassExpectationDoubts, LocalMemoryOfUnclearUseMayBeASpill) {
  Code code({{"STL [R1+0x84], R12"}, {"LDL R12, [R1+0x84]"}, {"EXIT"}});
  code.scope.spill = {false, false, false};
  EXPECT_EQ(verdict(code.forbid("spill")), "PASS");
  code.scope.may_spill = {true, true, false};
  EXPECT_EQ(verdict(code.forbid("spill")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("bytes(spill) = 0")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("spill <= 2")), "PASS");
  code.scope.spill[0] = true;
  EXPECT_EQ(verdict(code.forbid("spill")), "FAIL");
}

TEST(SassExpectationDoubts, WhatNobodyToldIsUnknown) {
  const Code code({{"STL [R1+0x84], R12"}, {"UTMASTG.2D [UR12], [UR26]"}, {"EXIT"}});
  EXPECT_EQ(verdict(code.forbid("spill")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("passes(shared-store) <= 1")), "PASS");  // nothing is stored
  EXPECT_EQ(verdict(Code({{"STS [R5], R6"}, {"EXIT"}}).expect("passes(shared-store) <= 1")),
            "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("UTMASTG width >= 16")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("bytes(shared-store)/count(shared-store) >= 16")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("STS width >= 16")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("STS width < 16")), "PASS");
  EXPECT_EQ(verdict(code.expect("bytes(local-store) = 4")), "PASS");
}

// 199 loops, each around the next: the time to look at each would grow with the square.
TEST(SassExpectationDoubts, LoopsNestedOutOfAllProportionAreNotLookedAtOneByOne) {
  std::vector<Line> lines;
  constexpr int kLoops = 199;
  for (int i = 0; i < kLoops; ++i) lines.push_back({"FADD R2, R2, R3", 1, std::to_string(i)});
  for (int i = kLoops; i-- > 0;) lines.push_back({"@P0 BRA {" + std::to_string(i) + "}"});
  lines.push_back({"EXIT"});
  const Code code(lines);
  EXPECT_EQ(verdict(code.forbid("LDL in any loop")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("LDL in loop")), "PASS");
}

TEST(SassExpectationDoubts, OnlyTheFirstInstructionsAreKept) {
  const Code code({{"FADD R25, R25, R30", 1000}, {"EXIT"}});
  const Expectation many = code.expect("FADD");
  EXPECT_EQ(many.verdict, ExpectationVerdict::kPass);
  EXPECT_EQ(many.instructions.size(), Expectation::kMostInstructions);
  EXPECT_LT(many.text.size(), 200U);
}

TEST(SassExpectationDoubts, AnEmptyFunctionIsUnknown) {
  const auto pattern = parse_pattern("LDL");
  ASSERT_TRUE(pattern);
  const CodeFunction function;
  const OpcodeNames opcodes;
  EXPECT_EQ(evaluate(*pattern, true, function, {}, opcodes, {}).verdict,
            ExpectationVerdict::kUnknown);
}

}  // namespace
}  // namespace proofline::sass_expectation_doubts_test
