// SPDX-License-Identifier: Apache-2.0
//
// Local memory: spills, arrays that are indexed, and what calls save.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/sass/local_accesses.h"
#include "support/sass_program.h"

namespace proofline::sass_local_accesses_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;

LocalAccesses find(const SassProgram& program) { return find_local_accesses(*program.values); }

TEST(SassLocalAccesses, FixedPlacesOfTheFrameAreSpills) {
  const SassProgram program = sass_program({
      "LDC R1, c[0x0][0x28]", "VIADD R1, R1, 0xffffffc0", "STL.64 [R1+0x8], R4",
      "IADD3 R3, R1, 0x20, RZ", "loop:", "LDL.64 R6, [R1+0x8]", "STL.128 [R3], R8",
      "LDL.128 R8, [R1+0x20]", "IADD3 R2, R2, 0x1, RZ", "ISETP.NE.AND P0, PT, R2, R9, PT",
      "@P0 BRA loop", "EXIT",
      "STL [R1], R4",  // nobody comes here
  });
  const LocalAccesses found = find(program);
  const LocalUseCounts& spills = found.of(LocalUse::kSpill);
  EXPECT_EQ(found.accesses.size(), 4U);
  EXPECT_EQ(spills.stores.accesses, 2U);
  EXPECT_EQ(spills.stores.bytes, 24U);
  EXPECT_EQ(spills.stores_in_loops.bytes, 16U);
  EXPECT_EQ(spills.loads.accesses, 2U);
  EXPECT_EQ(spills.loads_in_loops.bytes, 24U);
}

// An array of 32 words that data index, set and read at fixed places too, and spills after it.
TEST(SassLocalAccesses, FixedPlacesWithinWhatAnIndexReachesAreTheArrays) {
  const SassProgram program = sass_program({
      "LDC R1, c[0x0][0x28]",
      "IADD3 R1, R1, -0x100, RZ",
      "STL.128 [R1+0x10], RZ",
      "STL [R1+0x7c], RZ",
      "STL [R1+0x80], RZ",
      "LDG.E R2, [R4.64]",
      "LOP3.LUT R2, R2, 0x7c, RZ, 0xc0, !PT",
      "IADD3 R2, R1, R2, RZ",
      "LDL R3, [R2]",
      "STL [R2], R3",
      "LDL R5, [R1+0x80]",
      "EXIT",
  });
  const LocalAccesses found = find(program);
  EXPECT_EQ(found.of(LocalUse::kArray).stores.accesses, 3U);
  EXPECT_EQ(found.of(LocalUse::kArray).loads.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kSpill).stores.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kSpill).loads.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kUnclear).loads.accesses, 0U);
}

TEST(SassLocalAccesses, BehindAnArrayWithoutKnownEndOnlyTheLastUseTellsASpill) {
  const SassProgram program = sass_program({
      "LDC R1, c[0x0][0x28]",
      "IADD3 R1, R1, -0x100, RZ",
      "STL [R1+0x80], R6",
      "STL [R1+0x90], R7",
      "LDG.E R2, [R4.64]",
      "LEA R2, R2, R1, 0x2",
      "LDL R3, [R2+0x20]",
      "LDL.LU R6, [R1+0x80]",
      "LDL R7, [R1+0x90]",
      "EXIT",
  });
  const LocalAccesses found = find(program);
  EXPECT_EQ(found.of(LocalUse::kArray).loads.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kSpill).stores.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kSpill).loads.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kUnclear).stores.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kUnclear).loads.accesses, 1U);
  EXPECT_FALSE(found.knows_spills());
}

// What printf gets is stored for it, and loaded by nobody here.
TEST(SassLocalAccesses, APlaceThatIsOnlyStoredIsNoSpill) {
  const SassProgram program = sass_program({
      "LDC R1, c[0x0][0x28]",
      "IADD3 R1, R1, -0x10, RZ",
      "STL.64 [R1+0x8], R8",
      "CALL.ABS.NOINC R2",
      "EXIT",
  });
  EXPECT_EQ(find(program).of(LocalUse::kSpill).stores.accesses, 0U);
  EXPECT_EQ(find(program).of(LocalUse::kUnclear).stores.accesses, 1U);
  EXPECT_TRUE(find(program).knows_spills());
}

TEST(SassLocalAccesses, AFunctionThatIsCalledSavesItsCallersRegisters) {
  const SassProgram program = sass_program({
      "LDC R1, c[0x0][0x28]",
      "STL [R1+0x10], R16",  // of the kernel, which has no caller
      "MOV R20, 0x50",
      "MOV R21, 0x0",
      "CALL.REL.NOINC callee",
      "EXIT",
      "callee:",
      "VIADD R1, R1, 0xffffffd8",
      "STL [R1+0x10], R16",
      "STL [R1+0xc], R20",
      "IMAD.MOV.U32 R16, RZ, RZ, R4",
      "STL [R1+0x14], R16",
      "LDL R5, [R1+0x14]",
      "LDL R20, [R1+0xc]",
      "LDL R16, [R1+0x10]",
      "IADD3 R1, R1, 0x28, RZ",
      "RET.REL.NODEC R20 0x0",
  });
  const LocalAccesses found = find(program);
  EXPECT_EQ(found.of(LocalUse::kCallFrame).stores.accesses, 2U);
  EXPECT_EQ(found.of(LocalUse::kCallFrame).loads.accesses, 2U);
  EXPECT_EQ(found.of(LocalUse::kSpill).stores.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kSpill).loads.accesses, 1U);
  EXPECT_EQ(found.of(LocalUse::kUnclear).stores.accesses, 1U);
}

}  // namespace
}  // namespace proofline::sass_local_accesses_test
