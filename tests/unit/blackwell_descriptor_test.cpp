// SPDX-License-Identifier: Apache-2.0
//
// Blackwell's tile and instruction descriptors (kernels/blackwell/descriptor.h), field by field:
// the kernels that use them cannot run here.
#include <gtest/gtest.h>

#include <cstdint>

#include "../../kernels/blackwell/descriptor.h"

namespace proofline::blackwell_descriptor_test {
namespace {

std::uint64_t field(std::uint64_t word, unsigned first, unsigned last) {
  return word >> first & ((std::uint64_t{1} << (last - first + 1)) - 1);
}

TEST(BlackwellDescriptor, ATileHasAddressStepsVersionAndSwizzle) {
  const std::uint64_t tile = blackwell::k_major(0x28400);
  EXPECT_EQ(field(tile, 0, 13), 0x2840U);
  EXPECT_EQ(field(tile, 16, 29), 0U);
  EXPECT_EQ(field(tile, 32, 45), 64U);  // 1024 bytes to the next eight rows
  EXPECT_EQ(field(tile, 46, 47), 1U);
  EXPECT_EQ(field(tile, 61, 63), 2U);
  EXPECT_EQ(blackwell::advance(tile, 32), blackwell::k_major(0x28420));
}

TEST(BlackwellDescriptor, ScalesAreNotSwizzled) {
  const std::uint64_t block = blackwell::scale_block(0x1200);
  EXPECT_EQ(field(block, 0, 13), 0x120U);
  EXPECT_EQ(field(block, 32, 45), 8U);  // 128 bytes
  EXPECT_EQ(field(block, 46, 47), 1U);
  EXPECT_EQ(field(block, 61, 63), 0U);
}

TEST(BlackwellDescriptor, EverySizeOfABf16ProductIsInItsPlace) {
  EXPECT_EQ(blackwell::bf16_instruction(128, 256), 0x08400490U);
  for (std::uint32_t m = 64; m <= 256; m += 64) {
    for (std::uint32_t n = 8; n <= 256; n += 8) {
      const std::uint32_t instruction = blackwell::bf16_instruction(m, n);
      EXPECT_EQ(field(instruction, 4, 5), 1U);    // fp32 accumulators
      EXPECT_EQ(field(instruction, 7, 9), 1U);    // bf16
      EXPECT_EQ(field(instruction, 10, 12), 1U);  // bf16
      EXPECT_EQ(field(instruction, 15, 16), 0U);  // both K-major
      EXPECT_EQ(field(instruction, 17, 22) * 8, n);
      EXPECT_EQ(field(instruction, 24, 28) * 16, m);
    }
  }
}

TEST(BlackwellDescriptor, EverySizeOfABlockScaledProductIsInItsPlace) {
  EXPECT_EQ(blackwell::block_scaled_instruction(256, 128, true), 0x10A00480U);
  for (const bool ue8m0 : {false, true}) {
    for (std::uint32_t n = 16; n <= 256; n += 16) {
      const std::uint32_t instruction = blackwell::block_scaled_instruction(256, n, ue8m0);
      EXPECT_EQ(field(instruction, 4, 5), 0U);    // scale factor B id 0
      EXPECT_EQ(field(instruction, 7, 9), 1U);    // e2m1
      EXPECT_EQ(field(instruction, 10, 11), 1U);  // e2m1
      EXPECT_EQ(field(instruction, 17, 22) * 8, n);
      EXPECT_EQ(field(instruction, 23, 23), ue8m0 ? 1U : 0U);
      EXPECT_EQ(field(instruction, 24, 28), 16U);
      EXPECT_EQ(field(instruction, 29, 31), 0U);
    }
  }
}

}  // namespace
}  // namespace proofline::blackwell_descriptor_test
