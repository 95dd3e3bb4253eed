// SPDX-License-Identifier: Apache-2.0
//
// Warp roles: which branches make them, what they do and where they meet.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/sass/roles.h"
#include "support/sass_program.h"

namespace proofline::sass_roles_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;
using Lines = std::vector<std::string>;

Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// R0 becomes the warp, the same register in all lanes.
const Lines kWarpIndex = {
    "S2R R23, SR_TID.X",
    "SHF.R.U32.HI R0, RZ, 0x5, R23",
    "SHFL.IDX PT, R0, R0, RZ, 0x1f",
};
const Lines kLoad = {
    "load:",
    "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R0",
    "@!P0 BRA load",
    "UTMALDG.2D [UR8], [UR4], desc[UR6]",
    "ISETP.LE.U32.AND P0, PT, R4, UR8, PT",
    "@!P0 BRA load",
};
const Lines kMultiply = {
    "multiply:",         "HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24, gsb0",
    "STS.128 [R2], R24", "ISETP.LE.U32.AND P0, PT, R4, UR8, PT",
    "@!P0 BRA multiply",
};
const Lines kStore = {
    "store:",
    "LDS.128 R8, [R2]",
    "F2FP.BF16.F32.PACK_AB R8, R9, R8",
    "STG.E.128 desc[UR6][R20.64], R8",
    "ISETP.LE.U32.AND P0, PT, R4, UR8, PT",
    "@!P0 BRA store",
};
const Lines kExit = {"EXIT"};

// What a kernel with an `if` for each role becomes.
Lines separate_roles(const Lines& load, const Lines& multiply, const Lines& store) {
  return kWarpIndex +
         Lines{
             "BAR.SYNC.DEFER_BLOCKING 0x0",
             "ISETP.NE.AND P0, PT, R0, 0x8, PT",
             "@!P0 BRA load",
             "ISETP.GE.U32.AND P0, PT, R0, 0x4, PT",
             "@!P0 BRA multiply",
         } +
         store + kExit + multiply + kExit + load + kExit;
}

std::vector<std::string> kinds(const Roles& roles) {
  std::vector<std::string> kinds;
  for (const Role& role : roles.roles) {
    kinds.push_back(std::string(to_string(role.kind)) + ": " + role.condition);
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

TEST(SassRoles, SeparatesLoadMultiplyAndEpilogueUnderBranchesOnTheWarp) {
  const SassProgram program = sass_program(separate_roles(kLoad, kMultiply, kStore));
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(roles.verdict, RoleVerdict::kSeparate);
  EXPECT_EQ(kinds(roles),
            (std::vector<std::string>{"epilogue: warp != 8 and warp >= 4", "load: warp == 8",
                                      "mma: warp != 8 and warp < 4"}));
  EXPECT_TRUE(roles.shared.empty());
  EXPECT_TRUE(roles.barriers.empty());
  const Role& load = roles.roles.at(roles.role_of.at(program.block("load")));
  EXPECT_EQ(load.entries, std::vector{program.block("load")});
  EXPECT_EQ(load.instructions, 6U);
  EXPECT_EQ(load.count(InstructionClass::kBulkCopy), 1U);
  EXPECT_EQ(roles.role_of.at(0), kNoRole);
}

TEST(SassRoles, JoinsRolesThatMeetInEveryRoundOfOneLoop) {
  const SassProgram program =
      sass_program(kWarpIndex + Lines{
                                    "tile:",
                                    "ISETP.NE.AND P1, PT, R0, 0x8, PT",
                                    "@P1 BRA loaded",
                                    "UBLKCP.S.G [UR12], [UR4], UR14",
                                    "loaded:",
                                    "BAR.SYNC.DEFER_BLOCKING 0x0",
                                    "ISETP.GT.U32.AND P0, PT, R0, 0x3, PT",
                                    "@P0 BRA multiplied",
                                    "HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24, gsb0",
                                    "STS.128 [R3], R24",
                                    "multiplied:",
                                    "BAR.SYNC.DEFER_BLOCKING 0x0",
                                    "LOP3.LUT R7, R0, 0xfffffffc, RZ, 0xc0, !PT",
                                    "ISETP.NE.AND P0, PT, R7, 0x4, PT",
                                    "@P0 BRA stored",
                                    "LDS.128 R12, [R3]",
                                    "STG.E.128 desc[UR6][R20.64], R12",
                                    "stored:",
                                    "BAR.SYNC.DEFER_BLOCKING 0x0",
                                    "ISETP.LE.U32.AND P0, PT, R4, UR6, PT",
                                    "@!P0 BRA tile",
                                    "EXIT",
                                });
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(roles.verdict, RoleVerdict::kJoined);
  EXPECT_EQ(kinds(roles), (std::vector<std::string>{"epilogue: (warp & 0xfffffffc) == 4",
                                                    "load: warp == 8", "mma: warp <= 3"}));
  EXPECT_EQ(roles.shared, (std::vector{program.block("tile"), program.block("loaded"),
                                       program.block("multiplied"), program.block("stored")}));
  ASSERT_EQ(roles.barriers.size(), 1U);
  EXPECT_EQ(roles.barriers[0].number, 0U);
  EXPECT_EQ(roles.barriers[0].threads, std::nullopt);
  EXPECT_TRUE(roles.barriers[0].in_loop);
  EXPECT_EQ(roles.barriers[0].instructions.size(), 3U);
  EXPECT_EQ(roles.barriers[0].roles.size(), 3U);
}

TEST(SassRoles, NamedBarriersAreMeetingsThatDoNotJoin) {
  Lines load = kLoad;
  Lines multiply = kMultiply;
  load.insert(load.begin() + 1, "BAR.SYNC.DEFER_BLOCKING 0x2, 0xa0");
  multiply.insert(multiply.begin() + 1, "BAR.ARV 0x2, 0xa0");
  const SassProgram program = sass_program(separate_roles(load, multiply, kStore));
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(roles.verdict, RoleVerdict::kSeparate);
  ASSERT_EQ(roles.barriers.size(), 1U);
  EXPECT_EQ(roles.barriers[0].number, 2U);
  EXPECT_EQ(roles.barriers[0].threads, 160U);
  EXPECT_EQ(roles.barriers[0].roles.size(), 2U);
}

TEST(SassRoles, ABarrierOfTheWholeBlockInEachRolesLoopJoins) {
  const auto with_barrier = [](Lines lines) {
    lines.insert(lines.begin() + 1, "BAR.SYNC.DEFER_BLOCKING 0x0");
    return lines;
  };
  const SassProgram program = sass_program(
      separate_roles(with_barrier(kLoad), with_barrier(kMultiply), with_barrier(kStore)));
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(roles.verdict, RoleVerdict::kJoined);
  EXPECT_TRUE(roles.shared.empty());
  EXPECT_EQ(roles.barriers.at(0).roles.size(), 3U);
}

TEST(SassRoles, TheEndOfTheKernelIsNoMeetingUnlessWorkIsLeftThere) {
  const Lines start = kWarpIndex + Lines{
                                       "ISETP.NE.AND P0, PT, R0, RZ, PT",
                                       "@!P0 BRA load",
                                   };
  const Lines end = {"BRA end"};
  const Lines tail = {"end:", "BAR.SYNC.DEFER_BLOCKING 0x0", "UTCATOMSWS.AND URZ, UR5", "EXIT"};
  const SassProgram program = sass_program(start + kMultiply + end + kLoad + end + tail);
  EXPECT_EQ(find_roles(*program.values).verdict, RoleVerdict::kSeparate);

  const Lines more = {"end:", "HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24, gsb0", "EXIT"};
  const SassProgram joined = sass_program(start + kMultiply + end + kLoad + end + more);
  const Roles roles = find_roles(*joined.values);
  EXPECT_EQ(roles.verdict, RoleVerdict::kJoined);
  EXPECT_EQ(roles.shared, std::vector{joined.block("end")});
}

TEST(SassRoles, ThreadBoundsAtWarpsAndRegisterReallocationBelongToRoles) {
  const Lines lines =
      Lines{
          "S2R R3, SR_TID.X",
          "ISETP.GT.U32.AND P0, PT, R3, 0x7f, PT",
          "@P0 BRA consumer",
          "USETMAXREG.DEALLOC.CTAPOOL 0x28",
      } +
      kLoad + kExit + Lines{"consumer:", "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8"} + kMultiply +
      kExit;
  const SassProgram program = sass_program(lines);
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(kinds(roles), (std::vector<std::string>{"load: tid <= 127", "mma: tid > 127"}));
  EXPECT_EQ(roles.roles.at(roles.role_of[program.block("load")]).registers, 40U);
  EXPECT_EQ(roles.roles.at(roles.role_of[program.block("multiply")]).registers, 232U);
}

TEST(SassRoles, KnowTheirWarpsWhereALaunchTellsTheBlock) {
  const auto warps = [](const Lines& lines, const BlockShape& block) {
    const SassProgram program = sass_program(lines);
    std::vector<std::uint32_t> counts;
    for (const Role& role : find_roles(*program.values, block).roles) {
      counts.push_back(role.warps.value_or(0));
    }
    return counts;
  };
  const Lines lines = separate_roles(kLoad, kMultiply, kStore);
  using Counts = std::vector<std::uint32_t>;
  // Warp 8 loads, warps 0 to 3 multiply, the others are the epilogue.
  EXPECT_EQ(warps(lines, {288, 1, 1, true}), (Counts{1, 4, 4}));
  EXPECT_EQ(warps(lines, {320, 1, 1, true}), (Counts{1, 4, 5}));
  EXPECT_EQ(warps(lines, {288, 1, 1, false}), (Counts{0, 0, 0})) << "a bound is not a size";
  EXPECT_EQ(warps(lines, {288, 2, 1, true}), (Counts{0, 0, 0})) << "warps of other rows";
}

TEST(SassRoles, TheConditionOfSeveralWarpsSaysWhatHoldsAroundIt) {
  // The first warp of each warpgroup, but only in one that does not multiply.
  const Lines lines =
      Lines{
          "S2R R23, SR_TID.X",
          "SHF.R.U32.HI R0, RZ, 0x5, R23",
          "SHFL.IDX PT, R0, R0, RZ, 0x1f",
          "ISETP.GE.U32.AND P0, PT, R0, 0x4, PT",
          "@P0 BRA multiply",
          "LOP3.LUT P1, RZ, R0, 0x3, RZ, 0xc0, !PT",
          "@P1 EXIT",
      } +
      kLoad + kExit + kMultiply + kExit;
  const SassProgram program = sass_program(lines);
  EXPECT_EQ(kinds(find_roles(*program.values)),
            (std::vector<std::string>{"load: warp < 4 and (warp & 0x3) == 0", "mma: warp >= 4"}));
}

TEST(SassRoles, HowMuchIsLeftForAWarpIsNoRole) {
  // Each warp copies what begins at its own index; the rest of four is unrolled apart.
  const Lines lines = kWarpIndex +
                      Lines{
                          "IMAD.HI.U32 R5, R0, 0x55555556, R0",
                          "LOP3.LUT R6, R5, 0x7f, R0, 0x78, !PT",
                          "IMAD.HI.U32 R7, R6, 0x33333334, R5",
                          "LOP3.LUT P0, RZ, R7, 0x3, RZ, 0xc0, !PT",
                          "@!P0 BRA store",
                          "copy:",
                          "LDG.E R4, desc[UR4][R2.64]",
                          "STS [R9], R4",
                          "ISETP.LE.U32.AND P0, PT, R4, UR8, PT",
                          "@!P0 BRA copy",
                      } +
                      kStore + kExit;
  const SassProgram program = sass_program(lines);
  EXPECT_EQ(kinds(find_roles(*program.values)), (std::vector<std::string>{}));
}

TEST(SassRoles, AUniformPredicateMakesRolesToo) {
  const SassProgram program = sass_program(Lines{
                                               "S2R R3, SR_TID.X",
                                               "SHF.R.U32.HI R3, RZ, 0x5, R3",
                                               "R2UR UR5, R3",
                                               "UISETP.NE.AND UP0, UPT, UR5, 0x4, UPT",
                                               "BRA.U UP0, multiply",
                                           } +
                                           kLoad + kExit + kMultiply + kExit);
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(kinds(roles), (std::vector<std::string>{"load: warp == 4", "mma: warp != 4"}));
}

TEST(SassRoles, AJumpTableIndexedByTheWarpMakesARoleOfEachWay) {
  SassProgram program = sass_program(kWarpIndex +
                                     Lines{
                                         "VIADDMNMX.U32 R0, R0, 0xfffffffc, 0x2, PT",
                                         "IMAD.SHL.U32 R0, R0, 0x4, RZ",
                                         "LDC R2, c[0x2][R0]",
                                         "jump:",
                                         "BRX R2 -0x60",
                                     } +
                                     kLoad + kExit + kMultiply + kExit + kStore + kExit);
  const auto address = [&](const std::string& label) { return program.labels.at(label) * 16; };
  program.code.function().branch_targets = {
      {address("jump"), {address("load"), address("multiply"), address("store")}}};
  program.analyse();
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(roles.verdict, RoleVerdict::kSeparate);
  EXPECT_EQ(kinds(roles),
            (std::vector<std::string>{"epilogue: way 3 of the branch on the warp at 0x60",
                                      "load: way 1 of the branch on the warp at 0x60",
                                      "mma: way 2 of the branch on the warp at 0x60"}));
}

TEST(SassRoles, AnEpilogueMayLoadMoreThanItStores) {
  const SassProgram program = sass_program(
      kWarpIndex + Lines{"ISETP.NE.AND P0, PT, R0, RZ, PT", "@P0 BRA store"} + kMultiply + kExit +
      Lines{
          "store:",
          "LDTM.x16 R4, tmem[UR5]",
          "LDG.E.128.CONSTANT R32, desc[UR8][R2.64]",
          "LDG.E.128.CONSTANT R36, desc[UR8][R2.64+0x10]",
          "LDG.E.128.CONSTANT R40, desc[UR8][R2.64+0x20]",
          "STG.E.128 desc[UR8][R20.64], R4",
          "EXIT",
      });
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(kinds(roles), (std::vector<std::string>{"epilogue: warp != 0", "mma: warp == 0"}));
}

TEST(SassRoles, ChoicesOfLanesBlocksAndDataAreNoRoles) {
  const std::vector<Lines> choices = {
      {"ELECT P0, URZ, PT"},
      {"S2R R3, SR_LANEID", "ISETP.NE.AND P0, PT, R3, RZ, PT"},
      {"S2R R3, SR_TID.X", "LOP3.LUT P0, RZ, R3, 0x1f, RZ, 0xc0, !PT"},
      {"S2R R3, SR_CTAID.X", "ISETP.GE.U32.AND P0, PT, R3, 0x4, PT"},
      // One warp of the grid, not of the block.
      {"S2R R3, SR_TID.X", "S2R R2, SR_CTAID.X", "IMAD R3, R2, c[0x0][0x0], R3",
       "SHF.R.U32.HI R3, RZ, 0x5, R3", "ISETP.GE.U32.AND P0, PT, R3, 0x4, PT"},
      // A bound known only at run time.
      {"S2R R3, SR_TID.X", "ISETP.GE.U32.AND P0, PT, R3, c[0x0][0x228], PT"},
      {"LDG.E R3, [R4.64]", "ISETP.GE.U32.AND P0, PT, R3, 0x4, PT"},
      // Four times the thread's index, over 32: eight threads have the same.
      {"S2R R3, SR_TID.X", "IMAD.SHL.U32 R3, R3, 0x4, RZ", "SHF.R.U32.HI R3, RZ, 0x5, R3",
       "ISETP.GE.U32.AND P0, PT, R3, 0x4, PT"},
  };
  for (const Lines& choice : choices) {
    const SassProgram program =
        sass_program(choice + Lines{"@P0 BRA multiply"} + kLoad + kExit + kMultiply + kExit);
    EXPECT_EQ(find_roles(*program.values).verdict, RoleVerdict::kNone) << choice.back();
  }
}

TEST(SassRoles, AWarpThatStartsTheCopiesAndMultipliesWithTheOthersHasNoRole) {
  const SassProgram program =
      sass_program(kWarpIndex + Lines{
                                    "ISETP.NE.AND P0, PT, R0, RZ, PT",
                                    "@P0 BRA ready",
                                    "SYNCS.EXCH.64 URZ, [UR8], UR4",
                                    "UTMALDG.2D [UR8], [UR4], desc[UR6]",
                                    "ready:",
                                    "BAR.SYNC.DEFER_BLOCKING 0x0",
                                    "tile:",
                                    "ISETP.NE.AND P0, PT, R0, RZ, PT",
                                    "@P0 BRA multiply",
                                    "UTMALDG.2D [UR8], [UR4], desc[UR6]",
                                    "multiply:",
                                    "HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24, gsb0",
                                    "ISETP.LE.U32.AND P0, PT, R4, UR6, PT",
                                    "@!P0 BRA tile",
                                    "EXIT",
                                });
  EXPECT_EQ(find_roles(*program.values).verdict, RoleVerdict::kNone);
}

TEST(SassRoles, ATestThatAllThreadsPassOrNoneIsNoChoice) {
  const auto guarded = [](const std::string& test) {
    return sass_program(Lines{"S2R R3, SR_TID.X", test, "@P0 BRA multiply"} + kLoad + kExit +
                        kMultiply + kExit);
  };
  const SassProgram large = guarded("ISETP.GT.U32.AND P0, PT, R3, 0x1ff, PT");
  EXPECT_EQ(find_roles(*large.values).roles.size(), 2U);
  EXPECT_EQ(find_roles(*large.values, BlockShape::of_threads(1024)).roles.size(), 2U);
  EXPECT_EQ(find_roles(*large.values, BlockShape::of_threads(512)).verdict, RoleVerdict::kNone);
  EXPECT_EQ(find_roles(*large.values, {128, 8, 1, true}).verdict, RoleVerdict::kNone);
  const SassProgram beyond = guarded("ISETP.GT.U32.AND P0, PT, R3, 0x7ff, PT");
  EXPECT_EQ(find_roles(*beyond.values).verdict, RoleVerdict::kNone) << "no block is so large";
  const SassProgram other = guarded("ISETP.NE.AND P0, PT, R3, 0x80, PT");
  EXPECT_EQ(find_roles(*other.values, BlockShape::of_threads(128)).verdict, RoleVerdict::kNone);
}

TEST(SassRoles, ByRowsOfTheBlockAreRoles) {
  const SassProgram program = sass_program(
      Lines{"S2R R3, SR_TID.Y", "ISETP.NE.AND P0, PT, R3, RZ, PT", "@P0 BRA multiply"} + kLoad +
      kExit + kMultiply + kExit);
  EXPECT_EQ(kinds(find_roles(*program.values)),
            (std::vector<std::string>{"load: tid.y == 0", "mma: tid.y != 0"}));
  EXPECT_EQ(find_roles(*program.values, {32, 4, 1, true}).roles.size(), 2U);
  EXPECT_EQ(find_roles(*program.values, {32, 1, 1, true}).verdict, RoleVerdict::kNone)
      << "all have that row";
}

TEST(SassRoles, TheTestBeforeAStridedLoopIsNone) {
  const auto strided = [](const std::string& counter) {
    return sass_program(Lines{
                            "S2R R3, SR_TID.X",
                            "MOV R5, RZ",
                            "ISETP.GT.U32.AND P0, PT, R3, 0x7f, PT",
                            "@P0 BRA multiply",
                            "MOV R9, " + counter,
                            "fill:",
                            "LDG.E R4, [R6.64]",
                            "STS [R8], R4",
                            "IADD3 R9, R9, 0x100, RZ",
                            "ISETP.GT.U32.AND P0, PT, R9, 0x7f, PT",
                            "@!P0 BRA fill",
                            "EXIT",
                        } +
                        kMultiply + kExit);
  };
  EXPECT_EQ(find_roles(*strided("R3").values).verdict, RoleVerdict::kNone);
  EXPECT_EQ(find_roles(*strided("R5").values).roles.size(), 2U) << "a loop of its own";
}

TEST(SassRoles, StepsOfAReductionAreNoRoles) {
  const SassProgram program = sass_program({
      "S2R R3, SR_TID.X",
      "loop:",
      "ISETP.GT.U32.AND P0, PT, R3, 0x7f, PT",
      "@P0 BRA second",
      "LDS R4, [R5+0x200]",
      "STS [R5], R4",
      "second:",
      "BAR.SYNC.DEFER_BLOCKING 0x0",
      "ISETP.GT.U32.AND P0, PT, R3, 0x3f, PT",
      "@P0 BRA third",
      "LDS R4, [R5+0x100]",
      "STS [R5], R4",
      "third:",
      "BAR.SYNC.DEFER_BLOCKING 0x0",
      "ISETP.LE.U32.AND P0, PT, R6, UR6, PT",
      "@!P0 BRA loop",
      "EXIT",
  });
  EXPECT_EQ(find_roles(*program.values).verdict, RoleVerdict::kNone);
}

TEST(SassRoles, AFunctionWithoutCodeHasNone) {
  const CodeFunction function;
  const OpcodeNames opcodes;
  const Flow flow = build_flow(function, opcodes);
  Values values(function, flow, opcodes);
  EXPECT_EQ(find_roles(values).verdict, RoleVerdict::kNone);
}

// Each in the one before: time and text stay bounded.
TEST(SassRoles, ManyNestedBranchesOnTheWarpAreRead) {
  Lines lines = {"S2R R3, SR_TID.X", "SHF.R.U32.HI R3, RZ, 0x5, R3"};
  for (int i = 0; i < 20'000; ++i) {
    lines.push_back("ISETP.NE.AND P0, PT, R3, 0x8, PT");
    lines.push_back("@P0 EXIT");
    lines.push_back("UTMALDG.2D [UR8], [UR4], desc[UR6]");
  }
  lines.push_back("EXIT");
  const SassProgram program = sass_program(lines);
  const Roles roles = find_roles(*program.values);
  EXPECT_EQ(roles.role_of.size(), program.code.flow.blocks.size());
}

}  // namespace
}  // namespace proofline::sass_roles_test
