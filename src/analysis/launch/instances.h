// SPDX-License-Identifier: Apache-2.0
//
// Most bytes of a full-set report are instances, and few of them tell a diagnosis anything.
#pragma once

#include <string_view>

namespace proofline {

// Whether some analysis reads this metric's instances; for ReadOptions::instances_of.
bool analyses_read_instances_of(std::string_view metric);

// The PC samples of one state of a warp, by instruction. Not those of the subset in which nobody
// issued, which ncu counts besides.
bool is_stall_sample(std::string_view metric);

inline constexpr std::string_view kStallSamples = "smsp__pcsamp_warps_issue_stalled_";
// How often each instruction was executed by a warp.
inline constexpr std::string_view kInstructionsExecuted = "inst_executed";

}  // namespace proofline
