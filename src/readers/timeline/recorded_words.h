// SPDX-License-Identifier: Apache-2.0
//
// What the numbers and names in a recording mean: kinds of copies, memory and waits as CUPTI
// numbers them, and the names of calls and ranges without what makes each of them another.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/timeline/timeline.h"

namespace proofline {

CopyDirection cupti_direction(std::uint64_t copy_kind);
MemoryKind cupti_memory(std::uint64_t kind);
WaitFor cupti_wait(std::uint64_t type);
std::string_view cupti_overhead_name(std::uint64_t kind);

std::string_view copy_word(CopyDirection direction);  // "HtoD"
std::string_view memory_word(MemoryKind kind);        // "Pageable"

// "cudaLaunchKernel" of "__cudaLaunchKernel_v13000", which compilers call since CUDA 13, and of
// "cudaLaunchKernel_ptsz_v7000": CUPTI puts the version last, so what is before it is plain too.
std::string_view recorded_call_name(std::string_view name);

struct RecordedRangeName {
  std::string_view name;
  HostWork work = HostWork::kAnnotation;
};
// PyTorch gives its operators to NVTX as "aten::add, seq = 5, op_id = 7": each another name.
RecordedRangeName recorded_range_name(std::string_view text);

}  // namespace proofline
