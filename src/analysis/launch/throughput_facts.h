// SPDX-License-Identifier: Apache-2.0
//
// Facts about how busy each level of memory and each pipe is, and which of them is the roof.
#pragma once

#include "model/diagnosis/fact_info.h"
#include "vocabulary/levels.h"

namespace proofline {

namespace facts {

inline constexpr FactFamily<Level> kThroughputShare = {{
    .name = "throughput.<level>.share",
    .unit = kShare,
    .meaning = "How much of a level's or pipe's peak was used over the elapsed time: dram, l2, "
               "l1, shared, tensor, fma, fma-heavy, fp64, integer, special-function, lsu, "
               "issue, constant, tma; sm and memory are ncu's aggregates, where what makes them "
               "up was not captured.",
    .words = "$ at @ of its peak",
}};
inline constexpr FactFamily<Level> kThroughputPath = {{
    .name = "throughput.<level>.path",
    .meaning = "The data path of that level that was used most.",
    .text = true,
}};
inline constexpr FactFamily<Level> kThroughputBytesPerSecond = {{
    .name = "throughput.<level>.bytes_per_second",
    .unit = "byte/s",
    .meaning = "Bytes that level moved in a second.",
    .words = "$ moves @",
    .needs = "dram__bytes.sum.per_second",
    .quick = true,
}};
inline constexpr FactInfo kThroughputMemoryTop = {
    .name = "throughput.memory.top",
    .meaning = "What makes up ncu's memory throughput: its largest part.",
    .text = true,
};
inline constexpr FactInfo kThroughputSmTop = {
    .name = "throughput.sm.top",
    .meaning = "What makes up ncu's SM throughput: its largest part.",
    .text = true,
};
inline constexpr FactInfo kThroughputMemoryTopShare = {
    .name = "throughput.memory.top_share",
    .unit = kShare,
    .meaning = "That part's share of its peak.",
    .words = "busiest part of memory at @ of its peak",
};
inline constexpr FactInfo kThroughputSmTopShare = {
    .name = "throughput.sm.top_share",
    .unit = kShare,
    .meaning = "That part's share of its peak.",
    .words = "busiest part of the SM at @ of its peak",
};
inline constexpr FactInfo kRoofLevel = {
    .name = "roof.level",
    .meaning = "The level or pipe that the kernel stands nearest to saturating.",
    .text = true,
    .words = "nearest roof: @",
};
inline constexpr FactInfo kRoofShare = {
    .name = "roof.share",
    .unit = kShare,
    .meaning = "How much of that roof's peak was used.",
    .words = "nearest roof at @ of its peak",
};
inline constexpr FactInfo kRoofHeadroom = {
    .name = "roof.headroom",
    .unit = kShare,
    .meaning =
        "How much of the time reaching that roof in practice would save; no change that "
        "leaves the work as it is can gain more.",
};
inline constexpr FactInfo kDuration = {
    .name = "duration",
    .unit = "ns",
    .meaning = "The time of the launch under ncu's replay; not wall time.",
    .words = "takes @",
    .needs = "gpu__time_duration.sum",
    .quick = true,
};

}  // namespace facts

inline constexpr FactInfo kThroughputFacts[] = {
    facts::kThroughputShare.info,
    facts::kThroughputPath.info,
    facts::kThroughputBytesPerSecond.info,
    facts::kThroughputMemoryTop,
    facts::kThroughputSmTop,
    facts::kThroughputMemoryTopShare,
    facts::kThroughputSmTopShare,
    facts::kRoofLevel,
    facts::kRoofShare,
    facts::kRoofHeadroom,
    facts::kDuration,
};

}  // namespace proofline
