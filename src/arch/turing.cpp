// SPDX-License-Identifier: Apache-2.0
//
// Turing: compute capability 7.5.
#include "arch/arch.h"

namespace proofline {
namespace {

constexpr std::uint32_t kTuringShared[] = {32 * kKiB, 64 * kKiB};  // [occupancy]

constexpr SmLimits kTuringLimits[] = {{
    .compute_capability = "7.5",
    .max_warps = 32,   // [guide], [captures]
    .max_blocks = 16,  // [guide], [occupancy], [captures]
    .shared_carveouts = kTuringShared,
    .max_shared_per_block = 64 * kKiB,  // [guide], [captures]
    .shared_granularity = 256,          // [occupancy], [captures]
    .shared_reserved = 0,               // [captures]
    .barriers = std::nullopt,
    .max_cluster_size = 1,
}};

}  // namespace

Arch turing() { return {"Turing", kTuringLimits}; }

}  // namespace proofline
