// SPDX-License-Identifier: Apache-2.0
//
// Facts about where warp cycles go, and how many warps a scheduler has to choose from.
#pragma once

#include <string_view>

#include "model/diagnosis/fact_info.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {

namespace facts {

inline constexpr FactFamily<Stall> kStallShare = {{
    .name = "stall.<reason>.share",
    .unit = kShare,
    .meaning = "Cycles that warps spend in this state, over all warp cycles.",
    .words = "warps stalled on $ @ of their time",
    .needs = "smsp__average_warp_latency_per_inst_issued.ratio",
    .quick = true,
}};
inline constexpr FactFamily<StallGroup> kStallGroupShare = {{
    .name = "stall.group.<group>.share",
    .unit = kShare,
    .meaning = "The reasons of one group together: memory, synchronisation, compute, other.",
    .words = "warps wait for $ @ of their time",
}};
inline constexpr FactInfo kStallExposedShare = {
    .name = "stall.exposed.share",
    .unit = kShare,
    .meaning = "All warp cycles but those in which a warp issued or was ready to issue.",
    .words = "warps stalled @ of their time",
};
inline constexpr FactInfo kStallSource = {
    .name = "stall.source",
    .meaning = "Whether the shares come from counters or from PC samples.",
    .text = true,
};
inline constexpr FactInfo kStallTop = {
    .name = "stall.top",
    .meaning = "The reason with the largest share, issuing aside.",
    .text = true,
    .words = "top stall: @",
};
inline constexpr FactInfo kWarpsActive = {
    .name = "warps.active",
    .unit = "warp",
    .meaning = "Resident warps of a scheduler, on average over its active cycles.",
    .words = "@ warps/scheduler resident",
    .needs = "smsp__warps_active.avg.per_cycle_active",
    .quick = true,
};
inline constexpr FactInfo kWarpsEligible = {
    .name = "warps.eligible",
    .unit = "warp",
    .meaning = "Warps of a scheduler that could issue, on average.",
    .words = "@ warps/scheduler eligible",
    .ideal = "1 keeps it busy",
    .needs = "smsp__warps_eligible.avg.per_cycle_active",
    .quick = true,
};
inline constexpr FactInfo kIssueActiveShare = {
    .name = "issue.active.share",
    .unit = kShare,
    .meaning = "Issue slots used, of those of active cycles: idle SMs do not count.",
    .words = "@ of issue slots used",
    .needs = "smsp__issue_active.avg.pct_of_peak_sustained_active",
    .quick = true,
};
inline constexpr FactInfo kWarpsDependencyShare = {
    .name = "warps.dependency.share",
    .unit = kShare,
    .meaning =
        "Warp cycles spent waiting for results of the warp's own previous instructions "
        "(wait and short_scoreboard).",
    .words = "warps wait for their own results @ of their time",
};
inline constexpr FactInfo kWarpsLatency = {
    .name = "warps.latency",
    .unit = "cycle",
    .meaning = "Cycles between two instructions of one warp.",
    .needs = "smsp__average_warp_latency_per_inst_issued.ratio",
    .formerly = "smsp__warp_cycles_per_inst_issued",
    .quick = true,
};

}  // namespace facts

// "long_scoreboard" of "stall.long_scoreboard.share"; "" of other facts, sums of reasons included.
std::string_view stall_reason_of(std::string_view fact);

inline constexpr FactInfo kStallsFacts[] = {
    facts::kStallShare.info,
    facts::kStallGroupShare.info,
    facts::kStallExposedShare,
    facts::kStallSource,
    facts::kStallTop,
    facts::kWarpsActive,
    facts::kWarpsEligible,
    facts::kIssueActiveShare,
    facts::kWarpsDependencyShare,
    facts::kWarpsLatency,
};

}  // namespace proofline
