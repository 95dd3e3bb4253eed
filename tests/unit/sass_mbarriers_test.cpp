// SPDX-License-Identifier: Apache-2.0
//
// Barriers in shared memory: who arrives and who waits, matched by where they lie.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/sass/mbarriers.h"
#include "support/sass_program.h"

namespace proofline::sass_mbarriers_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;
using Lines = std::vector<std::string>;

Mbarriers find(const SassProgram& program) {
  return find_mbarriers(*program.values, find_roles(*program.values));
}

// "init arrive wait" for a barrier.
std::string uses(const Mbarrier& barrier) {
  std::string text;
  for (const MbarrierAccess& access : barrier.accesses) {
    text += (text.empty() ? "" : " ") + std::string(to_string(access.use));
  }
  return text;
}

TEST(SassMbarriers, MatchesArrivalsAndWaitsOfRolesThatComputeTheAddressAnew) {
  const SassProgram program = sass_program({
      "S2R R0, SR_TID.X",
      "S2UR UR5, SR_CgaCtaId",
      "UMOV UR4, 0x400",
      "ULEA UR4, UR5, UR4, 0x18",
      "SYNCS.EXCH.64 URZ, [UR4+0x5000], UR6",
      "SYNCS.EXCH.64 URZ, [UR4+0x5008], UR6",
      "SHF.R.U32.HI R0, RZ, 0x5, R0",
      "ISETP.NE.AND P0, PT, R0, 0x8, PT",
      "@P0 BRA multiply",
      // The same addresses, in a different order of operations.
      "S2UR UR6, SR_CgaCtaId",
      "UMOV UR8, 0x400",
      "UIADD3 UR9, UR8, 0x5008, URZ",
      "UIADD3 UR8, UR8, 0x5000, URZ",
      "ULEA UR9, UR6, UR9, 0x18",
      "ULEA UR11, UR6, UR8, 0x18",
      "UMOV UR13, UR11",
      "load:",
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R2",
      "@!P0 BRA load",
      "SYNCS.ARRIVE.TRANS64 RZ, [UR11], R3",
      "UBLKCP.S.G [UR12], [UR14], UR16",
      "ISETP.LE.U32.AND P0, PT, R4, UR17, PT",
      "@!P0 BRA load",
      "EXIT",
      "multiply:",
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4+0x5000], R2",
      "@!P0 BRA multiply",
      "HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24, gsb0",
      "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4+0x5008], RZ",
      "ISETP.LE.U32.AND P0, PT, R4, UR17, PT",
      "@!P0 BRA multiply",
      "EXIT",
  });
  const Roles roles = find_roles(*program.values);
  ASSERT_EQ(roles.verdict, RoleVerdict::kSeparate);
  const Mbarriers found = find_mbarriers(*program.values, roles);
  ASSERT_EQ(found.barriers.size(), 2U);
  EXPECT_EQ(found.barriers[0].place, "0x1000000*SR_CgaCtaId + 0x5400");
  EXPECT_EQ(uses(found.barriers[0]), "init expect copy wait");
  EXPECT_EQ(uses(found.barriers[1]), "init wait arrive");
  EXPECT_TRUE(found.barriers[0].paired);
  EXPECT_TRUE(found.barriers[1].paired);
  EXPECT_FALSE(found.barriers[0].ring);
  const MbarrierAccess& copy = found.barriers[0].accesses[2];
  EXPECT_EQ(copy.operand, "UR13");
  EXPECT_EQ(copy.role, roles.role_of[program.block("load")]);
  const MbarrierAccess& wait = found.barriers[0].accesses[3];
  EXPECT_EQ(wait.operand, "UR4+0x5000");
  EXPECT_EQ(wait.role, roles.role_of[program.block("multiply")]);
}

TEST(SassMbarriers, AnIndexThatChangesMakesARing) {
  const SassProgram program = sass_program({
      "S2UR UR5, SR_CgaCtaId",
      "UMOV UR4, 0x400",
      "ULEA UR4, UR5, UR4, 0x18",
      "UMOV UR7, URZ",
      "stage:",
      "ULEA UR8, UR7, UR4, 0x3",
      "R2UR UR9, R5",
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8+0x40], R2",
      "UTCHMMA gdesc[UR26], gdesc[UR30], tmem[UR9], tmem[UR24], idesc[UR25], UPT",
      "UTCBAR [UR8], URZ",
      "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR8+0x40], RZ",
      "UIADD3 UR7, UPT, UPT, UR7, 0x1, URZ",
      "ISETP.LE.U32.AND P0, PT, R4, UR17, PT",
      "@!P0 BRA stage",
      "EXIT",
  });
  const Mbarriers found = find(program);
  ASSERT_EQ(found.barriers.size(), 2U);
  EXPECT_EQ(found.barriers[0].place, "0x1000000*SR_CgaCtaId + 0x440");
  EXPECT_TRUE(found.barriers[0].ring);
  EXPECT_TRUE(found.barriers[0].paired);
  EXPECT_EQ(uses(found.barriers[1]), "commit");
  EXPECT_FALSE(found.barriers[1].paired);
}

TEST(SassMbarriers, TheSlotsOfARingAreOneBarrier) {
  const SassProgram program = sass_program({
      "S2UR UR5, SR_CgaCtaId",
      "UMOV UR4, 0x400",
      "UPRMT UR4, UR4, 0x4210, UR5",
      "SYNCS.EXCH.64 URZ, [UR4], UR6",
      "SYNCS.EXCH.64 URZ, [UR4+0x8], UR6",
      "SYNCS.EXCH.64 URZ, [UR4+0x10], UR6",
      "SYNCS.EXCH.64 URZ, [UR4+0x18], UR6",  // the next ring's
      "SYNCS.EXCH.64 URZ, [UR4+0x30], UR6",  // nobody's
      "UMOV UR7, URZ",
      "stage:",
      "ULEA UR8, UR7, UR4, 0x3",
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], R2",
      "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR8+0x18], RZ",
      "UIADD3 UR7, UPT, UPT, UR7, 0x1, URZ",
      "ISETP.LE.U32.AND P0, PT, R4, UR17, PT",
      "@!P0 BRA stage",
      "EXIT",
  });
  const Mbarriers found = find(program);
  ASSERT_EQ(found.barriers.size(), 3U);
  EXPECT_EQ(found.barriers[0].place, "0x1000000*SR_CgaCtaId + 0x400");
  EXPECT_EQ(found.barriers[0].slots, 3U);
  EXPECT_EQ(uses(found.barriers[0]), "init init init wait");
  EXPECT_EQ(found.barriers[1].slots, std::nullopt) << "the next slot is not set up";
  EXPECT_EQ(uses(found.barriers[1]), "init arrive");
  EXPECT_EQ(found.barriers[2].place, "0x1000000*SR_CgaCtaId + 0x430");
}

// Before the loop and in it the same address is computed, each time into the same register.
TEST(SassMbarriers, AnAddressComputedAgainInALoopStaysTheSame) {
  const SassProgram program = sass_program({
      "S2UR UR5, SR_CgaCtaId",
      "UMOV UR4, 0x400",
      "ULEA UR4, UR5, UR4, 0x18",
      "IMAD.U32 R11, RZ, RZ, UR4",
      "loop:",
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R11+URZ+0x8000], R0",
      "S2UR UR7, SR_CgaCtaId",
      "UMOV UR6, 0x400",
      "ULEA UR6, UR7, UR6, 0x18",
      "IMAD.U32 R11, RZ, RZ, UR6",
      "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R11+URZ+0x8000], RZ",
      "ISETP.LE.U32.AND P0, PT, R4, UR17, PT",
      "@!P0 BRA loop",
      "EXIT",
  });
  const Mbarriers found = find(program);
  ASSERT_EQ(found.barriers.size(), 1U);
  EXPECT_FALSE(found.barriers[0].ring);
  EXPECT_TRUE(found.barriers[0].paired);
}

TEST(SassMbarriers, AnAddressFromMemoryMatchesNothing) {
  const SassProgram program = sass_program({
      "LDG.E R5, desc[UR4][R2.64]",
      "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R5+URZ+0x90], RZ",
      "LDG.E R6, desc[UR4][R2.64+0x4]",
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R6+URZ+0x90], R4",
      "EXIT",
  });
  const Mbarriers found = find(program);
  EXPECT_TRUE(found.barriers.empty());
  ASSERT_EQ(found.unplaced.size(), 2U);
  EXPECT_EQ(found.unplaced[0].operand, "R5+0x90");
  EXPECT_EQ(found.unplaced[0].role, std::nullopt);
}

TEST(SassMbarriers, CopiesToGlobalMemoryHaveNone) {
  const SassProgram program = sass_program({
      "UBLKCP.G.S [UR4], [UR6], UR8",
      "UTMASTG.2D [UR20], [UR28]",
      "SYNCS.CCTL.IVALL",
      "EXIT",
  });
  EXPECT_EQ(find(program).accesses(), 0U);
}

TEST(SassMbarriers, BeforeHopperArrivalsAreAtomics) {
  const SassProgram program = sass_program({
      "LDGSTS.E.BYPASS.128 [R7+0x10], [R2.64]",
      "ARRIVES.LDGSTSBAR.64 [URZ+0x8]",
      "ATOMS.ARRIVE.64 R2, [URZ+0x8]",
      "EXIT",
  });
  const Mbarriers found = find(program);
  ASSERT_EQ(found.barriers.size(), 1U);
  EXPECT_EQ(found.barriers[0].place, "8");
  EXPECT_EQ(uses(found.barriers[0]), "arrive arrive");
  EXPECT_FALSE(found.barriers[0].paired);
}

// As ptxas makes it of a predicated mapa and arrive: a SEL, or a guarded PRMT, keeps the address
// that only the threads that arrive have.
TEST(SassMbarriers, FollowsTheAddressOfAGuardedArrivalInTheCluster) {
  const Lines before = {
      "S2R R0, SR_TID.X",
      "S2UR UR5, SR_CgaCtaId",
      "UMOV UR4, 0x400",
      "ULEA UR4, UR5, UR4, 0x18",
      "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT",
      "ISETP.GT.U32.AND P0, PT, R0, 0x1, PT",
      "MOV R11, RZ",
      "MOV R7, RZ",
      "SYNCS.EXCH.64 URZ, [UR4+0x20], UR6",
      "MOV R15, UR4",
      "again:",
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4+0x20], R2",
      "@!P1 BRA again",
  };
  const Lines by_select = {"PRMT R18, R4, 0x654, R15", "SEL R11, R18, R11, !P0",
                           "@!P0 SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [R11+URZ+0x20], RZ"};
  const Lines by_guard = {"@!P0 PRMT R11, R4, 0x654, R15",
                          "@!P0 SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [R11+URZ+0x20], RZ"};
  // The offset too is only added for those that arrive.
  const Lines by_steps = {"LEA R11, R7, R15, 0x3", "@!P0 VIADD R11, R11, 0x20",
                          "@!P0 PRMT R11, RZ, 0x654, R11",
                          "@!P0 SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [R11+URZ], RZ"};
  // For the threads that arrive, this one has the other address.
  const Lines other_side = {"PRMT R18, R4, 0x654, R15", "SEL R11, R18, R11, P0",
                            "@!P0 SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [R11+URZ+0x20], RZ"};
  const auto pairs = [&](const Lines& arrival) {
    Lines lines = before;
    lines.insert(lines.end(), arrival.begin(), arrival.end());
    lines.insert(lines.end(), {"ISETP.LE.U32.AND P2, PT, R5, UR17, PT", "@!P2 BRA again", "EXIT"});
    const SassProgram program = sass_program(lines);
    const Mbarriers found = find(program);
    EXPECT_EQ(found.accesses(), 3U);
    return uses(found.barriers[0]);
  };
  EXPECT_EQ(pairs(by_select), "init wait arrive");
  EXPECT_EQ(pairs(by_guard), "init wait arrive");
  EXPECT_EQ(pairs(by_steps), "init wait arrive");
  EXPECT_EQ(pairs(other_side), "init wait");
}

}  // namespace
}  // namespace proofline::sass_mbarriers_test
