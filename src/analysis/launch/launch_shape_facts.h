// SPDX-License-Identifier: Apache-2.0
//
// Facts about how the grid meets the SMs: waves, tail, balance.
#pragma once

#include <algorithm>

#include "analysis/analysis.h"
#include "model/diagnosis/fact_info.h"

namespace proofline {

namespace facts {

inline constexpr FactInfo kLaunchBlocks = {
    .name = "launch.blocks",
    .unit = "block",
    .meaning = "Blocks of the grid.",
    .words = "@ blocks",
    .needs = "launch__grid_size",
    .quick = true,
};
inline constexpr FactInfo kLaunchThreadsPerBlock = {
    .name = "launch.threads_per_block",
    .unit = "thread",
    .meaning = "Threads of a block.",
    .needs = "launch__block_size",
    .quick = true,
};
inline constexpr FactInfo kLaunchLanesShare = {
    .name = "launch.lanes.share",
    .unit = kShare,
    .meaning = "Threads of a block over those of its whole warps.",
    .words = "the block fills @ of its warps' lanes",
    .needs = "launch__block_size",
    .quick = true,
};
inline constexpr FactInfo kLaunchSmCount = {
    .name = "launch.sm_count",
    .unit = "SM",
    .meaning = "SMs of the device.",
    .words = "@ SMs",
    .needs = "launch__sm_count",
    .quick = true,
};
inline constexpr FactInfo kLaunchBlocksPerSm = {
    .name = "launch.blocks_per_sm",
    .unit = "block",
    .meaning = "Blocks of the grid over SMs.",
    .needs = "launch__grid_size launch__sm_count",
    .quick = true,
};
inline constexpr FactInfo kLaunchWaves = {
    .name = "launch.waves",
    .unit = "wave",
    .meaning = "Blocks of the grid over blocks that run at once.",
    .words = "@ waves",
    .needs = "launch__waves_per_multiprocessor",
    .quick = true,
};
inline constexpr FactInfo kLaunchClusterSize = {
    .name = "launch.cluster_size",
    .unit = "block",
    .meaning = "Blocks of a cluster; 1 without clusters.",
    .words = "cluster size @",
    .needs = "launch__cluster_size",
    .quick = true,
};
inline constexpr FactInfo kLaunchPersistent = {
    .name = "launch.persistent",
    .meaning = "yes where the grid is exactly what runs at once, or a whole part.",
    .text = true,
    .needs = "launch__waves_per_multiprocessor launch__grid_size launch__sm_count",
    .quick = true,
};
inline constexpr FactInfo kLaunchSmsIdleShare = {
    .name = "launch.sms_idle.share",
    .unit = kShare,
    .meaning = "SMs that get no block at all.",
    .words = "@ of SMs without a block",
    .needs = "launch__grid_size launch__sm_count",
    .quick = true,
};
inline constexpr FactInfo kLaunchTailShare = {
    .name = "launch.tail.share",
    .unit = kShare,
    .meaning =
        "Time that SMs wait for the last wave, or for SMs with one block more, if all "
        "blocks take equally long.",
    .words = "@ of the time lost in the last wave",
    .needs = "launch__waves_per_multiprocessor launch__grid_size launch__sm_count",
    .quick = true,
};
inline constexpr FactInfo kLaunchBalanceShare = {
    .name = "launch.balance.share",
    .unit = kShare,
    .meaning = "Mean over maximum of the cycles that SMs were busy, of the SMs that got a block.",
    .words = "SMs busy @ of the busiest one's time on average",
    .needs = "launch__grid_size launch__sm_count sm__cycles_active.sum sm__cycles_active.max",
    .quick = true,
};
inline constexpr FactInfo kLaunchImbalanceShare = {
    .name = "launch.imbalance.share",
    .unit = kShare,
    .meaning = "Time that SMs wait for the busiest one, beyond what the last wave explains.",
    .words = "@ of the time spent waiting for the busiest SM",
    .needs = "launch__grid_size launch__sm_count sm__cycles_active.sum sm__cycles_active.max",
    .quick = true,
};
inline constexpr FactInfo kLaunchIdleShare = {
    .name = "launch.idle.share",
    .unit = kShare,
    .meaning = "Elapsed cycles in which an SM had no block, mean over the SMs that got one.",
    .words = "SMs without a block @ of the time",
    .needs = "launch__grid_size launch__sm_count sm__cycles_active.sum sm__cycles_elapsed.max",
    .quick = true,
};
inline constexpr FactInfo kLaunchSmActiveShare = {
    .name = "launch.sm_active.share",
    .unit = kShare,
    .meaning = "Cycles of the busiest SM over elapsed cycles: the rest is launch and drain.",
    .words = "SMs active @ of the time",
    .value =
        [](Formula& formula) {
          const double busiest = formula.read("sm__cycles_active.max");
          const double elapsed = formula.read("sm__cycles_elapsed.max");
          return std::min(1.0, busiest / elapsed);
        },
    .quick = true,
};

}  // namespace facts

inline constexpr FactInfo kLaunchShapeFacts[] = {
    facts::kLaunchBlocks,      facts::kLaunchThreadsPerBlock, facts::kLaunchLanesShare,
    facts::kLaunchSmCount,     facts::kLaunchBlocksPerSm,     facts::kLaunchWaves,
    facts::kLaunchClusterSize, facts::kLaunchPersistent,      facts::kLaunchSmsIdleShare,
    facts::kLaunchTailShare,   facts::kLaunchBalanceShare,    facts::kLaunchImbalanceShare,
    facts::kLaunchIdleShare,   facts::kLaunchSmActiveShare,
};

}  // namespace proofline
