// SPDX-License-Identifier: Apache-2.0
//
// Volta: compute capability 7.0 (V100) and 7.2 (Xavier).
#include "arch/arch.h"

namespace proofline {
namespace {

constexpr std::uint32_t kVoltaShared[] = {  // [occupancy]
    0, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 96 * kKiB};

constexpr SmLimits limits(std::string_view compute_capability) {
  return {
      .compute_capability = compute_capability,
      .max_warps = 64,   // Volta tuning guide, [captures] of a Xavier
      .max_blocks = 32,  // [occupancy], [captures]
      .shared_carveouts = kVoltaShared,
      .max_shared_per_block = 96 * kKiB,  // [captures]
      .shared_granularity = 256,          // [occupancy]
      .shared_reserved = 0,
      .barriers = std::nullopt,
      .max_cluster_size = 1,
  };
}

constexpr SmLimits kVoltaLimits[] = {limits("7.0"), limits("7.2")};

}  // namespace

Arch volta() { return {"Volta", kVoltaLimits}; }

}  // namespace proofline
