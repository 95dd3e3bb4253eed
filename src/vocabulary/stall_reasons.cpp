// SPDX-License-Identifier: Apache-2.0
//
// The table of stall reasons. Groups: shared memory's own two (short_scoreboard, mio_throttle)
// count as memory; "selected" and "not_selected" are compute, because such a warp has work to
// issue.
#include "vocabulary/stall_reasons.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "base/characters.h"

namespace proofline {
namespace {

// In the order of Stall.
constexpr StallReason kReasons[] = {
    {Stall::kBarrier, "barrier", "barrier", "barrier", StallGroup::kSynchronisation,
     "The other warps of its block to arrive at a block barrier (__syncthreads, BAR).",
     "Give all warps of the block equal work before the barrier, use smaller blocks or named "
     "barriers of fewer warps, or do without the barrier."},
    {Stall::kBranchResolving, "branch_resolving", "branch_resolving", "branch_resolving",
     StallGroup::kOther, "The target of its own branch to be known.",
     "Fewer jumps: unroll short loops, replace small branches by predicates or selects."},
    {Stall::kDispatchStall, "dispatch_stall", "dispatch_stall", "dispatch", StallGroup::kCompute,
     "The dispatcher, which held an issued instruction back because of a conflict.",
     "Rarely large; look at the instruction where it is sampled, often one with many register or "
     "uniform operands."},
    {Stall::kDrain, "drain", "drain", "drain", StallGroup::kMemory,
     "Its stores to leave the SM, after its last instruction.",
     "Write less at the very end of the kernel, or spread the stores over its run; coalesce them."},
    {Stall::kGmma, "gmma", "warpgroup_arrive", "gmma", StallGroup::kSynchronisation,
     "The asynchronous tensor instructions (wgmma) of its warp group, on Hopper.",
     "Keep more wgmma in flight before waiting, and give the wait other work to overlap with."},
    {Stall::kImcMiss, "imc_miss", "imc_miss", "imc", StallGroup::kMemory,
     "A constant that an instruction names directly, which missed the constant cache.",
     "Touch fewer distinct constants, or load them once into registers; index tables through "
     "global or shared memory."},
    {Stall::kLgThrottle, "lg_throttle", "lg_throttle", "lg", StallGroup::kMemory,
     "Room in the queue for local and global memory instructions.",
     "Fewer and wider accesses (64 or 128 bits), fewer spills, arithmetic between the accesses."},
    {Stall::kLongScoreboard, "long_scoreboard", "long_scoreboard", "long_sb", StallGroup::kMemory,
     "A value from global, local, surface or texture memory, or from another asynchronous unit.",
     "Better locality and coalescing first; then loads issued earlier, more of them in flight or "
     "more warps; keep what is reused in shared memory."},
    {Stall::kMathPipeThrottle, "math_pipe_throttle", "math_pipe_throttle", "math",
     StallGroup::kCompute, "Its execution pipe, which is busy with instructions of other warps.",
     "Fewer instructions for that pipe: cheaper forms, another pipe, or another type of number."},
    {Stall::kMembar, "membar", "membar", "membar", StallGroup::kSynchronisation,
     "A memory fence (__threadfence, MEMBAR): its earlier accesses must be visible to others.",
     "Fewer fences, and of the narrowest scope that is correct; fewer stores in flight before "
     "one."},
    {Stall::kMioThrottle, "mio_throttle", "mio_throttle", "mio", StallGroup::kMemory,
     "Room in the queue of the memory input/output unit: shared memory, special functions, dynamic "
     "branches.",
     "Fewer and wider shared-memory accesses, free of bank conflicts; shuffles or registers "
     "in its place where they serve."},
    {Stall::kMisc, "misc", "misc", "misc", StallGroup::kOther,
     "Something that the hardware does not name.",
     "Nothing by itself; look at the instructions where it is sampled."},
    {Stall::kNoInstruction, "no_instruction", "no_instructions", "no_inst", StallGroup::kOther,
     "Its next instruction to be fetched: an instruction-cache miss, or a jump.",
     "Smaller code: less unrolling and inlining, loops that fit the instruction cache; on tiny "
     "kernels it is start-up."},
    {Stall::kNotSelected, "not_selected", "not_selected", "not_selected", StallGroup::kCompute,
     "Its turn: it could issue, but the scheduler took another warp.",
     "Nothing: there are more warps than issue slots, so fewer warps would do as well."},
    {Stall::kSelected, "selected", "selected", "selected", StallGroup::kCompute,
     "Nothing: it issued an instruction.", "Nothing; this is the useful state."},
    {Stall::kShortScoreboard, "short_scoreboard", "short_scoreboard", "short_sb",
     StallGroup::kMemory,
     "A value from shared memory, a special function, a shuffle or another unit behind the same "
     "queue.",
     "Remove bank conflicts, read shared memory in wider pieces and earlier, use fewer special "
     "functions."},
    {Stall::kSleeping, "sleeping", "sleeping", "sleep", StallGroup::kSynchronisation,
     "The end of its own sleep (__nanosleep), in most cases while polling a lock or an mbarrier.",
     "Shorten what it polls for, or sleep for less; let one warp poll for all."},
    {Stall::kTexThrottle, "tex_throttle", "tex_throttle", "tex", StallGroup::kMemory,
     "Room in the queue of the texture unit.",
     "Fewer texture and surface instructions, wider ones, or plain global loads where filtering is "
     "not needed."},
    {Stall::kWait, "wait", "wait", "wait", StallGroup::kCompute,
     "A fixed number of cycles that its previous instruction takes.",
     "More independent instructions in a row (unrolling, several accumulators), or more warps."},
};

constexpr bool reasons_are_in_order() {
  for (std::size_t i = 0; i < std::size(kReasons); ++i) {
    if (kReasons[i].stall != static_cast<Stall>(i)) return false;
  }
  return std::size(kReasons) == static_cast<std::size_t>(Stall::kWait) + 1;
}
static_assert(reasons_are_in_order());

std::string plain_spelling(std::string_view spelling) {
  std::string text;
  for (const char c : spelling) {
    text += c == ' ' || c == '-' ? '_' : to_lower(c);
  }
  return text;
}

void strip_suffix(std::string_view& text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
}

// "stalled_" in a metric's name, "stall_" in a label.
void strip_lead(std::string_view& text) {
  constexpr std::string_view kInMetrics = "issue_stalled_";
  if (const std::size_t at = text.find(kInMetrics); at != text.npos) {
    text.remove_prefix(at + kInMetrics.size());
    return;
  }
  for (const std::string_view lead : {"stalled_", "stall_"}) {
    if (text.starts_with(lead)) text.remove_prefix(lead.size());
  }
}

}  // namespace

std::string_view to_string(StallGroup group) {
  switch (group) {
    case StallGroup::kMemory: return "memory";
    case StallGroup::kSynchronisation: return "synchronisation";
    case StallGroup::kCompute: return "compute";
    case StallGroup::kOther: return "other";
  }
  return "other";
}

std::string_view to_string(Stall stall) { return kReasons[static_cast<std::size_t>(stall)].name; }

std::span<const StallReason> stall_reasons() { return kReasons; }

bool is_issuing(Stall stall) { return stall == Stall::kSelected || stall == Stall::kNotSelected; }

bool is_issuing(std::string_view reason) {
  const StallReason* known = find_stall_reason(reason);
  return known != nullptr && is_issuing(known->stall);
}

std::string stall_counter(const StallReason& reason) {
  return "smsp__average_warps_issue_stalled_" + std::string(reason.name) +
         "_per_issue_active.ratio";
}

const StallReason* find_stall_reason(std::string_view any_spelling) {
  const std::string text = plain_spelling(any_spelling);
  std::string_view name = text;
  strip_lead(name);
  name = name.substr(0, name.find('.'));
  for (const std::string_view suffix : {"_per_issue_active", "_per_warp_active", "_not_issued"}) {
    strip_suffix(name, suffix);
  }
  const auto matches = [&](const StallReason& reason) {
    return name == reason.name || name == reason.sampled || name == reason.label;
  };
  const StallReason* found = std::find_if(std::begin(kReasons), std::end(kReasons), matches);
  return found != std::end(kReasons) ? found : nullptr;
}

bool is_stall_sample(std::string_view metric) {
  return metric.starts_with(kStallSamples) && !metric.ends_with("_not_issued");
}

}  // namespace proofline
