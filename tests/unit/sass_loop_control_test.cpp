// SPDX-License-Identifier: Apache-2.0
//
// What a loop does only to go round.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/loop_control.h"
#include "support/sass_program.h"

namespace proofline::sass_loop_control_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;

std::optional<std::uint32_t> control_of(const std::vector<std::string>& body) {
  std::vector<std::string> lines = {"MOV R0, RZ", "loop:"};
  lines.insert(lines.end(), body.begin(), body.end());
  lines.insert(lines.end(), {"STG.E desc[UR4][R20.64], R8", "EXIT"});
  SassProgram program = sass_program(lines);
  EXPECT_EQ(program.code.flow.loops.size(), 1U);
  return count_loop_control(program.code.function(), program.code.flow, program.code.opcodes(), 0);
}

TEST(LoopControl, IsTheBranchItsConditionAndTheSteps) {
  EXPECT_EQ(control_of({
                "LDG.E R4, desc[UR4][R2.64]",
                "FFMA R8, R4, R5, R8",
                "IADD3 R2, P1, R2, 0x4, RZ",         // an address of 64 bits: its low half
                "IADD3.X R3, R3, RZ, RZ, P1, !PT",   // and its high half
                "IADD3 R0, R0, 0x1, RZ",             // the counter
                "ISETP.GE.AND P0, PT, R0, UR6, PT",  // the condition
                "@!P0 BRA loop",
            }),
            5U);
}

TEST(LoopControl, IsNotASumOfWhatTheLoopLoads) {
  EXPECT_EQ(control_of({
                "LDG.E R4, desc[UR4][R2.64]",
                "IADD3 R8, R8, R4, RZ",
                "IADD3 R0, R0, 0x1, RZ",
                "ISETP.GE.AND P0, PT, R0, UR6, PT",
                "@!P0 BRA loop",
            }),
            3U);
}

TEST(LoopControl, IsNotAComparisonThatTheWorkReadsToo) {
  EXPECT_EQ(control_of({
                "FADD R8, R8, R5",
                "IADD3 R0, R0, 0x1, RZ",
                "ISETP.GE.AND P0, PT, R0, UR6, PT",
                "@P0 FMUL R8, R8, R5",
                "@!P0 BRA loop",
            }),
            2U);  // the counter and the branch
}

TEST(LoopControl, HasTheWholeConditionThatOnlyTheBranchReads) {
  EXPECT_EQ(control_of({
                "LDG.E R4, desc[UR4][R2.64]",
                "FADD R8, R8, R4",
                "FADD R9, R8, -R7",
                "FSETP.GT.AND P0, PT, R9, RZ, PT",
                "@P0 BRA loop",
            }),
            3U);
}

TEST(LoopControl, IsNotWhatTheCodeBehindTheLoopReads) {
  EXPECT_EQ(control_of({
                "LDG.E R4, desc[UR4][R2.64]",
                "FADD R8, R4, R7",  // stored after the loop
                "FSETP.GT.AND P0, PT, R8, RZ, PT",
                "@P0 BRA loop",
            }),
            2U);
}

}  // namespace
}  // namespace proofline::sass_loop_control_test
