// SPDX-License-Identifier: Apache-2.0
//
// How operands come to the tensor instructions: passes of stores, widths, chains of conversions.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/staging.h"
#include "support/sass_program.h"

namespace proofline::sass_staging_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;
using Lines = std::vector<std::string>;

Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Lines kTensor = {
    "BAR.SYNC.DEFER_BLOCKING 0x0",
    "LDSM.16.M88.4 R40, [R50]",
    "HMMA.16816.F32.BF16 R44, R40, R48, R44",
    "HMMA.16816.F32.BF16 R52, R40, R50, R52",
    "BAR.SYNC.DEFER_BLOCKING 0x0",
};
const Lines kAgain = {
    "IADD3 R2, R2, 0x1, RZ",
    "ISETP.NE.AND P0, PT, R2, R3, PT",
    "@P0 BRA loop",
    "EXIT",
};

Staging only_scope(const Lines& lines) {
  const SassProgram program = sass_program(lines);
  const std::vector<Staging> found = find_staging(*program.values);
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? Staging{} : found[0];
}

TEST(SassStaging, OneStoreOfDecodedValuesIsOnePass) {
  const Staging staging = only_scope(
      Lines{"loop:", "LDG.E.64 R4, [R8.64]", "LOP3.LUT R12, R4, 0x70007, RZ, 0xc0, !PT",
            "HMUL2.BF16_V2 R12, R12, R20", "STS.128 [R6], R12", "STS.128 [R6+0x10], R12"} +
      kTensor + kAgain);
  EXPECT_EQ(staging.loop, 0U);
  EXPECT_EQ(staging.passes, 1U);
  EXPECT_EQ(staging.tensor, 2U);
  EXPECT_EQ(staging.stores, 2U);
  EXPECT_EQ(staging.restaged, 0U);
  EXPECT_EQ(staging.shared_loads, 0U);
  ASSERT_EQ(staging.store_widths.size(), 1U);
  EXPECT_EQ(staging.store_widths[0].width, 16U);
  EXPECT_EQ(staging.store_widths[0].count, 2U);
}

const Lines kTwice = {
    "LDG.E R4, [R8.64]",           "I2FP.F32.U32 R5, R4",     "STS [R6], R5",
    "BAR.SYNC.DEFER_BLOCKING 0x0", "LDS R7, [R6+0x84]",       "F2FP.BF16.F32.PACK_AB R7, RZ, R7",
    "PRMT R7, R7, 0x7610, R7",     "STS.U16 [R6+0x2000], R7",
};

TEST(SassStaging, StoringAgainWhatWasReadBackIsASecondPass) {
  const Staging staging = only_scope(Lines{"loop:"} + kTwice + kTensor + kAgain);
  EXPECT_EQ(staging.passes, 2U);
  EXPECT_EQ(staging.stores, 2U);
  EXPECT_EQ(staging.restaged, 1U);
  EXPECT_EQ(staging.shared_loads, 1U);
  EXPECT_EQ(staging.conversions, 2U);
  EXPECT_EQ(staging.longest_chain, 1U);
  EXPECT_DOUBLE_EQ(staging.conversions_per_tensor(), 1.0);
  ASSERT_EQ(staging.store_widths.size(), 2U);
  EXPECT_EQ(staging.store_widths[0].width, 2U);
  EXPECT_EQ(staging.store_widths[1].width, 4U);
}

TEST(SassStaging, WhatAGenericLoadBroughtMayBeASecondPass) {
  Lines twice = kTwice;
  twice[4] = "LD.E R7, [R6.64]";
  const SassProgram program = sass_program(Lines{"loop:"} + twice + kTensor + kAgain);
  const std::vector<Staging> found = find_staging(*program.values);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].passes, 1U);
  EXPECT_EQ(found[0].maybe_restaged, 1U);
  EXPECT_FALSE(passes_by_loop(found, program.values->flow())[0]);
}

// Around: over tiles. Inside: over parts of one.
TEST(SassStaging, LoopsAroundAndInsideHaveTheSamePasses) {
  const SassProgram program = sass_program(
      Lines{"tiles:", "MOV R2, RZ", "loop:", "MOV R60, RZ", "parts:", "LDG.E.128 R4, [R8.64]",
            "STS.128 [R6], R4", "IADD3 R60, R60, 0x1, RZ", "ISETP.NE.AND P0, PT, R60, 0x4, PT",
            "@P0 BRA parts"} +
      kTensor +
      Lines{"IADD3 R2, R2, 0x1, RZ", "ISETP.NE.AND P0, PT, R2, R3, PT", "@P0 BRA loop",
            "IADD3 R61, R61, 0x1, RZ", "ISETP.NE.AND P0, PT, R61, R62, PT", "@P0 BRA tiles",
            "EXIT"});
  const auto passes = passes_by_loop(find_staging(*program.values), program.values->flow());
  EXPECT_EQ(passes, (std::vector<std::optional<std::uint32_t>>{1U, 1U, 1U}));
}

TEST(SassStaging, UnrollingDoesNotAddPasses) {
  const Staging staging = only_scope(Lines{"loop:"} + kTwice + kTensor + kTwice + kTensor + kAgain);
  EXPECT_EQ(staging.tensor, 4U);
  EXPECT_EQ(staging.passes, 2U);
}

TEST(SassStaging, TilesStoredOneAfterTheOtherAreOnePass) {
  const Staging staging = only_scope(Lines{"loop:", "LDG.E.128 R4, [R8.64]", "STS.128 [R6], R4",
                                           "BAR.SYNC.DEFER_BLOCKING 0x0", "LDG.E.128 R4, [R10.64]",
                                           "STS.128 [R6+0x800], R4"} +
                                     kTensor + kAgain);
  EXPECT_EQ(staging.stores, 2U);
  EXPECT_EQ(staging.passes, 1U);
}

TEST(SassStaging, AsynchronousCopiesAreFillsAndNoPasses) {
  const Staging staging = only_scope(Lines{"loop:", "LDGSTS.E.BYPASS.128 [R7], [R2.64]",
                                           "LDGSTS.E.BYPASS.128 [R7+0x800], [R2.64]", "LDGDEPBAR",
                                           "DEPBAR.LE SB0, 0x0"} +
                                     kTensor + kAgain);
  EXPECT_EQ(staging.async_fills, 2U);
  EXPECT_EQ(staging.passes, 0U);
}

TEST(SassStaging, StoresOfSumsAreResults) {
  const Staging staging = only_scope(
      Lines{"loop:", "UTMALDG.2D [UR8], [UR4], desc[UR6]"} + kTensor +
      Lines{"F2FP.BF16.F32.PACK_AB R4, R45, R44", "STS [R6], R4", "STS.128 [R6+0x10], R52"} +
      kAgain);
  EXPECT_EQ(staging.passes, 0U);
  EXPECT_EQ(staging.result_stores, 2U);
  EXPECT_EQ(staging.stores, 0U);
}

// A tile is stored once, and a loop without stores multiplies it: the loop around both counts.
TEST(SassStaging, TheScopeIsTheSmallestLoopThatFills) {
  const SassProgram program = sass_program(
      Lines{"loop:", "LDG.E.128 R4, [R8.64]", "STS.128 [R6], R4", "MOV R60, RZ", "inner:"} +
      kTensor +
      Lines{"IADD3 R60, R60, 0x1, RZ", "ISETP.NE.AND P0, PT, R60, 0x4, PT", "@P0 BRA inner"} +
      kAgain);
  const std::vector<Staging> found = find_staging(*program.values);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].loop, 0U);
  EXPECT_EQ(found[0].passes, 1U);
}

TEST(SassStaging, WithoutALoopTheFunctionUpToTheTensorInstructionsCounts) {
  const Staging staging = only_scope(Lines{"LDG.E.128 R4, [R8.64]", "STS.128 [R6], R4"} + kTensor +
                                     Lines{"BRA end", "end:", "STS [R6], R4", "EXIT"});
  EXPECT_EQ(staging.loop, std::nullopt);
  EXPECT_EQ(staging.stores, 1U);
  EXPECT_EQ(staging.passes, 1U);
}

TEST(SassStaging, ChainsOfConversionsGoThroughPermutations) {
  const Staging staging =
      only_scope(Lines{"loop:", "LDG.E R4, [R8.64]", "I2F.U16 R5, R4",
                       "F2FP.F16.F32.PACK_AB R5, RZ, R5", "PRMT R6, R5, 0x5410, R5",
                       "HADD2.F32 R7, -RZ, R6.H0_H0", "F2FP.BF16.F32.PACK_AB R7, RZ, R7",
                       "FMUL R9, R7, R7", "F2FP.BF16.F32.PACK_AB R9, RZ, R9", "STS [R60], R9"} +
                 kTensor + kAgain);
  EXPECT_EQ(staging.conversions, 5U);
  EXPECT_EQ(staging.longest_chain, 4U);  // arithmetic begins a new one
  EXPECT_EQ(staging.chain_end, 5U);
}

TEST(SassStaging, NothingIsSaidWithoutTensorInstructions) {
  const SassProgram program = sass_program(Lines{"loop:"} + kTwice + kAgain);
  EXPECT_TRUE(find_staging(*program.values).empty());
}

}  // namespace
}  // namespace proofline::sass_staging_test
