// SPDX-License-Identifier: Apache-2.0
//
// How often loops go round, by their exit tests.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/sass/trips.h"
#include "support/sass_program.h"

namespace proofline::sass_trips_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;
using Lines = std::vector<std::string>;

TripHint only_loop(const Lines& lines) {
  const SassProgram program = sass_program(lines);
  const std::vector<TripHint> hints = find_trips(*program.values);
  EXPECT_EQ(hints.size(), 1U);
  return hints.empty() ? TripHint{} : hints[0];
}

// A loop of one block with a counter in R2.
TripHint counted(const std::string& start, const std::string& step, const std::string& test,
                 const std::string& branch = "@P0 BRA loop") {
  return only_loop({start, "loop:", "FFMA R4, R4, R4, R5", step, test, branch, "EXIT"});
}

TEST(SassTrips, CountsLoopsBetweenConstants) {
  const auto exact = [](const std::string& start, const std::string& step, const std::string& test,
                        const std::string& branch = "@P0 BRA loop") {
    return counted(start, step, test, branch).exact;
  };
  EXPECT_EQ(exact("MOV R2, RZ", "IADD3 R2, R2, 0x1, RZ", "ISETP.NE.AND P0, PT, R2, 0x64, PT"),
            100U);
  EXPECT_EQ(exact("IMAD.MOV.U32 R2, RZ, RZ, RZ", "VIADD R2, R2, 0x4",
                  "ISETP.GE.U32.AND P0, PT, R2, 0x62, PT", "@!P0 BRA loop"),
            25U);
  EXPECT_EQ(exact("MOV R2, 0x64", "VIADD R2, R2, 0xffffffff", "ISETP.GT.AND P0, PT, R2, RZ, PT"),
            100U);
  EXPECT_EQ(exact("MOV R2, -0x5", "IADD3 R2, R2, 0x1, RZ", "ISETP.LT.AND P0, PT, R2, 0x5, PT"),
            10U);
  EXPECT_EQ(exact("MOV R2, RZ", "IADD3 R2, R2, 0x1, RZ", "ISETP.GT.AND P0, PT, 0x8, R2, PT"), 8U);
  // The test comes before the counter grows.
  EXPECT_EQ(only_loop({"UMOV UR4, URZ", "loop:", "UISETP.GE.U32.AND UP0, UPT, UR4, 0x70, UPT",
                       "UIADD3 UR5, UPT, UPT, UR4, 0x10, URZ", "UMOV UR4, UR5", "BRA.U !UP0, loop",
                       "EXIT"})
                .exact,
            8U);
}

TEST(SassTrips, AStepOfMoreThanOneIsTold) {
  const TripHint hint =
      counted("MOV R2, RZ", "IADD3 R2, R2, 0x4, RZ", "ISETP.LT.AND P0, PT, R2, 0x400, PT");
  EXPECT_EQ(hint.step, 4);
  EXPECT_EQ(hint.exact, 256U);
}

TEST(SassTrips, ATestAtTheTopCountsRoundsThatAreRun) {
  const TripHint hint =
      only_loop({"MOV R2, RZ", "loop:", "ISETP.GE.AND P0, PT, R2, 0xa, PT", "@P0 BRA end",
                 "FFMA R4, R4, R4, R5", "IADD3 R2, R2, 0x1, RZ", "BRA loop", "end:", "EXIT"});
  EXPECT_EQ(hint.exact, 10U);
}

TEST(SassTrips, ALimitOfTheRunIsNamed) {
  TripHint hint = counted("MOV R2, RZ", "IADD3 R2, R2, 0x1, RZ",
                          "ISETP.GE.U32.AND P0, PT, R2, c[0x0][0x228], PT", "@!P0 BRA loop");
  EXPECT_EQ(hint.exact, std::nullopt);
  EXPECT_EQ(hint.bound, "c[0x0][0x228]");
  EXPECT_EQ(hint.step, 1);
  // A stride by a register, and a limit that is loaded again in each round.
  hint = only_loop({"S2R R2, SR_CTAID.X", "LDC R29, c[0x0][0xc]",
                    "loop:", "IMAD.IADD R2, R29, 0x1, R2", "LDC R4, c[0x0][0x228]",
                    "ISETP.LE.U32.AND P0, PT, R4, R2, PT", "@!P0 BRA loop", "EXIT"});
  EXPECT_EQ(hint.bound, "c[0x0][0x228]");
  EXPECT_EQ(hint.step, 0);
  hint = only_loop({"MOV R2, RZ", "LDG.E R7, [R8.64]", "loop:", "IADD3 R2, R2, 0x1, RZ",
                    "ISETP.LT.AND P0, PT, R2, R7, PT", "@P0 BRA loop", "EXIT"});
  EXPECT_EQ(hint.bound, "a value from before the loop");
}

TEST(SassTrips, ACounterThatComesFromBelowToZeroIsNamedByItsDistance) {
  const TripHint hint = counted("IADD3 R2, RZ, -c[0x0][0x228], RZ", "VIADD R2, R2, 0x1",
                                "ISETP.NE.AND P0, PT, R2, RZ, PT");
  EXPECT_EQ(hint.bound, "c[0x0][0x228]");
  EXPECT_EQ(hint.step, 1);
  EXPECT_EQ(hint.exact, std::nullopt);
}

TEST(SassTrips, ATestBeforeTheLastBlockCountsToo) {
  const TripHint hint =
      only_loop({"MOV R2, RZ", "loop:", "FFMA R4, R4, R4, R5", "IADD3 R2, R2, 0x1, RZ",
                 "ISETP.NE.AND P0, PT, R2, 0x6, PT", "@P1 BRA skip", "FFMA R4, R4, R4, R5",
                 "skip:", "@!P0 BRA end", "BRA loop", "end:", "EXIT"});
  EXPECT_EQ(hint.exact, 6U);
}

// HFMA2 with zeros puts a number into a register; only the encoding has it as an integer.
TEST(SassTrips, AStartThatIsMovedAsHalvesIsRead) {
  test_support::SassCode code = test_support::sass_code({
      {"HFMA2.MMA R2, -RZ, RZ, 0, 9.5367431640625e-07", {}, 0x10ff027435},
      {"IADD3 R2, R2, 0x1, RZ"},
      {"ISETP.NE.AND P0, PT, R2, 0x20, PT"},
      {"@P0 BRA 0x10"},
      {"EXIT"},
  });
  code.function().encodings[0].high = 0xff;
  Values values(code.function(), code.flow, code.opcodes());
  EXPECT_EQ(find_trips(values).at(0).exact, 16U);
}

TEST(SassTrips, AnotherWayOutMakesItTheMost) {
  const TripHint hint =
      only_loop({"MOV R2, RZ", "loop:", "LDG.E R4, [R6.64]", "FSETP.GT.AND P1, PT, R4, R5, PT",
                 "@P1 BRA end", "IADD3 R2, R2, 0x1, RZ", "ISETP.NE.AND P0, PT, R2, 0x64, PT",
                 "@P0 BRA loop", "end:", "EXIT"});
  EXPECT_EQ(hint.exact, std::nullopt);
  EXPECT_EQ(hint.most, 100U);
}

TEST(SassTrips, LeavingAnInnerLoopDoesNotLeaveTheOuter) {
  const SassProgram program =
      sass_program({"MOV R2, RZ", "outer:", "MOV R3, RZ", "inner:", "IADD3 R3, R3, 0x1, RZ",
                    "ISETP.NE.AND P0, PT, R3, 0x8, PT", "@P0 BRA inner", "IADD3 R2, R2, 0x1, RZ",
                    "ISETP.NE.AND P0, PT, R2, 0x10, PT", "@P0 BRA outer", "EXIT"});
  const std::vector<TripHint> hints = find_trips(*program.values);
  ASSERT_EQ(hints.size(), 2U);
  EXPECT_EQ(hints[0].exact, 16U);
  EXPECT_EQ(hints[1].exact, 8U);
}

TEST(SassTrips, WaitingForAnMbarrierIsNoCount) {
  EXPECT_EQ(
      only_loop({"wait:", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R0", "@!P0 BRA wait", "EXIT"})
          .bound,
      "an mbarrier");
}

TEST(SassTrips, WhatTheTestDoesNotTellIsUnknown) {
  const std::vector<Lines> loops = {
      // The counter grows in some rounds only.
      {"MOV R2, RZ", "loop:", "@P1 BRA skip", "IADD3 R2, R2, 0x1, RZ",
       "skip:", "ISETP.NE.AND P0, PT, R2, 0x64, PT", "@P0 BRA loop", "EXIT"},
      {"MOV R2, RZ", "loop:", "@P1 IADD3 R2, R2, 0x1, RZ", "ISETP.NE.AND P0, PT, R2, 0x64, PT",
       "@P0 BRA loop", "EXIT"},
      // It never meets the limit, or runs away from it.
      {"MOV R2, RZ", "loop:", "IADD3 R2, R2, 0x3, RZ", "ISETP.NE.AND P0, PT, R2, 0x64, PT",
       "@P0 BRA loop", "EXIT"},
      {"MOV R2, RZ", "loop:", "IADD3 R2, R2, -0x1, RZ", "ISETP.LT.AND P0, PT, R2, 0x64, PT",
       "@P0 BRA loop", "EXIT"},
      // Another condition is mixed in; it grows by doubling; there is no test.
      {"MOV R2, RZ", "loop:", "IADD3 R2, R2, 0x1, RZ", "ISETP.NE.AND P0, PT, R2, 0x64, P1",
       "@P0 BRA loop", "EXIT"},
      {"MOV R2, 0x1", "loop:", "IMAD.SHL.U32 R2, R2, 0x2, RZ", "ISETP.NE.AND P0, PT, R2, 0x64, PT",
       "@P0 BRA loop", "EXIT"},
      {"loop:", "FFMA R4, R4, R4, R5", "BRA loop"},
  };
  for (const Lines& lines : loops) {
    const TripHint hint = only_loop(lines);
    EXPECT_EQ(hint.exact, std::nullopt) << lines.at(2);
    EXPECT_EQ(hint.most, std::nullopt) << lines.at(2);
  }
}

}  // namespace
}  // namespace proofline::sass_trips_test
