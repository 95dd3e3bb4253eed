// SPDX-License-Identifier: Apache-2.0
//
// Hopper: compute capability 9.0.
#include "arch/arch.h"

namespace proofline {
namespace {

constexpr std::uint32_t kHopperShared[] = {  // [occupancy]
    0,          8 * kKiB,   16 * kKiB,  32 * kKiB,  64 * kKiB,
    100 * kKiB, 132 * kKiB, 164 * kKiB, 196 * kKiB, 228 * kKiB};

constexpr SmLimits kHopperLimits[] = {{
    .compute_capability = "9.0",
    .max_warps = 64,   // [guide], [captures]
    .max_blocks = 32,  // [guide], [occupancy], [captures]
    .shared_carveouts = kHopperShared,
    .max_shared_per_block = 227 * kKiB,  // [guide], [captures]
    .shared_granularity = 128,           // [occupancy], [captures]
    .shared_reserved = 1 * kKiB,         // [guide], [captures]
    .barriers = 64,                      // [occupancy], [captures]
    .max_cluster_size = 16,              // Hopper tuning guide; 8 is portable
}};

}  // namespace

Arch hopper() { return {"Hopper", kHopperLimits}; }

}  // namespace proofline
