// SPDX-License-Identifier: Apache-2.0
#include "support/rule_case.h"

namespace proofline::tensor_cores_idle_test {
namespace {

RuleCase product_on_fma_pipe() {
  return RuleCase("tensor-cores-idle", {{"instructions.tensor.share", 0},
                                        {"instructions.multiply_add.share", 0.5},
                                        {"instructions.half_inputs.share", 0.1},
                                        {"instructions.shared.share", 0.1},
                                        {"throughput.dram.share", 0.2}});
}

TEST(TensorCoresIdle, IsFoundFromThreeTenthsOfMultiplyAddsAndNoTensorInstruction) {
  const RuleCase base = product_on_fma_pipe();
  EXPECT_FOUND(base);
  EXPECT_SILENT(base.with("instructions.tensor.share", 0.001));
  EXPECT_FOUND_FROM(base, "instructions.multiply_add.share", 0.3);
  EXPECT_FOUND_UP_TO(base, "throughput.dram.share", 0.6);
  EXPECT_GAIN(base, 0.45, 0.73);
  for (const char* fact : {"instructions.tensor.share", "instructions.multiply_add.share",
                           "instructions.half_inputs.share", "throughput.dram.share"}) {
    EXPECT_NOT_EVALUATED(base.without(fact), fact);
  }
}

TEST(TensorCoresIdle, WantsNarrowInputs) {
  const RuleCase base = product_on_fma_pipe();
  EXPECT_FOUND_FROM(base, "instructions.half_inputs.share", 0.05);
  EXPECT_FOUND(
      base.without("instructions.half_inputs.share").with("instructions.narrow_types", "bfloat16"));
}

TEST(TensorCoresIdle, WantsTheReuseOfAMatrixProduct) {
  const RuleCase base = product_on_fma_pipe();
  EXPECT_FOUND_FROM(base, "instructions.shared.share", 0.03);
  EXPECT_FOUND_FROM(base.without("instructions.shared.share"), "memory.l1.hit.share", 0.6);
}

TEST(TensorCoresIdle, KnowsTheGpu) {
  const RuleCase base("tensor-cores-idle", {{"instructions.tensor.share", 0},
                                            {"instructions.multiply_add.share", 0.5},
                                            {"instructions.half_inputs.share", 0.2},
                                            {"instructions.shared.share", 0.2},
                                            {"throughput.dram.share", 0.2}});
  EXPECT_ADVISES(base.with("device.compute_capability", 9.0), "wgmma");
  EXPECT_ADVISES(base.with("device.compute_capability", 10.0), "tcgen05");
  EXPECT_ADVISES(base.with("device.compute_capability", 12.0), "mma.sync");
  EXPECT_SILENT(base.with("device.compute_capability", 6.1));
}

}  // namespace
}  // namespace proofline::tensor_cores_idle_test
