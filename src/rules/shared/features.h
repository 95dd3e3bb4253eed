// SPDX-License-Identifier: Apache-2.0
//
// Hardware features by compute capability, so that no rule advises what a GPU lacks. Where the
// capture does not name the GPU, it is taken for the oldest.
#pragma once

#include <string_view>

#include "rules/rule.h"

namespace proofline {

// The least compute capability that has each feature.
inline constexpr double kTensorCores = 7.0;  // and __match_any_sync
inline constexpr double kLdmatrix = 7.5;
inline constexpr double kAsyncCopies = 8.0;  // cp.async, and __reduce_add_sync
inline constexpr double kTma = 9.0;          // and clusters

inline bool has(const Trial& trial, double capability) {
  return trial.maybe(facts::kDeviceComputeCapability).value_or(0) >= capability;
}

// The instruction that reaches the tensor cores' full rate, and the libraries that issue it.
inline std::string_view matrix_instruction(const Trial& trial) {
  const double capability = trial.maybe(facts::kDeviceComputeCapability).value_or(0);
  if (capability >= 9 && capability < 10) return "wgmma, through CUTLASS or cuBLAS";
  return capability >= 10 && capability < 12 ? "tcgen05, through CUTLASS or cuBLAS"
                                             : "mma.sync, through WMMA, CUTLASS or cuBLAS";
}

}  // namespace proofline
