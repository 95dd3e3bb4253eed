// SPDX-License-Identifier: Apache-2.0
//
// Why a GPU is idle. A gap between two operations has exactly one class; analysis/timeline/idle.cpp
// decides which. Everything else about a class is its row in this table: its spelling in JSON and
// CSV, its fact, and its words on screen. A class is an enumerator and a row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace proofline {

// In the order in which the classifier tries them. kLaunch stays last: it takes what is left.
enum class IdleClass : std::uint8_t {
  kUnattributed,
  kLoad,
  kSynchronise,
  kBlockingCopy,
  kAllocate,
  kLoader,
  kHost,
  kLaunch,
};
inline constexpr std::size_t kIdleClasses = static_cast<std::size_t>(IdleClass::kLaunch) + 1;

// What has to change for the gap to go. Facts add up classes by it.
enum class IdleCause : std::uint8_t {
  kUnknown,        // the timeline does not show the reason
  kNothingQueued,  // the host launches too late; a CUDA graph removes the short gaps
  kHostWaits,      // the host waits for the GPU before it launches more
  kHostBusy,       // the host is inside another call
};

struct IdleClassInfo {
  IdleClass idle;
  IdleCause cause;
  std::string_view name;          // in JSON, CSV and facts: "sync"
  std::string_view label;         // on screen: "synchronisation"
  std::string_view meaning;       // what `explain` says
  std::string_view fact;          // the class's share of the span
  std::string_view fact_meaning;  // one sentence
  std::string_view evidence;      // the fact in a sentence; @ is its value
  std::string_view reason;        // completes "the GPU is idle"
  std::string_view remedy;
};

inline constexpr std::array<IdleClassInfo, kIdleClasses> kIdleClassTable = {{
    {
        .idle = IdleClass::kUnattributed,
        .cause = IdleCause::kUnknown,
        .name = "unattributed",
        .label = "unattributed",
        .meaning = "The timeline does not tell why.",
        .fact = "timeline.idle.unattributed.share",
        .fact_meaning = "Idle whose launch is not in the timeline",
        .evidence = "@ of the time idle for no known reason",
        .reason = "for reasons that the timeline does not tell",
        .remedy = "record the whole program with its CUDA calls (proofline trace -- CMD)",
    },
    {
        .idle = IdleClass::kLoad,
        .cause = IdleCause::kHostBusy,
        .name = "load",
        .label = "module loading",
        .meaning = "Code was being loaded, as at a kernel's first launch.",
        .fact = "timeline.idle.load.share",
        .fact_meaning = "Idle while a kernel's code was loaded",
        .evidence = "@ of the time idle while code was loaded",
        .reason = "while kernels were loaded for their first launch",
        .remedy = "warm up before you record: first launches load code",
    },
    {
        .idle = IdleClass::kSynchronise,
        .cause = IdleCause::kHostWaits,
        .name = "sync",
        .label = "synchronisation",
        .meaning = "The CPU waited for the GPU, so nothing was queued behind it.",
        .fact = "timeline.idle.sync.share",
        .fact_meaning = "Idle after the host waited for the GPU",
        .evidence = "@ of the time idle after the host waited for the GPU",
        .reason = "because the host waited for the GPU before it gave more",
        .remedy = "take synchronisation out of the loop (.item(), .cpu(), print of a tensor, "
                  "cudaDeviceSynchronize), or do it once in many steps",
    },
    {
        .idle = IdleClass::kBlockingCopy,
        .cause = IdleCause::kHostWaits,
        .name = "block",
        .label = "blocking copies",
        .meaning = "The CPU waited for a copy.",
        .fact = "timeline.idle.block.share",
        .fact_meaning = "Idle after the host waited for a copy",
        .evidence = "@ of the time idle after waiting for a copy",
        .reason = "because the host waited for copies to end",
        .remedy =
            "copy from pinned memory with an asynchronous call (pin_memory, non_blocking=True), "
            "so that the host can go on",
    },
    {
        .idle = IdleClass::kAllocate,
        .cause = IdleCause::kHostBusy,
        .name = "alloc",
        .label = "allocation",
        .meaning = "Memory was allocated or freed.",
        .fact = "timeline.idle.alloc.share",
        .fact_meaning = "Idle under allocation",
        .evidence = "@ of the time idle in allocation",
        .reason = "while memory was allocated or freed",
        .remedy = "allocate once before the loop, or from a pool (cudaMallocAsync, PyTorch's "
                  "caching allocator; look for empty_cache in the loop): cudaFree waits for the "
                  "GPU",
    },
    {
        .idle = IdleClass::kLoader,
        .cause = IdleCause::kNothingQueued,
        .name = "loader",
        .label = "data loading",
        .meaning = "The CPU was loading or preparing data.",
        .fact = "timeline.idle.loader.share",
        .fact_meaning = "Idle while the host waited for data",
        .evidence = "@ of the time the host waits for data",
        .reason = "because the host waited for data",
        .remedy = "load data ahead of time: more workers, prefetching, cheaper decoding",
    },
    {
        .idle = IdleClass::kHost,
        .cause = IdleCause::kNothingQueued,
        .name = "host",
        .label = "host",
        .meaning = "Nothing was queued: the CPU launches too slowly.",
        .fact = "timeline.idle.host.share",
        .fact_meaning = "Idle because nothing was queued",
        .evidence = "@ of the time nothing queued",
        .reason = "because nothing was queued",
        .remedy = "put the loop into a CUDA graph (torch.compile mode=\"reduce-overhead\"), fuse "
                  "small kernels or enlarge the batch, and take Python out of the loop",
    },
    {
        .idle = IdleClass::kLaunch,
        .cause = IdleCause::kNothingQueued,
        .name = "launch",
        .label = "launch",
        .meaning = "Between a launch call and the start of its kernel.",
        .fact = "timeline.idle.launch.share",
        .fact_meaning = "Idle between a call and the start of what it launched",
        .evidence = "@ of the time between a launch call and its kernel",
        .reason = "between a launch and its start",
        .remedy = "fewer and larger launches, or a CUDA graph",
    },
}};

constexpr const IdleClassInfo& idle_class_info(IdleClass idle) {
  return kIdleClassTable[static_cast<std::size_t>(idle)];
}

// As JSON and CSV spell it; "" for a value after the last one.
constexpr std::string_view to_string(IdleClass idle) {
  return idle <= IdleClass::kLaunch ? idle_class_info(idle).name : std::string_view();
}

// A row at another place than its enumerator's, or one with a part left out, does not compile.
static_assert([] {
  for (std::size_t i = 0; i < kIdleClasses; ++i) {
    const IdleClassInfo& row = kIdleClassTable[i];
    const std::array texts = {row.name,         row.label,    row.meaning, row.fact,
                              row.fact_meaning, row.evidence, row.reason,  row.remedy};
    if (static_cast<std::size_t>(row.idle) != i) return false;
    if (std::any_of(texts.begin(), texts.end(), [](std::string_view one) { return one.empty(); })) {
      return false;
    }
  }
  return true;
}());

}  // namespace proofline
