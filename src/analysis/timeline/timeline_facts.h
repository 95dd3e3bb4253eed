// SPDX-License-Identifier: Apache-2.0
//
// Facts of a whole program's timeline. All shares are of the span of one GPU, the one that spends
// least of it on kernels.
#pragma once

#include <cstddef>
#include <string>

#include "model/diagnosis/fact_info.h"
#include "vocabulary/idle_classes.h"

namespace proofline {

namespace facts {

// Rules show the first only.
inline constexpr FactInfo::MemberWords kOperatorWords[] = {{"0", "busiest operator: @"}};
inline constexpr FactInfo kTimelineGpuBusyShare = {
    .name = "timeline.gpu_busy.share",
    .unit = kShare,
    .meaning = "Part of the GPU's span in which it does anything",
};
inline constexpr FactInfo kTimelineGpuIdleShare = {
    .name = "timeline.gpu_idle.share",
    .unit = kShare,
    .meaning = "Part of the GPU's span in which it does nothing",
    .words = "GPU idle @ of the time",
};
inline constexpr FactInfo kTimelineKernelsShare = {
    .name = "timeline.kernels.share",
    .unit = kShare,
    .meaning = "Part of the span in kernels that are no communication",
    .words = "kernels run @ of the time",
};
inline constexpr FactInfo kTimelineCopiesShare = {
    .name = "timeline.copies.share",
    .unit = kShare,
    .meaning = "Part of the span with a copy or a set, hidden or not",
    .words = "copies run @ of the time",
};
inline constexpr FactInfo kTimelineCopyExposedShare = {
    .name = "timeline.copy.exposed.share",
    .unit = kShare,
    .meaning = "Part of the span in copies that no kernel hides",
    .words = "@ of the time in copies that no kernel overlaps",
};
inline constexpr FactInfo kTimelineCopyOverlapShare = {
    .name = "timeline.copy_overlap.share",
    .unit = kShare,
    .meaning = "Part of the time of copies that kernels hide",
    .words = "@ of copy time overlapped by kernels",
};
inline constexpr FactInfo kTimelineCopyBytes = {
    .name = "timeline.copy.bytes",
    .unit = "byte",
    .meaning = "Bytes copied between host and GPU",
    .words = "@ copied",
};
inline constexpr FactInfo kTimelineCopyRate = {
    .name = "timeline.copy.rate",
    .unit = "byte/s",
    .meaning = "Bytes copied between host and GPU, by the time it took",
    .words = "copied at @",
};
inline constexpr FactInfo kTimelineCopyPageableShare = {
    .name = "timeline.copy.pageable.share",
    .unit = kShare,
    .meaning = "Part of the time of those copies with pageable memory",
    .words = "@ of copy time from pageable memory",
};
inline constexpr FactInfo kTimelineCommExposedShare = {
    .name = "timeline.comm.exposed.share",
    .unit = kShare,
    .meaning = "Part of the span in collectives that no kernel hides",
    .words = "@ of the time in collectives that no kernel overlaps",
};
inline constexpr FactInfo kTimelineAllocationShare = {
    .name = "timeline.allocation.share",
    .unit = kShare,
    .meaning = "Part of the span idle under calls that allocate or free",
    .words = "GPU idle under allocations @ of the time",
};
inline constexpr FactInfo kTimelineSynchronisationShare = {
    .name = "timeline.synchronisation.share",
    .unit = kShare,
    .meaning = "Part of the span idle after the host waited for the GPU or for a copy",
    .words = "GPU idle @ of the time after the host waited",
};
inline constexpr FactInfo kTimelineIdleUnexplainedShare = {
    .name = "timeline.idle.unexplained.share",
    .unit = kShare,
    .meaning =
        "Idle of launch in gaps above 100 us, which no launch takes: an event, another process or "
        "lost records are behind it",
    .words = "@ of the time in launch gaps that are not explained",
};
inline constexpr FactInfo kTimelineLaunchGapsShare = {
    .name = "timeline.launch_gaps.share",
    .unit = kShare,
    .meaning = "Idle of host, data loading and launch together, less what is not explained",
    .words = "GPU waits for launches @ of the time",
};
inline constexpr FactInfo kTimelineLaunchGapsShortShare = {
    .name = "timeline.launch_gaps.short.share",
    .unit = kShare,
    .meaning = "The part of it in gaps below 50 us, which a CUDA graph removes",
    .words = "@ of the time in gaps below 50 us",
};
inline constexpr FactInfo kTimelineGapCount = {
    .name = "timeline.gap.count",
    .meaning = "Gaps between the operations of the GPU",
    .words = "@ gaps",
};
inline constexpr FactInfo kTimelineGapMedian = {
    .name = "timeline.gap.median",
    .unit = "ns",
    .meaning = "Their median length",
    .words = "median gap @",
};
inline constexpr FactInfo kTimelineGapHostShare = {
    .name = "timeline.gap.host.share",
    .unit = kShare,
    .meaning = "Part of idle because nothing was queued",
};
inline constexpr FactInfo kTimelineLaunchCount = {
    .name = "timeline.launch.count",
    .meaning = "Kernels whose launch is known",
};
inline constexpr FactInfo kTimelineLaunchDelayMedian = {
    .name = "timeline.launch.delay.median",
    .unit = "ns",
    .meaning = "Median time from a launching call to its kernel",
};
inline constexpr FactInfo kTimelineLaunchLatency = {
    .name = "timeline.launch.latency",
    .unit = "ns",
    .meaning = "The least such time: with nothing queued before it",
};
inline constexpr FactInfo kTimelineKernelsLongestShare = {
    .name = "timeline.kernels.longest.share",
    .unit = kShare,
    .meaning = "Time of the kernel that takes most, communication aside, as a part of the span",
    .words = "the longest kernel takes @ of the time",
};
inline constexpr FactInfo kTimelineKernelsMedian = {
    .name = "timeline.kernels.median",
    .unit = "ns",
    .meaning = "Median time of a kernel, over all launches",
    .words = "median kernel @",
};
inline constexpr FactInfo kTimelineOverhead = {
    .name = "timeline.overhead",
    .unit = "ns",
    .meaning = "Median of a step's time less its kernels",
};
inline constexpr FactInfo kTimelineAllocations = {
    .name = "timeline.allocations",
    .meaning = "Calls that allocate or free, after the first step",
    .words = "@ allocations and frees",
};
inline constexpr FactInfo kTimelineAllocationsPerStep = {
    .name = "timeline.allocations_per_step",
    .meaning = "The same for each of these steps",
    .words = "@ per step",
};
inline constexpr FactInfo kTimelineSynchronisations = {
    .name = "timeline.synchronisations",
    .meaning = "Calls that wait for the GPU",
    .words = "@ synchronising calls",
};
inline constexpr FactInfo kTimelineMemoryPeak = {
    .name = "timeline.memory.peak",
    .unit = "byte",
    .meaning = "Most GPU memory in use by the framework's allocator, or taken by allocation calls",
};
inline constexpr FactInfo kTimelineConcurrencyShare = {
    .name = "timeline.concurrency.share",
    .unit = kShare,
    .meaning = "Part of the span with two operations or more",
};
inline constexpr FactInfo kTimelineStreams = {
    .name = "timeline.streams",
    .meaning = "Streams that did anything",
};
inline constexpr FactInfo kTimelineRanks = {
    .name = "timeline.ranks",
    .meaning = "Ranks of the job whose timelines were given",
};
inline constexpr FactInfo kTimelineStraggler = {
    .name = "timeline.straggler",
    .meaning = "The rank that the others wait for",
    .words = "the others wait for rank @",
};
inline constexpr FactInfo kTimelineBound = {
    .name = "timeline.bound",
    .meaning =
        "Where the first finding lies: host, copies, communication or kernels; unknown: idle that "
        "nothing explains",
    .text = true,
};
inline constexpr FactFamily<std::size_t> kTimelineTopName = {{
    .name = "timeline.top[<i>].name",
    .meaning = "A kernel, the longest in total first",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kTimelineTopShare = {{
    .name = "timeline.top[<i>].share",
    .unit = kShare,
    .meaning = "Its part of the span",
}};
inline constexpr FactFamily<std::size_t> kTimelineOperatorName = {{
    .name = "timeline.operator[<i>].name",
    .meaning = "An operator, by the GPU time it asked for",
    .text = true,
    .member_words = kOperatorWords,
}};
inline constexpr FactFamily<std::size_t> kTimelineOperatorShare = {{
    .name = "timeline.operator[<i>].share",
    .unit = kShare,
    .meaning = "Its part of the span",
}};
inline constexpr FactFamily<std::size_t> kTimelineApiName = {{
    .name = "timeline.api[<i>].name",
    .meaning = "A CUDA or HIP call, the longest in total first",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kTimelineApiShare = {{
    .name = "timeline.api[<i>].share",
    .unit = kShare,
    .meaning = "Its time as a part of the span",
}};
inline constexpr FactFamily<std::size_t> kTimelineThreadName = {{
    .name = "timeline.thread[<i>].name",
    .meaning = "A thread that makes such calls",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kTimelineThreadShare = {{
    .name = "timeline.thread[<i>].share",
    .unit = kShare,
    .meaning = "The time of its calls as a part of the span",
}};

// The share of each class of idle time, which its row in the table of classes declares.
struct IdleShares {
  FactRef operator[](IdleClass idle) const {
    return {std::string(idle_class_info(idle).fact), kShare};
  }
};
inline constexpr IdleShares kTimelineIdleShare;

}  // namespace facts

inline constexpr FactInfo kOtherTimelineFacts[] = {
    facts::kTimelineGpuBusyShare,
    facts::kTimelineGpuIdleShare,
    facts::kTimelineKernelsShare,
    facts::kTimelineCopiesShare,
    facts::kTimelineCopyExposedShare,
    facts::kTimelineCopyOverlapShare,
    facts::kTimelineCopyBytes,
    facts::kTimelineCopyRate,
    facts::kTimelineCopyPageableShare,
    facts::kTimelineCommExposedShare,
    facts::kTimelineAllocationShare,
    facts::kTimelineSynchronisationShare,
    facts::kTimelineIdleUnexplainedShare,
    facts::kTimelineLaunchGapsShare,
    facts::kTimelineLaunchGapsShortShare,
    facts::kTimelineGapCount,
    facts::kTimelineGapMedian,
    facts::kTimelineGapHostShare,
    facts::kTimelineLaunchCount,
    facts::kTimelineLaunchDelayMedian,
    facts::kTimelineLaunchLatency,
    facts::kTimelineKernelsLongestShare,
    facts::kTimelineKernelsMedian,
    facts::kTimelineOverhead,
    facts::kTimelineAllocations,
    facts::kTimelineAllocationsPerStep,
    facts::kTimelineSynchronisations,
    facts::kTimelineMemoryPeak,
    facts::kTimelineConcurrencyShare,
    facts::kTimelineStreams,
    facts::kTimelineRanks,
    facts::kTimelineStraggler,
    facts::kTimelineBound,
    facts::kTimelineTopName.info,
    facts::kTimelineTopShare.info,
    facts::kTimelineOperatorName.info,
    facts::kTimelineOperatorShare.info,
    facts::kTimelineApiName.info,
    facts::kTimelineApiShare.info,
    facts::kTimelineThreadName.info,
    facts::kTimelineThreadShare.info,
};

}  // namespace proofline
