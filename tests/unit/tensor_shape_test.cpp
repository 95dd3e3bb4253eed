// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/tensor_shape.h"

#include <gtest/gtest.h>

#include <optional>

#include "analysis/sass/operands.h"

namespace proofline::tensor_shape_test {
namespace {

TEST(TensorShape, IsReadInBothSpellings) {
  EXPECT_EQ(tensor_shape("HGMMA.64x128x16.F32.BF16"), (TensorShape{64, 128, 16}));
  EXPECT_EQ(tensor_shape("DMMA.16x8x8"), (TensorShape{16, 8, 8}));
  EXPECT_EQ(tensor_shape("HMMA.16816.F32.BF16"), (TensorShape{16, 8, 16}));
  EXPECT_EQ(tensor_shape("HMMA.1688.F32.TF32"), (TensorShape{16, 8, 8}));
  EXPECT_EQ(tensor_shape("IMMA.SP.16864.S8.S8"), (TensorShape{16, 8, 64}));
  EXPECT_EQ(tensor_shape("DMMA.884"), (TensorShape{8, 8, 4}));
  EXPECT_EQ(tensor_shape("BMMA.88128.XOR.POPC"), (TensorShape{8, 8, 128}));
}

TEST(TensorShape, IsAbsentWhereTheOpcodeDoesNotTell) {
  for (const char* opcode : {"UTCHMMA", "UTCHMMA.2CTA", "HMMA", "", "HMMA.", "HMMA.168", "HMMA.88",
                             "HGMMA.64x128", "HGMMA.64x128x", "HGMMA.64xAx16", "HMMA.F32.BF16"}) {
    EXPECT_EQ(tensor_shape(opcode), std::nullopt) << opcode;
  }
}

TEST(TensorShape, TellsHowManyRegistersTheTilesTake) {
  const OperandPlan doubles = plan_operands("DMMA.16x8x8");
  EXPECT_EQ(doubles.written_count, 8);  // 16 x 8 doubles in 32 lanes
  EXPECT_EQ(doubles.read_count[0], 8);
  EXPECT_EQ(doubles.read_count[1], 4);
  EXPECT_EQ(plan_operands("HGMMA.64x128x16.F32.BF16").written_count, 64);
  EXPECT_EQ(plan_operands("HGMMA.64x128x16.F16").written_count, 32);
  EXPECT_EQ(plan_operands("HMMA.4294967295x4294967295x8").written_count, 128);  // bounded
}

}  // namespace
}  // namespace proofline::tensor_shape_test
