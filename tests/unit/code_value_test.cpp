// SPDX-License-Identifier: Apache-2.0
//
// Values of machine code as numbers: "count(HGMMA) in loop".
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/expectations.h"
#include "support/sass_program.h"

namespace proofline::code_value_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;

const std::vector<std::string> kLoop = {
    "LDG.E R4, desc[UR4][R2.64]",         // 0x00
    "loop:",                              //
    "HMMA.16816.F32 R8, R4, R6, R8",      // 0x10
    "@P1 HMMA.16816.F32 R8, R4, R6, R8",  // 0x20
    "IADD3 R0, R0, 0x1, RZ",              // 0x30
    "ISETP.GE.AND P0, PT, R0, UR6, PT",   // 0x40
    "@!P0 BRA loop",                      // 0x50
    "STG.E.128 desc[UR4][R20.64], R8",    // 0x60
    "EXIT",                               // 0x70
};

CodeNumber value_of(const std::vector<std::string>& lines, const std::string& text,
                    PatternScope scope = {}) {
  const auto pattern = parse_code_value(text);
  EXPECT_TRUE(pattern) << pattern.error().message;
  if (!pattern) return {};
  SassProgram program = sass_program(lines);
  if (!program.code.flow.loops.empty()) scope.hot_loop = 0;
  return measure_pattern(*pattern, program.code.function(), program.code.flow,
                         program.code.opcodes(), scope);
}

std::string error_of(const std::string& text) {
  const auto pattern = parse_code_value(text);
  EXPECT_FALSE(pattern) << text;
  return pattern ? "" : pattern.error().message;
}

TEST(CodeValue, IsANumberWithItsPlace) {
  const CodeNumber count = value_of(kLoop, "count(HMMA) in loop");
  EXPECT_EQ(count.value, 2);
  EXPECT_EQ(count.text, "count(HMMA) is 2 in loop 0x0010");
  EXPECT_EQ(value_of(kLoop, "count(LDG) in loop").value, 0);
  EXPECT_EQ(value_of(kLoop, "COUNT(ldg)").value, 1);
  EXPECT_EQ(value_of(kLoop, "bytes(STG)").value, 16);
  EXPECT_EQ(value_of(kLoop, "instructions in loop").value, 5);
  EXPECT_EQ(value_of(kLoop, "loops").value, 1);
  EXPECT_EQ(value_of(kLoop, "predicated(HMMA)").value, 0.5);
  EXPECT_EQ(value_of(kLoop, "count(STG) after HMMA").value, 1);
}

TEST(CodeValue, CanBeARatio) {
  const CodeNumber ratio = value_of(kLoop, "count(tensor)/count(all) in loop");
  EXPECT_EQ(ratio.value, 0.4);
  EXPECT_EQ(ratio.text, "count(tensor)/count(all) is 0.4 in loop 0x0010 (2 / 5)");
  const CodeNumber nothing = value_of(kLoop, "count(tensor)/count(HGMMA)");
  EXPECT_EQ(nothing.value, std::nullopt);
  EXPECT_NE(nothing.text.find("nothing to divide by"), std::string::npos);
}

TEST(CodeValue, IsAbsentWithTheReasonWhereNobodyCanTell) {
  EXPECT_NE(value_of(kLoop, "registers").text.find("a cubin or a report does"), std::string::npos);
  EXPECT_EQ(value_of(kLoop, "registers").value, std::nullopt);
  EXPECT_EQ(value_of({"EXIT"}, "count(HMMA) in loop").value, std::nullopt);
  EXPECT_EQ(value_of(kLoop, "count(FADD) after LDTM").text, "there is no LDTM to look behind");
  std::vector<std::string> unknown = kLoop;
  unknown.insert(unknown.begin(), "NEWOP R0, R1");
  const CodeNumber count = value_of(unknown, "count(global-store)");
  EXPECT_EQ(count.value, std::nullopt);
  EXPECT_EQ(count.text,
            "count(global-store) is 1 to 2 in the function; for 1 instruction it cannot be told");
}

TEST(CodeValue, IsOfOneRole) {
  PatternScope scope;
  scope.roles = {{RoleKind::kMma, "warp < 4", std::nullopt}, {RoleKind::kMma, "warp == 8", 40}};
  scope.role_of.assign(8, kNoRole);
  EXPECT_EQ(value_of(kLoop, "registers in role mma", scope).text,
            "there are 2 such roles, and a number is that of one");
  scope.roles->erase(scope.roles->begin());
  EXPECT_EQ(value_of(kLoop, "registers in role mma", scope).value, 40);
  EXPECT_EQ(value_of(kLoop, "registers in role load", scope).value, std::nullopt);
}

TEST(CodeValue, RefusesWhatIsNoNumber) {
  EXPECT_NE(error_of("HMMA in loop").find("expected count(...)"), std::string::npos);
  EXPECT_NE(error_of("count(HMMA) >= 4").find("expected \"after\", \"in\" or the end"),
            std::string::npos);
  EXPECT_NE(error_of("count(HMMA) in any loop").find("of one place"), std::string::npos);
  EXPECT_NE(error_of("count(HMMMA)").find("did you mean"), std::string::npos);
  EXPECT_NE(error_of("stack in loop").find("whole functions"), std::string::npos);
  EXPECT_NE(error_of("").find("expected"), std::string::npos);
  EXPECT_NE(error_of("count(" + std::string(2000, 'A') + ")").find("longer than"),
            std::string::npos);
}

}  // namespace
}  // namespace proofline::code_value_test
