// SPDX-License-Identifier: Apache-2.0
//
// What patterns say of listings: the epilogue and the decoding loop of the guides whose checks
// docs/sass-patterns.md translates, and what happens where the code is not all known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/sass/expectations.h"
#include "analysis/sass/flow.h"
#include "base/input.h"
#include "readers/code/read_code.h"

namespace proofline::sass_expectations_test {
namespace {

// A line of a small program: an instruction, how often it is repeated, and its name for branches,
// which write it in braces: {"BRA {loop}"}.
struct Line {
  std::string text;
  int times = 1;
  std::string label = {};
};

std::string listing_of(const std::vector<Line>& lines) {
  std::map<std::string, int> labels;
  int address = 0;
  for (const Line& line : lines) {
    if (!line.label.empty()) labels[line.label] = address;
    address += 16 * line.times;
  }
  std::string listing = "\t\tFunction : kernel\n";
  address = 0;
  for (Line line : lines) {
    for (const auto& [label, target] : labels) {
      const std::size_t at = line.text.find("{" + label + "}");
      if (at != line.text.npos) {
        line.text.replace(at, label.size() + 2, fmt::format("0x{:x}", target));
      }
    }
    for (int i = 0; i < line.times; ++i, address += 16) {
      listing += fmt::format("        /*{:04x}*/  {} ;\n", address, line.text);
    }
  }
  return listing + "\t\t..........\n";
}

class Code {
 public:
  explicit Code(const std::vector<Line>& lines) {
    const std::string text = listing_of(lines);
    auto input = Input::from_memory(text, "listing", {});
    EXPECT_TRUE(input);
    auto listing = read_code(*input);
    EXPECT_TRUE(listing) << (listing ? "" : listing.error().message);
    if (!listing || listing->functions.size() != 1) return;
    function = std::move(listing->functions[0]);
    opcodes = std::move(listing->opcodes);
    scope.hot_loop = 0;
  }

  Expectation expect(std::string_view text) const { return check(text, false); }
  Expectation forbid(std::string_view text) const { return check(text, true); }

  CodeFunction function;
  OpcodeNames opcodes;
  PatternScope scope;

 private:
  Expectation check(std::string_view text, bool forbid) const {
    const auto pattern = parse_pattern(text);
    EXPECT_TRUE(pattern) << (pattern ? "" : pattern.error().message);
    if (!pattern) return {};
    return evaluate(*pattern, forbid, function, build_flow(function, opcodes), opcodes, scope);
  }
};

// Whatever the verdict, it says why.
std::string_view verdict(const Expectation& expectation) {
  EXPECT_FALSE(expectation.text.empty());
  return to_string(expectation.verdict);
}

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
  // The store lies before the load, but is branched to after it; the two roles never meet.
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

TEST(SassExpectations, RolesAreRegions) {
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

TEST(SassExpectations, EachRoleOfAKindIsMeant) {
  Code code = two_roles();
  (*code.scope.roles)[1].kind = RoleKind::kMma;
  EXPECT_EQ(code.expect("HGMMA in role mma").text, "no HGMMA in role mma (warp >= 1)");
  EXPECT_EQ(verdict(code.expect("EXIT in role mma")), "PASS");
  EXPECT_EQ(verdict(code.forbid("HGMMA in role mma")), "FAIL");
}

TEST(SassExpectations, WhatARoleRunsIsCertainWhereAllBranchesAre) {
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

TEST(SassExpectations, LoopsAreChosenByWhatTheyHave) {
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

TEST(SassExpectations, ALoopThatMayHaveItIsInDoubt) {
  Code code = two_roles();
  code.scope.partial.resize(code.function.instructions.size());
  code.scope.partial[5] = true;  // the LDS
  EXPECT_EQ(verdict(code.forbid("HGMMA in any loop with LDS.128")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("HGMMA in every loop with HGMMA|LDS.128")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("HGMMA in any loop with HGMMA|LDS.128")), "PASS");
}

TEST(SassExpectations, ResourcesAreThoseOfTheFileOrItsLaunches) {
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

TEST(SassExpectations, LiveRegistersAreTheMostInThePlace) {
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

TEST(SassExpectations, MbarriersArePaired) {
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

TEST(SassExpectations, SharesOfPredicatesAndLanes) {
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

// --- what is not known ---------------------------------------------------------------------------

TEST(SassExpectations, UnknownOpcodesCouldBeAnything) {
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

TEST(SassExpectations, AnOpcodeThatNoGenerationHasIsOfAnyClass) {
  const Code code({{"XYZZY.E R2, R3"}, {"EXIT"}});
  EXPECT_EQ(verdict(code.forbid("local-store")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("STL")), "PASS");
  EXPECT_EQ(verdict(code.expect("XYZZY*")), "PASS");
  EXPECT_EQ(verdict(code.expect("unknown = 1")), "PASS");
}

TEST(SassExpectations, ACutListingProvesOnlyWhatItShows) {
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

TEST(SassExpectations, BranchesToNobodyKnowsWhere) {
  const Code code({{"FADD R25, R25, R30"}, {"BRX R4 -0x10"}, {"STS [R5], R6"}, {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("FADD")), "PASS");
  EXPECT_EQ(verdict(code.forbid("STS")), "FAIL");
  EXPECT_EQ(verdict(code.forbid("STS after FADD")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("LDL")), "PASS");
}

TEST(SassExpectations, NamesThatLackModifiers) {
  Code code({{"STG.E desc[UR4][R4.64], R20", 2}, {"EXIT"}});
  EXPECT_EQ(verdict(code.expect("STG width >= 16")), "FAIL");
  EXPECT_EQ(verdict(code.expect("STG.E.128")), "FAIL");
  code.scope.partial = {true, true, false};
  EXPECT_EQ(verdict(code.expect("STG width >= 16")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("STG.E.128")), "UNKNOWN");
  EXPECT_EQ(verdict(code.expect("STG >= 2")), "PASS");
  EXPECT_EQ(verdict(code.expect("LDG.E.128")), "FAIL");
}

TEST(SassExpectations, WhatNobodyToldIsUnknown) {
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
TEST(SassExpectations, LoopsNestedOutOfAllProportionAreNotLookedAtOneByOne) {
  std::vector<Line> lines;
  constexpr int kLoops = 199;
  for (int i = 0; i < kLoops; ++i) lines.push_back({"FADD R2, R2, R3", 1, std::to_string(i)});
  for (int i = kLoops; i-- > 0;) lines.push_back({"@P0 BRA {" + std::to_string(i) + "}"});
  lines.push_back({"EXIT"});
  const Code code(lines);
  EXPECT_EQ(verdict(code.forbid("LDL in any loop")), "UNKNOWN");
  EXPECT_EQ(verdict(code.forbid("LDL in loop")), "PASS");
}

TEST(SassExpectations, OnlyTheFirstInstructionsAreKept) {
  const Code code({{"FADD R25, R25, R30", 1000}, {"EXIT"}});
  const Expectation many = code.expect("FADD");
  EXPECT_EQ(many.verdict, ExpectationVerdict::kPass);
  EXPECT_EQ(many.instructions.size(), Expectation::kMostInstructions);
  EXPECT_LT(many.text.size(), 200U);
}

TEST(SassExpectations, AnEmptyFunctionIsUnknown) {
  const auto pattern = parse_pattern("LDL");
  ASSERT_TRUE(pattern);
  const CodeFunction function;
  const OpcodeNames opcodes;
  EXPECT_EQ(evaluate(*pattern, true, function, {}, opcodes, {}).verdict,
            ExpectationVerdict::kUnknown);
}

}  // namespace
}  // namespace proofline::sass_expectations_test
