// SPDX-License-Identifier: Apache-2.0
//
// Pascal: compute capability 6.0 and 6.1. 6.2 is left out: nothing at hand to check it against.
#include "arch/arch.h"

namespace proofline {
namespace {

// Shared memory is apart from L1, so there is one size only.
constexpr std::uint32_t kShared60[] = {64 * kKiB};  // Pascal tuning guide
constexpr std::uint32_t kShared61[] = {96 * kKiB};  // same; [captures] of a GTX 1070 Ti

constexpr SmLimits kPascalLimits[] = {
    {
        .compute_capability = "6.0",
        .max_warps = 64,   // Pascal tuning guide
        .max_blocks = 32,  // [occupancy]
        .shared_carveouts = kShared60,
        .max_shared_per_block = 48 * kKiB,  // Pascal tuning guide
        .shared_granularity = 256,          // [occupancy]
        .shared_reserved = 0,
        .barriers = std::nullopt,
        .max_cluster_size = 1,
        .sub_partitions = 2,  // [occupancy]
    },
    {
        .compute_capability = "6.1",
        .max_warps = 64,   // [captures]
        .max_blocks = 32,  // [occupancy], [captures]
        .shared_carveouts = kShared61,
        .max_shared_per_block = 48 * kKiB,  // [captures]
        .shared_granularity = 256,          // [occupancy]
        .shared_reserved = 0,
        .barriers = std::nullopt,
        .max_cluster_size = 1,
    },
};

}  // namespace

Arch pascal() { return {"Pascal", kPascalLimits}; }

}  // namespace proofline
