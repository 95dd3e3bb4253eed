// SPDX-License-Identifier: Apache-2.0
//
// What a stalled instruction waits for: by scoreboards, by registers where there are no encodings,
// and at barriers, fences and groups; and how that is put into words.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/sass/awaited_instructions.h"
#include "analysis/sass/waits.h"
#include "support/sass_code.h"
#include "views/code/sample_tables.h"

namespace proofline::sass_waits_test {
namespace {

using test_support::awaits;
using test_support::frees;
using test_support::sass_code;
using test_support::SassCode;
using test_support::SassLine;
using test_support::sets;

// The addresses of the producers, divided by 16.
std::vector<std::uint32_t> producers(SassCode& code, std::uint32_t instruction,
                                     std::string_view reason = "") {
  std::vector<std::uint32_t> found;
  for (const Wait& wait :
       waits_of(code.function(), code.flow, code.opcodes(), instruction, reason).waits) {
    found.push_back(wait.producer);
  }
  return found;
}

std::string text(SassCode& code, std::uint32_t instruction, std::string_view reason = "") {
  const TracedWaits traced =
      waits_of(code.function(), code.flow, code.opcodes(), instruction, reason);
  return wait_text(awaited_instructions(code.function(), code.opcodes(), traced.waits),
                   traced.not_known);
}

using Producers = std::vector<std::uint32_t>;

TEST(Waits, NamesTheLoadItsAddressAndItsLine) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]", sets(2)},
                             {"IADD3 R6, R6, 0x1, RZ"},
                             {"FADD R5, R4, R4", awaits(0b100)},
                             {"EXIT"}});
  CodeFunction& function = code.function();
  function.files = {"/home/me/attention.cu", "/usr/local/cuda/include/cuda_fp16.hpp"};
  function.lines = {{0, 88}, {1, 1200, 0}};
  function.instructions[0].line = 0;
  const auto waits = waits_of(function, code.flow, code.opcodes(), 2).waits;
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].via, Wait::Via::kResult);
  EXPECT_EQ(waits[0].scoreboard, 2);
  EXPECT_EQ(waits[0].kind, OperandKind::kRegister);
  EXPECT_EQ(waits[0].index, 4);
  EXPECT_EQ(text(code, 2), "waits on the LDG.E at 0x0000, attention.cu:88");
  function.instructions[0].line = 1;
  EXPECT_EQ(text(code, 2), "waits on the LDG.E at 0x0000, attention.cu:88")
      << "not the toolkit's header";
  EXPECT_EQ(text(code, 1), "") << "it waits for nothing";
}

TEST(Waits, StandByThemselvesWithoutTheCode) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]", sets(2)},
                             {"FADD R5, R4, R4", awaits(0b100)},
                             {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ+0x118], R4", sets(0)},
                             {"@!P0 BRA 0x20", awaits(0b1)},
                             {"EXIT"}});
  CodeFunction& function = code.function();
  function.files = {"/home/me/attention.cu"};
  function.lines = {{0, 88}};
  function.instructions[0].line = 0;
  const auto of = [&](std::uint32_t instruction) {
    return awaited_instructions(function, code.opcodes(),
                                waits_of(function, code.flow, code.opcodes(), instruction).waits);
  };
  const auto load = of(1);
  ASSERT_EQ(load.size(), 1U);
  EXPECT_EQ(to_string(load[0].via), "result");
  EXPECT_EQ(load[0].opcode, "LDG.E");
  EXPECT_EQ(load[0].address, 0U);
  EXPECT_EQ(load[0].line, "attention.cu:88");
  EXPECT_EQ(load[0].scoreboard, 2);
  EXPECT_EQ(load[0].carrier, "R4");
  EXPECT_EQ(load[0].mbarrier, "");
  const auto barrier = of(3);
  ASSERT_FALSE(barrier.empty());
  EXPECT_EQ(barrier[0].carrier, "P0");
  EXPECT_EQ(barrier[0].mbarrier, "[R3+URZ+0x118]");
}

TEST(Waits, OfSeveralOnOneScoreboardThoseWhoseValueIsRead) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]", sets(1)},
                             {"LDG.E R5, [R2.64+0x4]", sets(1)},
                             {"LDG.E.64 R6, [R2.64+0x8]", sets(1)},
                             {"FADD R8, R5, R7", awaits(0b10)},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 3), (Producers{2, 1})) << "R7 is the second half of the wide load";
  EXPECT_EQ(text(code, 3), "waits on the LDG.E.64 at 0x0020, and 1 more");
}

TEST(Waits, AllOnTheScoreboardWhereNoRegisterTells) {
  SassCode code = sass_code({{"LDG.E R9, [R2.64]", sets(1)},
                             {"FADD R9, R9, R9", awaits(0b10)},
                             {"LDG.E R4, [R2.64]", sets(1)},
                             {"LDG.E R5, [R2.64+0x4]", sets(1)},
                             {"NOP", awaits(0b10)},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 4), (Producers{3, 2})) << "the first one was waited for before";
}

TEST(Waits, OverwritingARegisterWaitsForWhoStillReadsIt) {
  SassCode code =
      sass_code({{"STG.E [R2.64], R4", frees(0)}, {"MOV R4, 0x1", awaits(0b1)}, {"EXIT"}});
  const auto waits = waits_of(code.function(), code.flow, code.opcodes(), 1).waits;
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].via, Wait::Via::kOperands);
  EXPECT_EQ(waits[0].index, 4);
  EXPECT_EQ(text(code, 1), "waits until operands are read by the STG.E at 0x0000");
}

TEST(Waits, LoadsThatAreAnsweredInOrderShareTheLastOnesScoreboard) {
  SassCode code = sass_code({{"LDS R4, [R2]"},
                             {"LDS R5, [R2+0x4]", sets(0)},
                             {"FADD R6, R4, R4", awaits(0b1)},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 2), (Producers{0}));
}

TEST(Waits, GoesRoundTheLoop) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]", sets(0)},        // before the loop
                             {"FADD R5, R5, R4", awaits(0b1)},      // its header
                             {"LDG.E R4, [R2.64+0x100]", sets(0)},  // for the next round
                             {"@P0 BRA 0x10"},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 1), (Producers{0, 2}));
}

TEST(Waits, WithoutEncodingsTheRegistersTell) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]"},
                             {"@P0 LDS R4, [R8]"},
                             {"IADD3 R6, R6, 0x1, RZ"},
                             {"FADD R5, R4, R6"},
                             {"FADD R5, R6, R6"},
                             {"EXIT"}},
                            false);
  EXPECT_EQ(producers(code, 3), (Producers{1, 0})) << "a guarded load leaves the other's value";
  EXPECT_EQ(producers(code, 3, "long_scoreboard"), (Producers{0}));
  EXPECT_EQ(producers(code, 3, "short_scoreboard"), (Producers{1}));
  EXPECT_EQ(producers(code, 4), (Producers{2})) << "no load among those that it reads";
}

TEST(Waits, TheSampledReasonDecidesAmongScoreboards) {
  SassCode code = sass_code({{"LDS R4, [R8]", sets(0)},
                             {"LDG.E R5, [R2.64]", sets(1)},
                             {"FADD R6, R4, R5", awaits(0b11)},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 2, "long_scoreboard").front(), 1U);
  EXPECT_EQ(producers(code, 2, "short_scoreboard").front(), 0U);
  EXPECT_EQ(producers(code, 2, "math_pipe_throttle"), Producers{}) << "that is no instruction";
}

TEST(Waits, AResultIsLikelierThanTheReadingOfOperands) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]", sets(1)},
                             {"ATOMS.POPC.INC.32 RZ, [R8]", frees(0)},
                             {"LEA R8, R4, R5, 0x2", awaits(0b11)},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 2), (Producers{0, 1}));
  EXPECT_EQ(producers(code, 2, "long_scoreboard"), (Producers{0}));
  EXPECT_EQ(producers(code, 2, "short_scoreboard"), (Producers{1})) << "shared memory";
}

// Where samples stand was seen on real captures.
TEST(Waits, ABarrierStallStandsBehindTheBarrier) {
  SassCode code = sass_code({{"BAR.ARV 0x1, 0x80"},
                             {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                             {"LEA R4, R5, R6, 0x2"},
                             {"LDS R7, [R4]"},
                             {"UCGABAR_ARV"},
                             {"UCGABAR_WAIT"},
                             {"EXIT"}});
  EXPECT_EQ(text(code, 3, "barrier"),
            "waits for other warps at the BAR.SYNC.DEFER_BLOCKING at 0x0010");
  EXPECT_EQ(text(code, 5, "barrier"), "waits for other warps at the UCGABAR_WAIT at 0x0050");
  EXPECT_EQ(producers(code, 1), (Producers{1})) << "without samples, of the barrier itself";
}

TEST(Waits, FencesAndTheEndWaitForTheWarpsOwnAccesses) {
  SassCode code =
      sass_code({{"STG.E [R2.64], R4"}, {"MEMBAR.SC.GPU"}, {"ERRBAR"}, {"EXIT"}, {"BRA 0x40"}});
  EXPECT_EQ(text(code, 2, "membar"),
            "waits for its own memory accesses at the MEMBAR.SC.GPU at 0x0010");
  EXPECT_EQ(text(code, 4, "drain"), "waits for its own memory accesses at the EXIT at 0x0030");
}

TEST(Waits, ABranchOnATryWaitWaitsForTheMbarrier) {
  const std::vector<SassLine> lines = {
      {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ+0x118], R0", sets(2)},
      {"@P0 BRA 0x40", awaits(0b100)},
      {"@!P0 NANOSLEEP.SYNCS 0x989680"},
      {"BRA 0x0"},
      {"EXIT"}};
  constexpr std::string_view kText =
      "waits on the mbarrier [R3+URZ+0x118]: SYNCS.PHASECHK.TRANS64.TRYWAIT at 0x0000";
  for (const bool with_encodings : {true, false}) {
    SassCode code = sass_code(lines, with_encodings);
    EXPECT_EQ(text(code, 1, "long_scoreboard"), kText);
    EXPECT_EQ(text(code, 3, "sleeping"), kText);
  }
}

TEST(Waits, AGroupOfCopiesMayStayInFlight) {
  // DEPBAR.LE names its scoreboard in the encoding; 0x1 more group may be on its way.
  const auto lines = [](const std::string& allowed) {
    return std::vector<SassLine>{{"LDGSTS.E [R4], [R2.64]", frees(1)},
                                 {"LDGDEPBAR", sets(0)},
                                 {"LDGSTS.E [R4+0x100], [R2.64+0x100]", frees(1)},
                                 {"LDGDEPBAR", sets(0)},
                                 {"DEPBAR.LE SB0, " + allowed, {}, 0x00008000'0000791a},
                                 {"EXIT"}};
  };
  for (const bool with_encodings : {true, false}) {
    SassCode none = sass_code(lines("0x0"), with_encodings);
    EXPECT_EQ(text(none, 4), "waits on the group of the LDGSTS.E at 0x0020");
    SassCode one = sass_code(lines("0x1"), with_encodings);
    EXPECT_EQ(text(one, 4, "long_scoreboard"), "waits on the group of the LDGSTS.E at 0x0000");
    EXPECT_EQ(text(one, 5, "long_scoreboard"), "waits on the group of the LDGSTS.E at 0x0000")
        << "sampled behind the wait";
    SassCode two = sass_code(lines("0x2"), with_encodings);
    EXPECT_EQ(text(two, 4), "") << "there are no more than two";
  }
}

TEST(Waits, InALoopTheGroupIsFromAnEarlierRound) {
  SassCode code = sass_code({{"LDGSTS.E [R4], [R2.64]"},  // before the loop
                             {"LDGDEPBAR", sets(0)},
                             {"LDGSTS.E [R4+0x100], [R2.64]"},  // 0x20, its header
                             {"LDGDEPBAR", sets(0)},
                             {"DEPBAR.LE SB0, 0x1", {}, 0x00008040'0000791a},
                             {"@P0 BRA 0x20"},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 4), (Producers{2}));
}

TEST(Waits, BulkStoresAndTensorInstructionsHaveGroupsToo) {
  SassCode code = sass_code({{"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8], R24", frees(0)},
                             {"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR12], R24, gsb0"},
                             {"WARPGROUP.DEPBAR.LE gsb0, 0x0"},
                             {"FADD R24, R24, R25"},
                             {"UTMASTG.2D [UR16], [UR4]"},
                             {"UTMACMDFLUSH"},
                             {"DEPBAR.LE SB0, 0x0"},
                             {"EXIT"}},
                            false);
  EXPECT_EQ(producers(code, 2), (Producers{1})) << "the one that closes the group";
  EXPECT_EQ(text(code, 3, "gmma"), "waits on the group of the HGMMA.64x128x16.F32.BF16 at 0x0010");
  EXPECT_EQ(text(code, 6), "waits on the group of the UTMASTG.2D at 0x0040");
}

TEST(Waits, ABarrierBehindAWaitForCopiesIsNotWhatIsWaitedFor) {
  SassCode code = sass_code({{"LDGSTS.E [R4], [R2.64]", frees(1)},
                             {"LDGSTS.E [R4+0x100], [R2.64+0x100]", frees(1)},
                             {"LDGDEPBAR", sets(0)},
                             {"DEPBAR.LE SB0, 0x0", {}, 0x00008000'0000791a},
                             {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                             {"LDS R7, [R4]"},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 4, "long_scoreboard"), (Producers{1, 0})) << "the whole group";
  EXPECT_EQ(producers(code, 5, "barrier"), (Producers{4}));
  EXPECT_EQ(text(code, 5, "long_scoreboard"),
            "producer not known: it awaits no scoreboard that the code before it sets");
}

TracedWaits counted(SassCode& code, std::uint32_t instruction, std::string_view reason,
                    const std::vector<std::uint64_t>& counts) {
  return waits_of(code.function(), code.flow, code.opcodes(), instruction, reason,
                  ExecutionCounts(counts.begin(), counts.end()));
}

TEST(Waits, AProducerRanAboutAsOften) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]", sets(0)},
                             {"BAR.SYNC 0x0"},
                             {"FADD R5, R5, R4", awaits(0b1)},  // the loop
                             {"@P0 BRA 0x20"},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 2, "long_scoreboard"), (Producers{0}));
  for (const std::string reason : {"long_scoreboard", "barrier"}) {
    EXPECT_EQ(counted(code, 2, reason, {8, 8, 64, 64, 8}).waits.size(), 1U);
    const TracedWaits rare = counted(code, 2, reason, {8, 8, 8000, 8000, 8});
    EXPECT_TRUE(rare.waits.empty()) << reason;
    EXPECT_EQ(rare.not_known, "what the code shows before it ran far less often");
  }
}

TEST(Waits, ATensorInstructionThatIsYetToComeIsNotWaitedFor) {
  SassCode code = sass_code({{"IADD3 R5, R5, 0x1, RZ"},
                             {"WARPGROUP.ARRIVE"},  // the loop
                             {"HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24"},
                             {"HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24, gsb0"},
                             {"WARPGROUP.DEPBAR.LE gsb0, 0x0"},
                             {"@P0 BRA 0x10"},
                             {"EXIT"}},
                            false);
  EXPECT_EQ(producers(code, 2, "gmma"), (Producers{1}))
      << "those of the round before are over: other warps of the warpgroup";
  EXPECT_EQ(producers(code, 3, "gmma"), (Producers{2}));
  EXPECT_EQ(producers(code, 5, "gmma"), (Producers{3}));
  EXPECT_EQ(text(code, 0, "gmma"),
            "producer not known: no tensor instruction was issued before it");
  EXPECT_EQ(counted(code, 2, "gmma", {4, 4, 4, 4, 4, 4, 4}).not_known,
            "no tensor instruction was issued before it")
      << "the loop does not go round";
}

TEST(Waits, WarpsAtAWaitForTensorInstructionsAreSampledAsAtABarrier) {
  SassCode code = sass_code({{"BAR.SYNC.DEFER_BLOCKING 0x0"},
                             {"HGMMA.64x32x16.F32.BF16 R24, gdesc[UR8], R24, gsb0"},
                             {"WARPGROUP.DEPBAR.LE gsb0, 0x0"},
                             {"BAR 0x1, 0x80"},
                             {"MOV R4, R5"},
                             {"EXIT"}},
                            false);
  EXPECT_EQ(producers(code, 2, "barrier"), (Producers{1})) << "not the barrier before";
  EXPECT_EQ(producers(code, 4, "barrier"), (Producers{3})) << "its modifiers are not known";
}

TEST(Waits, ALoopBeforeTheWaitHasClosedTheGroups) {
  SassCode code = sass_code({{"IADD3 R5, R5, 0x1, RZ"},
                             {"LDGSTS.E [R4], [R2.64]"},  // the loop
                             {"LDGDEPBAR", sets(0)},
                             {"@P0 BRA 0x10"},
                             {"DEPBAR.LE SB0, 0x2", {}, 0x00008080'0000791a},
                             {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 5, "long_scoreboard"), (Producers{1}));
  EXPECT_TRUE(counted(code, 5, "long_scoreboard", {8, 8, 8, 8, 8, 8, 8}).waits.empty())
      << "it went round once: two groups are allowed, and there is one";
}

TEST(Waits, APathThatNoWarpTookHoldsNoProducer) {
  SassCode code = sass_code({{"STG.E [R2.64], R4", frees(0)},
                             {"@P0 BRA 0x40"},
                             {"NOP", awaits(0b1)},
                             {"STG.E [R2.64+0x4], R4", frees(1)},
                             {"MOV R4, 0x1", awaits(0b11)},
                             {"EXIT"}});
  EXPECT_EQ(producers(code, 4), (Producers{0, 3}));
  EXPECT_EQ(counted(code, 4, "", {8, 8, 8, 8, 8, 8}).waits.size(), 1U);
}

TEST(Waits, ALongWayBackEndsSomewhere) {
  std::vector<SassLine> lines = {{"LDG.E R4, [R2.64]", sets(0)}};
  lines.resize(100'000, {"NOP"});
  lines.push_back({"FADD R5, R4, R4", awaits(0b1)});
  SassCode code = sass_code(lines);
  EXPECT_EQ(text(code, 100'000), "") << "too far to be what it waits for";
}

}  // namespace
}  // namespace proofline::sass_waits_test
