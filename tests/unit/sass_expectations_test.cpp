// SPDX-License-Identifier: Apache-2.0
//
// What patterns say of listings: the epilogue and the decoding loop of the guides whose checks
// docs/sass-patterns.md translates, order and bounds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/expected_code.h"

namespace proofline::sass_expectations_test {
namespace {

using test_support::verdict;
using Code = test_support::ExpectedCode;
using Line = test_support::CodeLineText;

// --- a GEMM's epilogue on sm_100, before and after its stores went past shared memory ------------

Code staged_epilogue() {
  return Code({{"S2R R0, SR_TID.X"},
               {"LDTM.x32 R4, tmem[UR12+0xa0]", 1, "loop"},
               {"FADD R25, R25, R30", 16},
               {"F2FP.BF16.F32.PACK_AB R22, R23, R22", 8},
               {"STS.128 [R9+0xb000], R20", 2},
               {"FENCE.VIEW.ASYNC.S"},
               {"WARPSYNC.ALL"},
               {"@P0 BRA {joined}"},
               {"DEPBAR.LE SB0, 0x0"},
               {"UTMASTG.2D [UR12], [UR26]"},
               {"UTMACMDFLUSH"},
               {"ISETP.NE.AND P1, PT, R0, RZ, PT", 1, "joined"},
               {"@P1 BRA {loop}"},
               {"EXIT"}});
}

Code direct_epilogue() {
  return Code({{"S2R R0, SR_TID.X"},
               {"LDTM.x32 R4, tmem[UR12+0xa0]", 1, "loop"},
               {"FADD R25, R25, R30", 16},
               {"F2FP.BF16.F32.PACK_AB R22, R23, R22", 8},
               {"STG.E.ENL2.256 desc[UR18][R20.64+0x20], R12, R16"},
               {"ISETP.NE.AND P1, PT, R0, RZ, PT"},
               {"@P1 BRA {loop}"},
               {"EXIT"}});
}

TEST(SassExpectations, TellTheTwoEpiloguesApart) {
  const Code staged = staged_epilogue();
  const Code direct = direct_epilogue();
  for (const char* order :
       {"LDTM > FADD > F2FP > STG.*256 in loop", "TCGEN05.LD > FADD > CVT > STG.E.V8 in loop"}) {
    EXPECT_EQ(verdict(staged.expect(order)), "FAIL") << order;
    EXPECT_EQ(verdict(direct.expect(order)), "PASS") << order;
  }
  for (const char* trace : {"FENCE|WARPSYNC|UTMASTG after LDTM in loop",
                            "FENCE.PROXY.ASYNC|BAR.SYNC.WARP|CP.ASYNC.BULK after TCGEN05.LD"}) {
    EXPECT_EQ(verdict(staged.forbid(trace)), "FAIL") << trace;
    EXPECT_EQ(verdict(direct.forbid(trace)), "PASS") << trace;
  }
  EXPECT_EQ(
      verdict(staged.expect("LDTM > FADD > F2FP > STS > FENCE > WARPSYNC > DEPBAR > UTMASTG > "
                            "UTMACMDFLUSH in loop")),
      "PASS");
  for (const char* count : {"FADD = 16 in loop", "F2FP = 8 in loop"}) {
    EXPECT_EQ(verdict(staged.expect(count)), "PASS") << count;
    EXPECT_EQ(verdict(direct.expect(count)), "PASS") << count;
  }
  EXPECT_EQ(verdict(staged.expect("STS = 2 in loop")), "PASS");
  EXPECT_EQ(verdict(direct.expect("STG = 1 in loop")), "PASS");
  EXPECT_EQ(verdict(direct.expect("STG width = 32 in loop")), "PASS");
  EXPECT_EQ(verdict(direct.expect("count(all) <= 30 in loop")), "PASS");
  EXPECT_EQ(verdict(staged.expect("count(all) <= 30 in loop")), "FAIL");
}

TEST(SassExpectations, SayWhatTheyRestOn) {
  const Code staged = staged_epilogue();
  EXPECT_EQ(staged.expect("LDTM > FADD > F2FP > STG.*256 in loop").text,
            "LDTM at 0x0010, then FADD at 0x0020, then F2FP at 0x0120, but then no STG.*256 in "
            "loop 0x0010");
  const Expectation fences = staged.forbid("FENCE|WARPSYNC|UTMASTG after LDTM in loop");
  EXPECT_EQ(fences.text,
            "3 FENCE|WARPSYNC|UTMASTG after LDTM in loop 0x0010: 0x01c0, 0x01d0, 0x0200");
  ASSERT_EQ(fences.instructions.size(), 3U);
  EXPECT_EQ(staged.function.instructions[fences.instructions[0]].address, 0x1c0U);
  EXPECT_EQ(staged.expect("FADD >= 20 in loop").text,
            "16 FADD in loop 0x0010, expected >= 20: 0x0020, 0x0030, 0x0040, 0x0050, 0x0060, "
            "0x0070, 0x0080, 0x0090, ...");
  EXPECT_EQ(staged.expect("HGMMA").text, "no HGMMA in the function");
}

// --- a loop that decodes weights, writes them to shared memory and multiplies, on sm_90 ----------

std::vector<Line> decoding_loop(const std::vector<Line>& stores) {
  std::vector<Line> lines = {{"LDG.E.128 R12, desc[UR4][R4.64+0x1800]", 1, "loop"},
                             {"LOP3.LUT R24, R6, R10, RZ, 0x3c, !PT", 4},
                             {"PRMT R25, R20, R6, R25", 4},
                             {"HMUL2.BF16_V2 R41, R59, R152", 4}};
  lines.insert(lines.end(), stores.begin(), stores.end());
  lines.insert(lines.end(), {{"FENCE.VIEW.ASYNC.S"},
                             {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                             {"WARPGROUP.ARRIVE"},
                             {"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR12], R24", 4},
                             {"WARPGROUP.DEPBAR.LE gsb0, 0x0"},
                             {"@P0 BRA {loop}"},
                             {"EXIT"}});
  return lines;
}

TEST(SassExpectations, TellAGoodDecodingLoopFromABadOne) {
  Code good(decoding_loop({{"STS.128 [R198+0xd000], R24", 2}}));
  Code bad(decoding_loop({{"F2F.BF16.F32 R3, R4", 12},
                          {"STL [R1+0x84], R12"},
                          {"STS [R37+0x4800], R24", 8},
                          {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                          {"LDS.128 R8, [R37]"},
                          {"STS.128 [R198+0xd000], R8", 2},
                          {"LDL R3, [R1+0x84]"}}));
  good.scope.loop_staging_passes = {1};
  bad.scope.loop_staging_passes = {2};
  good.scope.spill.resize(good.function.instructions.size());
  for (std::size_t i = 0; i < bad.function.instructions.size(); ++i) {
    const std::string& opcode = bad.opcodes[bad.function.instructions[i].opcode];
    bad.scope.spill.push_back(opcode == "STL" || opcode == "LDL");
  }
  for (const char* wanted : {"passes(shared-store) <= 1 in loop",  // B
                             "st.shared width >= 16 in loop",      // C
                             "bytes(shared-store)/count(shared-store) >= 16 in loop"}) {
    EXPECT_EQ(verdict(good.expect(wanted)), "PASS") << wanted;
    EXPECT_EQ(verdict(bad.expect(wanted)), "FAIL") << wanted;
  }
  for (const char* unwanted : {"STS > LDS > STS in loop",  // B
                               "STS width < 16 in loop",   // C
                               "spill",                    // D
                               "local-load|local-store in any loop", "cvt > 8 in loop"}) {
    EXPECT_EQ(verdict(good.forbid(unwanted)), "PASS") << unwanted;
    EXPECT_EQ(verdict(bad.forbid(unwanted)), "FAIL") << unwanted;
  }
  EXPECT_EQ(verdict(good.expect("LOP3|PRMT|SHF > HFMA2|HMUL2 > st.shared.v* > wgmma in loop")),
            "PASS");
  EXPECT_EQ(bad.expect("STS width >= 16 in loop").text,
            "8 of 10 STS in loop 0x0000 are 4 bytes wide, expected >= 16: 0x01a0, 0x01b0, 0x01c0, "
            "0x01d0, 0x01e0, 0x01f0, 0x0200, 0x0210");
  EXPECT_EQ(good.expect("count(tensor)/count(all) >= 0.5 in loop").text,
            "count(tensor)/count(all) is 0.1667 in loop 0x0000 (4 / 24), expected >= 0.5");
}

// --- regions -------------------------------------------------------------------------------------

TEST(SassExpectations, OrderFollowsBranchesNotAddresses) {
  // The store is before the load, but is branched to after it; the two roles never meet.
  const Code code({{"@P0 BRA {other}"},
                   {"BRA {load}"},
                   {"STG.E desc[UR4][R4.64], R20", 1, "store"},
                   {"EXIT"},
                   {"LDG.E R20, desc[UR4][R4.64]", 1, "load"},
                   {"BRA {store}"},
                   {"FFMA R2, R3, R4, R5", 1, "other"},
                   {"EXIT"},
                   {"STS [R5], R6"}});
  EXPECT_EQ(verdict(code.expect("LDG > STG")), "PASS");
  EXPECT_EQ(verdict(code.expect("STG > LDG")), "FAIL");
  EXPECT_EQ(verdict(code.expect("LDG > FFMA")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("FFMA after LDG")), "PASS");
  EXPECT_EQ(verdict(code.forbid("STS")), "PASS");  // nobody gets there
  EXPECT_EQ(verdict(code.forbid("STG after HGMMA")), "UNKNOWN");
}

TEST(SassExpectations, OrderIsThatOfOnePassThroughALoop) {
  const Code code({{"FADD R2, R2, R3", 1, "loop"},
                   {"LDG.E R20, desc[UR4][R4.64]"},
                   {"@P0 BRA {loop}"},
                   {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("LDG > FADD")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("FADD after LDG in loop")), "PASS");
}

TEST(SassExpectations, LoopsAreChosenByNameOrAddress) {
  Code code({{"LDG.E R20, desc[UR4][R4.64]", 1, "outer"},
             {"FFMA R2, R3, R4, R5", 1, "inner"},
             {"@P0 BRA {inner}"},
             {"@P1 BRA {outer}"},
             {"STG.E desc[UR4][R4.64], R20"},
             {"EXIT"}});
  code.scope.hot_loop = 1;
  EXPECT_EQ(verdict(code.forbid("LDG in loop")), "PASS");
  EXPECT_EQ(verdict(code.forbid("LDG in loop 0x0")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("LDG in loop 0x10")), "PASS");
  EXPECT_EQ(verdict(code.expect("LDG in any loop")), "PASS");
  EXPECT_EQ(verdict(code.expect("LDG in every loop")), "FAIL");
  EXPECT_EQ(verdict(code.expect("FFMA in every loop")), "PASS");
  EXPECT_EQ(verdict(code.forbid("LDG in every loop")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("STG in any loop")), "PASS");
  const Expectation nowhere = code.expect("FFMA in loop 0x40");
  EXPECT_EQ(nowhere.verdict, ExpectationVerdict::kUnknown);
  EXPECT_EQ(nowhere.text, "no loop begins at 0x0040, but at 0x0000, 0x0010");
  code.scope.hot_loop = kNoLoop;
  EXPECT_EQ(verdict(code.expect("FFMA in loop")), "UNKNOWN");
}

// Not the first of many loops: its reason says nothing of the one that was meant.
TEST(SassExpectations, OfLoopsThatAllFailTheOneThatCameFarthestIsTold) {
  Code code({{"FADD R6, R6, R7", 1, "first"},
             {"@P0 BRA {first}"},
             {"LOP3.LUT R2, R3, R4, R5, 0xc0, !PT", 1, "second"},
             {"FFMA R2, R3, R4, R5"},
             {"@P1 BRA {second}"},
             {"EXIT"}});
  EXPECT_EQ(code.expect("LOP3 > STS > FFMA in any loop").text,
            "LOP3 at 0x0020, but then no STS in loop 0x0020 (2 loops looked at)");
}

TEST(SassExpectations, AFunctionWithoutLoops) {
  Code code({{"FFMA R2, R3, R4, R5"}, {"EXIT"}});
  code.scope.hot_loop = kNoLoop;
  EXPECT_EQ(verdict(code.expect("FFMA in loop")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("LDL in loop")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("FFMA in every loop")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("FFMA in any loop")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("LDL in any loop")), "PASS");
}

TEST(SassExpectations, DirectlyBehindIsTheNextInstructionOnAPath) {
  const Code code({{"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR12], R24", 1, "loop"},
                   {"FADD R2, R2, R3"},
                   {"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR12], R24"},
                   {"@P0 BRA {wait}"},
                   {"STS [R5], R6"},
                   {"EXIT"},
                   {"LDS R6, [R5]", 1, "wait"},
                   {"FADD R2, R2, R3"},
                   {"FADD R2, R2, R3"},
                   {"@P1 BRA {loop}"},
                   {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("HGMMA >> FADD")), "PASS");
  EXPECT_EQ(verdict(code.expect("HGMMA >> BRA >> LDS")), "PASS");
  EXPECT_EQ(verdict(code.expect("HGMMA >> BRA >> STS")), "PASS");
  EXPECT_EQ(verdict(code.expect("HGMMA >> LDS")), "FAIL");
  EXPECT_EQ(verdict(code.expect("HGMMA > LDS >> FADD >> FADD")), "PASS");
  EXPECT_EQ(verdict(code.expect("FADD >> FADD >> FADD")), "FAIL");
  EXPECT_EQ(verdict(code.expect("BRA >> HGMMA")), "FAIL");  // not round the loop
  EXPECT_EQ(verdict(code.forbid("LDS >> FADD")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("LDS >> STS")), "PASS");
  EXPECT_EQ(code.expect("HGMMA > LDS >> FADD").text,
            "HGMMA at 0x0000, then LDS >> FADD at 0x0060 to 0x0070 in the function");
  EXPECT_EQ(code.expect("HGMMA > LDS >> STS").text,
            "HGMMA at 0x0000, but then no LDS >> STS in the function");
}

// What was begun on one path is not lost where another one, as far, comes in.
TEST(SassExpectations, DirectlyBehindWherePathsMeet) {
  const Code code({{"@P0 BRA {other}"},
                   {"FADD R2, R2, R3"},
                   {"BRA {join}"},
                   {"LDS R6, [R5]", 1, "other"},
                   {"STS [R5], R6", 1, "join"},
                   {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("LDS >> STS")), "PASS");
  EXPECT_EQ(verdict(code.expect("BRA >> STS")), "PASS");
  EXPECT_EQ(verdict(code.expect("FADD >> STS")), "FAIL");
}

TEST(SassExpectations, BothBoundsMustHold) {
  const Code code({{"FADD R2, R2, R3", 5}, {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("2 <= FADD <= 8")), "PASS");
  EXPECT_EQ(verdict(code.expect("2 <= FADD <= 4")), "FAIL");
  EXPECT_EQ(verdict(code.expect("6 <= FADD")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("2 <= FADD <= 8")), "FAIL");
  EXPECT_EQ(code.expect("2 <= FADD <= 4").text,
            "5 FADD in the function, expected >= 2 and <= 4: 0x0000, 0x0010, 0x0020, 0x0030, "
            "0x0040");
}

}  // namespace
}  // namespace proofline::sass_expectations_test
