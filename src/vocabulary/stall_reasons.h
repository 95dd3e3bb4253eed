// SPDX-License-Identifier: Apache-2.0
//
// The states in which a resident warp can be when the scheduler looks at it: one is "selected", the
// others say what it waits for. Counters and PC samples spell two of them differently. Also the
// metrics that count by instruction: the samples, and how often each was executed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace proofline {

enum class StallGroup { kMemory, kSynchronisation, kCompute, kOther };
std::string_view to_string(StallGroup group);

enum class Stall : std::uint8_t {
  kBarrier,
  kBranchResolving,
  kDispatchStall,
  kDrain,
  kGmma,
  kImcMiss,
  kLgThrottle,
  kLongScoreboard,
  kMathPipeThrottle,
  kMembar,
  kMioThrottle,
  kMisc,
  kNoInstruction,
  kNotSelected,
  kSelected,
  kShortScoreboard,
  kSleeping,
  kTexThrottle,
  kWait,
};
// As counters spell it: "long_scoreboard" of stall.long_scoreboard.share.
std::string_view to_string(Stall stall);

struct StallReason {
  Stall stall;
  std::string_view name;     // as counters spell it: smsp__warps_issue_stalled_<name>
  std::string_view sampled;  // as PC samples spell it: smsp__pcsamp_warps_issue_stalled_<sampled>
  std::string_view label;    // ncu's source page: stall_<label>
  StallGroup group;
  std::string_view waits_for;  // one sentence
  std::string_view helps;      // one sentence
};

std::span<const StallReason> stall_reasons();
// Whether a warp in this state has an instruction to issue, so that it waits for nothing but its
// turn.
bool is_issuing(Stall stall);

// By any spelling: a counter's, a sample's, ncu's labels ("Stall Long Scoreboard",
// "stall_long_sb"), or the name of a metric that has one of them in it. Null where it is none.
const StallReason* find_stall_reason(std::string_view any_spelling);
// Of a reason by any spelling; a reason that is newer than this program is a wait.
bool is_issuing(std::string_view reason);
// The counter of one state, per issued instruction.
std::string stall_counter(const StallReason& reason);

// The PC samples of one state of a warp, by instruction: these words and StallReason::sampled.
inline constexpr std::string_view kStallSamples = "smsp__pcsamp_warps_issue_stalled_";
// All samples; the name of the section that collects them.
inline constexpr std::string_view kSampleCount = "smsp__pcsamp_sample_count";
// Excludes the _not_issued subset, which ncu counts separately.
bool is_stall_sample(std::string_view metric);

// How often each instruction was executed by a warp, by a thread, and by a thread whose predicate
// held.
inline constexpr std::string_view kInstructionsExecuted = "inst_executed";
inline constexpr std::string_view kThreadsExecuted = "thread_inst_executed";
inline constexpr std::string_view kThreadsPredicatedOn = "thread_inst_executed_true";

}  // namespace proofline
