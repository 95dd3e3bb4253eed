// SPDX-License-Identifier: Apache-2.0
//
// Ampere: compute capability 8.0 (A100), 8.6 (A10, A40, RTX 30) and 8.7 (Orin).
#include "arch/arch.h"

namespace proofline {
namespace {

// [occupancy]
constexpr std::uint32_t kShared164[] = {0,         8 * kKiB,   16 * kKiB,  32 * kKiB,
                                        64 * kKiB, 100 * kKiB, 132 * kKiB, 164 * kKiB};
constexpr std::uint32_t kAmpereShared100[] = {0,         8 * kKiB,  16 * kKiB,
                                              32 * kKiB, 64 * kKiB, 100 * kKiB};

constexpr SmLimits kAmpereLimits[] = {
    {
        .compute_capability = "8.0",
        .max_warps = 64,   // [guide]
        .max_blocks = 32,  // [guide], [occupancy]
        .shared_carveouts = kShared164,
        .max_shared_per_block = 163 * kKiB,  // [guide]
        .shared_granularity = 128,           // [occupancy]
        .shared_reserved = 1 * kKiB,         // [guide]
        .barriers = std::nullopt,
        .max_cluster_size = 1,
    },
    {
        .compute_capability = "8.6",
        .max_warps = 48,   // [guide], [captures]
        .max_blocks = 16,  // [guide], [occupancy], [captures]
        .shared_carveouts = kAmpereShared100,
        .max_shared_per_block = 99 * kKiB,  // [guide], [captures]
        .shared_granularity = 128,          // [occupancy], [captures]
        .shared_reserved = 1 * kKiB,        // [guide], [captures]
        .barriers = std::nullopt,
        .max_cluster_size = 1,
    },
    {
        .compute_capability = "8.7",
        .max_warps = 48,   // [guide]
        .max_blocks = 16,  // [guide], [occupancy]
        .shared_carveouts = kShared164,
        .max_shared_per_block = 163 * kKiB,  // [guide]
        .shared_granularity = 128,           // [occupancy]
        .shared_reserved = 1 * kKiB,         // [guide]
        .barriers = std::nullopt,
        .max_cluster_size = 1,
    },
};

}  // namespace

Arch ampere() { return {"Ampere", kAmpereLimits}; }

}  // namespace proofline
