// SPDX-License-Identifier: Apache-2.0
//
// Facts about how many warps an SM holds, and what stops the next block.
#pragma once

#include "analysis/launch/occupancy_calculator.h"
#include "model/diagnosis/fact_info.h"

namespace proofline {

namespace facts {

inline constexpr FactInfo kOccupancyTheoretical = {
    .name = "occupancy.theoretical",
    .unit = kShare,
    .meaning =
        "Warps that fit on an SM with this kernel's registers, shared memory, block size "
        "and barriers, over those that an SM can hold.",
    .words = "@ occupancy possible",
    .needs = "sm__maximum_warps_per_active_cycle_pct",
    .quick = true,
};
inline constexpr FactInfo kOccupancyAchieved = {
    .name = "occupancy.achieved",
    .unit = kShare,
    .meaning =
        "Warps that were on an SM, on average over its active cycles, over those that it "
        "can hold.",
    .words = "@ occupancy achieved",
    .needs = "sm__warps_active.avg.pct_of_peak_sustained_active",
    .quick = true,
};
inline constexpr FactInfo kOccupancyLimiter = {
    .name = "occupancy.limiter",
    .meaning =
        "What stops the next block: registers, shared-memory, block-size, barriers, "
        "several joined by +, or none at a theoretical occupancy of 100 %.",
    .text = true,
    .words = "occupancy limited by @",
    .needs =
        "launch__occupancy_limit_registers launch__occupancy_limit_shared_mem "
        "launch__occupancy_limit_warps launch__occupancy_limit_blocks "
        "launch__occupancy_limit_barriers sm__maximum_warps_per_active_cycle_pct",
    .quick = true,
};
inline constexpr FactInfo kOccupancyBlocksPerSm = {
    .name = "occupancy.blocks_per_sm",
    .unit = "block",
    .meaning = "Blocks that fit on an SM at once.",
    .needs =
        "launch__occupancy_limit_registers launch__occupancy_limit_shared_mem "
        "launch__occupancy_limit_warps launch__occupancy_limit_blocks "
        "launch__occupancy_limit_barriers",
    .quick = true,
};
inline constexpr FactFamily<BlockLimit> kOccupancyLimit = {{
    .name = "occupancy.limit.<limit>",
    .unit = "block",
    .meaning = "Blocks that fit on an SM by one limit alone: registers, shared_memory, warps, "
               "blocks, barriers.",
    .needs = "launch__occupancy_limit_registers launch__occupancy_limit_shared_mem "
             "launch__occupancy_limit_warps launch__occupancy_limit_blocks "
             "launch__occupancy_limit_barriers",
    .quick = true,
}};
inline constexpr FactInfo kOccupancyNextStep = {
    .name = "occupancy.next_step",
    .meaning = "The least change that lets more warps onto an SM.",
    .text = true,
    .words = "@",
    .needs =
        "launch__block_size launch__registers_per_thread "
        "launch__shared_mem_per_block_static launch__shared_mem_per_block_dynamic "
        "launch__shared_mem_config_size launch__barrier_count",
    .quick = true,
};
inline constexpr FactInfo kOccupancyRegistersPerThread = {
    .name = "occupancy.registers_per_thread",
    .unit = "register/thread",
    .meaning = "Registers of a thread.",
    .words = "@ registers/thread",
    .needs = "launch__registers_per_thread",
    .quick = true,
};
inline constexpr FactInfo kOccupancySharedMemoryPerBlock = {
    .name = "occupancy.shared_memory_per_block",
    .unit = "byte/block",
    .meaning = "Static and dynamic shared memory of a block, without what the driver reserves.",
    .words = "@ of shared memory",
    .needs = "launch__shared_mem_per_block_static launch__shared_mem_per_block_dynamic",
    .quick = true,
};
inline constexpr FactInfo kOccupancyWarpsPerScheduler = {
    .name = "occupancy.warps_per_scheduler",
    .unit = "warp",
    .meaning = "Warps that each scheduler has to choose from at most.",
    .needs = "sm__maximum_warps_avg_per_active_cycle",
    .quick = true,
};
inline constexpr FactInfo kOccupancyClusterFill = {
    .name = "occupancy.cluster_fill",
    .unit = kShare,
    .meaning =
        "Blocks that run at once on the whole GPU as clusters, over those that would "
        "without: a cluster has to fit into one group of SMs.",
    .needs =
        "launch__cluster_max_active launch__cluster_size launch__sm_count "
        "launch__occupancy_limit_registers launch__occupancy_limit_shared_mem "
        "launch__occupancy_limit_warps launch__occupancy_limit_blocks "
        "launch__occupancy_limit_barriers",
    .quick = true,
};
inline constexpr FactInfo kOccupancyDisagreement = {
    .name = "occupancy.disagreement",
    .meaning = "Where ncu's numbers and our own calculation differ.",
    .text = true,
};

}  // namespace facts

inline constexpr FactInfo kOccupancyFacts[] = {
    facts::kOccupancyTheoretical,
    facts::kOccupancyAchieved,
    facts::kOccupancyLimiter,
    facts::kOccupancyBlocksPerSm,
    facts::kOccupancyLimit.info,
    facts::kOccupancyNextStep,
    facts::kOccupancyRegistersPerThread,
    facts::kOccupancySharedMemoryPerBlock,
    facts::kOccupancyWarpsPerScheduler,
    facts::kOccupancyClusterFill,
    facts::kOccupancyDisagreement,
};

}  // namespace proofline
