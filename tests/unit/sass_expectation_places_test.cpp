// SPDX-License-Identifier: Apache-2.0
//
// Patterns of a place (roles, loops by what they have) and of values that no opcode tells:
// resources, live registers, mbarriers, predicates and lanes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/expected_code.h"

namespace proofline::sass_expectation_places_test {
namespace {

using test_support::verdict;
using Code = test_support::ExpectedCode;
using Line = test_support::CodeLineText;

// Two loops, one for each of two roles, which the test says.
Code two_roles() {
  Code code({{"@P0 BRA {epilogue}"},
             {"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR12], R24", 2, "mma"},
             {"@P1 BRA {mma}"},
             {"EXIT"},
             {"LDS R6, [R5]", 1, "epilogue"},
             {"@P2 STG.E.128 desc[UR4][R4.64], R20", 3},
             {"@P1 BRA {epilogue}"},
             {"EXIT"}});
  code.scope.roles = {{RoleKind::kMma, "warp == 0", 232}, {RoleKind::kEpilogue, "warp >= 1", {}}};
  code.scope.role_of = {kNoRole, 0, 0, 1, 1};
  code.scope.polling = {false, false};
  code.function.resources.registers = 168;
  return code;
}

TEST(SassExpectationPlaces, RolesAreRegions) {
  const Code code = two_roles();
  EXPECT_EQ(verdict(code.expect("STG = 3 in role epilogue")), "PASS");
  EXPECT_EQ(verdict(code.forbid("STG in role mma")), "PASS");
  EXPECT_EQ(verdict(code.expect("STG in every role")), "FAIL");
  EXPECT_EQ(verdict(code.expect("STG in any role")), "PASS");
  EXPECT_EQ(verdict(code.forbid("LDL in any role")), "PASS");
  EXPECT_EQ(verdict(code.expect("LDS > STG in role epilogue")), "PASS");
  EXPECT_EQ(verdict(code.expect("instructions <= 4 in role mma")), "PASS");
  EXPECT_EQ(verdict(code.expect("instructions <= 3 in role mma")), "FAIL");
  EXPECT_EQ(verdict(code.expect("loops = 1 in role mma")), "PASS");
  EXPECT_EQ(verdict(code.expect("roles = 2")), "PASS");
  EXPECT_EQ(verdict(code.expect("registers = 232 in role mma")), "PASS");
  EXPECT_EQ(verdict(code.expect("registers = 168 in role epilogue")), "PASS");
  EXPECT_EQ(verdict(code.expect("HGMMA in loop of role mma")), "PASS");
  EXPECT_EQ(verdict(code.expect("HGMMA in loop of role epilogue")), "FAIL");
  EXPECT_EQ(code.expect("STG = 3 in role epilogue").text,
            "3 STG in role epilogue, expected = 3: 0x0060, 0x0070, 0x0080");
  const Expectation none = code.expect("LDG in role load");
  EXPECT_EQ(none.verdict, ExpectationVerdict::kUnknown);
  EXPECT_EQ(none.text, "the function has no role load, but mma, epilogue");
}

TEST(SassExpectationPlaces, EachRoleOfAKindIsMeant) {
  Code code = two_roles();
  (*code.scope.roles)[1].kind = RoleKind::kMma;
  EXPECT_EQ(code.expect("HGMMA in role mma").text, "no HGMMA in role mma (warp >= 1)");
  EXPECT_EQ(verdict(code.expect("EXIT in role mma")), "PASS");
  EXPECT_EQ(verdict(code.forbid("HGMMA in role mma")), "FAIL");
}

TEST(SassExpectationPlaces, WhatARoleRunsIsCertainWhereAllBranchesAre) {
  Code code = two_roles();
  code.function.complete = false;
  EXPECT_EQ(verdict(code.expect("STG in role epilogue")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("LDL in any role")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("roles = 2")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("loops = 2")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("registers = 168")), "PASS");  // the file says so
  code.scope.roles = std::nullopt;
  EXPECT_EQ(verdict(code.expect("STG in role epilogue")), "UNKNOWN");
}

TEST(SassExpectationPlaces, LoopsAreChosenByWhatTheyHave) {
  Code code = two_roles();
  code.scope.hot_loop = 0;
  EXPECT_EQ(verdict(code.expect("STG = 3 in loop with LDS")), "PASS");
  EXPECT_EQ(verdict(code.forbid("STG in loop with HGMMA")), "PASS");
  EXPECT_EQ(verdict(code.expect("STG in every loop with LDS|HGMMA")), "FAIL");
  const Expectation none = code.expect("STG in loop with LDTM of role mma");
  EXPECT_EQ(none.verdict, ExpectationVerdict::kUnknown);
  EXPECT_EQ(none.text, "the function has no loop with LDTM of role mma");
  EXPECT_EQ(verdict(code.expect("STG in any loop with LDTM")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("STG in any loop with LDTM")), "PASS");
  // Of two, the hotter: by samples where there are any, otherwise by the work in it.
  EXPECT_EQ(verdict(code.expect("HGMMA in loop with BRA")), "PASS");
  code.scope.weights = {0, 10, 0, 90, 0};
  EXPECT_EQ(verdict(code.expect("STG in loop with BRA")), "PASS");
  code.scope.polling = {false, true};
  EXPECT_EQ(verdict(code.expect("HGMMA in loop with BRA")), "PASS");
  EXPECT_EQ(verdict(code.expect("working-loops = 1")), "PASS");
  EXPECT_EQ(verdict(code.expect("loops = 2")), "PASS");
}

TEST(SassExpectationPlaces, ALoopThatMayHaveItIsInDoubt) {
  Code code = two_roles();
  code.scope.partial.resize(code.function.instructions.size());
  code.scope.partial[5] = true;  // the LDS
  EXPECT_EQ(verdict(code.forbid("HGMMA in any loop with LDS.128")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("HGMMA in every loop with HGMMA|LDS.128")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("HGMMA in any loop with HGMMA|LDS.128")), "PASS");
}

TEST(SassExpectationPlaces, ResourcesAreThoseOfTheFileOrItsLaunches) {
  Code code({{"FADD R2, R2, R3"}, {"EXIT"}});
  for (const char* unknown : {"registers <= 64", "stack = 0", "shared <= 48KiB",
                              "unpaired-mbarriers = 0", "live <= 8", "active-lanes(all) >= 50%"}) {
    EXPECT_EQ(verdict(code.expect(unknown)), "UNKNOWN") << unknown;
    EXPECT_EQ(verdict(code.forbid(unknown)), "UNKNOWN") << unknown;
  }
  EXPECT_EQ(code.expect("registers <= 64").text,
            "registers is not known in the function, expected <= 64; a listing does not tell how "
            "many are allocated; a cubin or a report does");
  code.function.resources.registers = 40;
  code.function.resources.stack_bytes = 128;
  code.function.resources.shared_bytes = 1024;
  EXPECT_EQ(verdict(code.expect("registers <= 64")), "PASS");
  EXPECT_EQ(verdict(code.expect("registers <= 32")), "FAIL");
  EXPECT_EQ(verdict(code.expect("stack = 0")), "FAIL");
  EXPECT_EQ(verdict(code.expect("stack <= 128")), "PASS");
  EXPECT_EQ(verdict(code.expect("shared >= 1KiB")), "PASS");
  EXPECT_EQ(verdict(code.expect("shared < 1KiB")), "FAIL");
  EXPECT_EQ(verdict(code.expect("shared <= 48KiB")), "UNKNOWN");  // a launch may add some
  code.scope.launched_shared_bytes = {2048, 2048};
  EXPECT_EQ(verdict(code.expect("shared <= 48KiB")), "PASS");
  code.scope.launched_shared_bytes = {2048, 65536};
  EXPECT_EQ(verdict(code.expect("shared <= 48KiB")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("shared <= 64KiB")), "PASS");
}

TEST(SassExpectationPlaces, LiveRegistersAreTheMostInThePlace) {
  Code code(
      {{"FADD R2, R2, R3"}, {"FFMA R2, R3, R4, R5", 1, "loop"}, {"@P0 BRA {loop}"}, {"EXIT"}});
  code.scope.live = {9, 4, 3, 0};
  EXPECT_EQ(verdict(code.expect("live <= 9")), "PASS");
  EXPECT_EQ(verdict(code.expect("live <= 8")), "FAIL");
  EXPECT_EQ(verdict(code.expect("live <= 4 in loop")), "PASS");
  EXPECT_EQ(code.expect("live <= 8").instructions, std::vector<std::uint32_t>{0});
  code.function.instructions[1].opcode = kUnknownOpcode;
  EXPECT_EQ(verdict(code.expect("live <= 9")), "PASS");  // the flow of this test has no doubts
  code.function.complete = false;
  EXPECT_EQ(verdict(code.expect("live <= 9")), "UNKNOWN");
}

TEST(SassExpectationPlaces, MbarriersArePaired) {
  Code code({{"FADD R2, R2, R3"}, {"EXIT"}});
  code.scope.mbarriers = {4, 0, 0, ""};
  EXPECT_EQ(verdict(code.expect("mbarriers = 4")), "PASS");
  EXPECT_EQ(verdict(code.expect("unpaired-mbarriers = 0")), "PASS");
  code.scope.mbarriers->unpaired = 1;
  EXPECT_EQ(verdict(code.expect("unpaired-mbarriers = 0")), "FAIL");
  code.scope.mbarriers->unplaced = 2;  // may be what the other one waits for
  EXPECT_EQ(verdict(code.expect("unpaired-mbarriers = 0")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("unpaired-mbarriers <= 3")), "PASS");
  EXPECT_EQ(verdict(code.expect("mbarriers = 4")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("mbarriers <= 6")), "PASS");
  code.scope.mbarriers = {4, 1, 0, "it may be a stage of a ring"};
  EXPECT_EQ(code.expect("unpaired-mbarriers = 0").text,
            "unpaired-mbarriers is not known in the function, expected = 0; it may be a stage of a "
            "ring");
}

TEST(SassExpectationPlaces, SharesOfPredicatesAndLanes) {
  Code code({{"FADD R2, R2, R3"}, {"@P0 FADD R2, R2, R3"}, {"@!P0 STS [R5], R6"}, {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("predicated(FADD) = 50%")), "PASS");
  EXPECT_EQ(verdict(code.expect("predicated(all) <= 40%")), "FAIL");
  EXPECT_EQ(verdict(code.expect("predicated(LDS) <= 40%")), "UNKNOWN");
  EXPECT_EQ(code.expect("predicated(FADD) = 50%").text,
            "predicated(FADD) is 0.5 in the function, expected = 50%: 0x0010");
  code.scope.lanes = {{10, 320, 320}, {10, 160, 80}, {0, 0, 0}, {10, 320, 320}};
  EXPECT_EQ(verdict(code.expect("active-lanes(FADD) = 75%")), "PASS");
  EXPECT_EQ(verdict(code.expect("useful-lanes(FADD) = 62.5%")), "PASS");
  EXPECT_EQ(verdict(code.expect("useful-lanes(FADD) >= 90%")), "FAIL");
  const Expectation never = code.expect("active-lanes(STS) >= 50%");
  EXPECT_EQ(never.verdict, ExpectationVerdict::kUnknown);
  EXPECT_EQ(
      never.text,
      "active-lanes(STS) is not known in the function, expected >= 50%: 0x0020; none of them was "
      "executed");
}

}  // namespace
}  // namespace proofline::sass_expectation_places_test
