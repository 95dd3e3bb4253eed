// SPDX-License-Identifier: Apache-2.0
//
// A matrix product on narrow inputs runs on the FMA pipe while the tensor cores idle.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/features.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

Outcome evaluate_tensor_cores_idle(Trial& trial) {
  const auto capability = trial.maybe(facts::kDeviceComputeCapability);
  if (capability && *capability < kTensorCores) return trial.clean();
  if (!trial.at_most(facts::kInstructionsShare[InstructionClass::kTensor], 0)) return trial.clean();
  // Conversions of narrow inputs lower the share of the multiply-adds that they feed.
  if (!trial.at_least(facts::kInstructionsMultiplyAddShare, 0.15)) return trial.clean();
  const double arithmetic = *trial.maybe(facts::kInstructionsMultiplyAddShare);
  const double converting =
      trial.maybe(facts::kInstructionsShare[InstructionClass::kConversion]).value_or(0);
  if (arithmetic + converting < 0.3) return trial.clean();
  if (arithmetic < 0.3) trial.show(facts::kInstructionsShare[InstructionClass::kConversion]);
  const auto types = trial.maybe_text(facts::kInstructionsNarrowTypes);
  if (types) {
    trial.show(facts::kInstructionsNarrowTypes);
  } else if (!trial.at_least(facts::kInstructionsHalfInputsShare, 0.05)) {
    return trial.clean();
  }
  // Reuse: data is read from shared memory or found in L1 far more often than it is fetched.
  const bool tiled =
      trial.maybe(facts::kInstructionsShare[InstructionClass::kSharedLoad]).value_or(0) >= 0.03;
  const bool cached = trial.maybe(facts::kMemoryL1HitShare).value_or(0) >= 0.6;
  if (!tiled && !cached) return trial.clean();
  if (!trial.at_most(facts::kThroughputShare[Level::kDram], kNearRoof)) return trial.clean();
  trial.show(facts::kInstructionsShare[InstructionClass::kSharedLoad]);
  trial.show(facts::kThroughputShare[Level::kFma]);
  const double memory = far_memory_share(trial);
  const double estimate = 0.8 * (1 - memory / kReachable);
  return trial.found(
      fmt::format("{} of the instructions are multiply-adds on 16-bit or narrower inputs, and "
                  "no tensor instruction is executed",
                  percent(arithmetic)),
      around(estimate, GainKind::kCeiling),
      fmt::format("compute the product with tensor cores ({}) and FP32 accumulation",
                  matrix_instruction(trial)));
}

}  // namespace

Rule tensor_cores_idle() {
  return {
      .id = "tensor-cores-idle",
      .group = CauseGroup::kWaste,
      .bound = Bound::kCompute,
      .at = "fma",
      .what =
          "16-bit or narrower inputs are converted and multiplied by FMA instructions, with reuse "
          "as in a matrix product, and no tensor instruction is executed.",
      .why = "Tensor cores do the same products at 8 to 16 times the rate of the FMA pipe.",
      .fix =
          "Use mma.sync or wgmma (WMMA, CUTLASS, cuBLAS, Triton's tl.dot) with FP32 accumulation; "
          "arrange tiles in shared memory for LDSM or matrix descriptors.",
      .limits =
          "Never for FP32 inputs alone: TF32 changes the result. Reuse is judged by shared-memory "
          "and cache traffic, so element-wise code does not count.",
      .explains = {"fma-pipe", "issue-slots", "shared-bandwidth", "l1-bandwidth", "lsu-pipe",
                   "dependency-latency", "memory-latency", "shared-bank-conflicts",
                   "barrier-stalls", "low-occupancy", "tail-effect", "integer-pipe"},
      .evaluate = evaluate_tensor_cores_idle,
  };
}

}  // namespace proofline
