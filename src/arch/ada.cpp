// SPDX-License-Identifier: Apache-2.0
//
// Ada: compute capability 8.9.
#include "arch/arch.h"

namespace proofline {
namespace {

constexpr std::uint32_t kAdaShared[] = {  // [occupancy]
    0, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 100 * kKiB};

constexpr SmLimits kAdaLimits[] = {{
    .compute_capability = "8.9",
    .max_warps = 48,   // [guide], [captures]
    .max_blocks = 24,  // [guide], [occupancy], [captures]
    .shared_carveouts = kAdaShared,
    .max_shared_per_block = 99 * kKiB,  // [guide], [captures]
    .shared_granularity = 128,          // [occupancy], [captures]
    .shared_reserved = 1 * kKiB,        // [guide], [captures]
    .barriers = std::nullopt,
    .max_cluster_size = 1,
}};

}  // namespace

Arch ada() { return {"Ada", kAdaLimits}; }

}  // namespace proofline
