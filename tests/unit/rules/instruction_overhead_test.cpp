// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::instruction_overhead_test {
namespace {

TEST(InstructionOverhead, IsFoundInATensorKernelBusyWithOtherWork) {
  const RuleCase base("instruction-overhead", {{"instructions.tensor.share", 0.02},
                                               {"instructions.integer.share", 0.43},
                                               {"instructions.conversion.share", 0.17},
                                               {"throughput.tensor.share", 0.06},
                                               {"throughput.issue.share", 0.7}});
  EXPECT_FOUND_FROM(base, "instructions.integer.share", 0.18);
  EXPECT_FOUND_UP_TO(base, "throughput.tensor.share", 0.6);
  EXPECT_GAIN(base, 0.12, 0.4);
  EXPECT_SILENT(base.with("throughput.issue.share", 0.05));
  EXPECT_SILENT(base.with("instructions.tensor.share", 0));
  EXPECT_NOT_EVALUATED(base.without("instructions.tensor.share"), "instructions.tensor.share");
  EXPECT_NOT_EVALUATED(base.without("throughput.tensor.share"), "throughput.tensor.share");
}

TEST(InstructionOverhead, IsFoundWhereIndicesAreDivided) {
  const RuleCase base("instruction-overhead", {{"instructions.integer_division.share", 0.6},
                                               {"instructions.tensor.share", 0},
                                               {"throughput.issue.share", 0.7}});
  EXPECT_FOUND_FROM(base, "instructions.integer_division.share", 0.2);
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.883);
  EXPECT_GAIN(base, 0.36, 0.64);
  EXPECT_ADVISES(base, "without division");
}

TEST(InstructionOverhead, IsFoundOnHopperWithoutWarpgroupInstructions) {
  const RuleCase base("instruction-overhead", {{"instructions.tensor.share", 0.3},
                                               {"instructions.tensor.shape", "HMMA.16816.F32"},
                                               {"device.compute_capability", 9.0},
                                               {"instructions.integer.share", 0.1},
                                               {"instructions.conversion.share", 0.0},
                                               {"throughput.tensor.share", 0.65}});
  EXPECT_GAIN(base, 0.21, 0.49);
  EXPECT_ADVISES(base, "wgmma");
  EXPECT_SILENT(base.with("device.compute_capability", 8.9));
  EXPECT_SILENT(base.with("instructions.tensor.shape", "HGMMA.64x256x16.F32"));
  EXPECT_SILENT(base.with("throughput.tensor.share", 0.2));
}

TEST(InstructionOverhead, IsFoundWhereOperandsComeInPieces) {
  const RuleCase base("instruction-overhead", {{"instructions.integer_division.share", 0},
                                               {"instructions.tensor.share", 0},
                                               {"instructions.multiply_add.share", 0.8},
                                               {"memory.shared.load.width", 10},
                                               {"throughput.lsu.share", 0.5}});
  EXPECT_FOUND_UP_TO(base, "memory.shared.load.width", 12);
  EXPECT_FOUND_FROM(base, "throughput.lsu.share", 0.4);
  EXPECT_FOUND_FROM(base, "instructions.multiply_add.share", 0.5);
  EXPECT_SAYS(base, "10.0 bytes per thread where 16 would do");
  EXPECT_ADVISES(base, "LDS.128");
  EXPECT_SILENT(base.with("throughput.lsu.share", 0.7));  // then it is the roof
}

}  // namespace
}  // namespace proofline::instruction_overhead_test
