// SPDX-License-Identifier: Apache-2.0
//
// Timelines made by hand: kernels of one name on one stream, each with its launch.
#pragma once

#include <cstdint>

#include "model/timeline/timeline.h"

namespace proofline {

// One process, thread, device and stream.
inline Timeline empty_timeline() {
  Timeline timeline;
  timeline.names = {"kernel", "cudaLaunchKernel"};
  timeline.devices.emplace_back();
  timeline.processes.emplace_back();
  timeline.threads.emplace_back();
  timeline.streams.emplace_back();
  return timeline;
}

inline void add_launch(Timeline& timeline, std::int64_t call_ns, std::int64_t start_ns,
                       std::int64_t end_ns, std::uint32_t correlation) {
  timeline.calls.push_back({call_ns, call_ns + 1, 1, 0, correlation});
  GpuOp op;
  op.start_ns = start_ns;
  op.end_ns = end_ns;
  op.correlation = correlation;
  timeline.ops.push_back(op);
}

// Operations of `length` ns with `gap` ns between them, each called `lead` ns before its start.
inline Timeline regular_timeline(std::uint32_t ops, std::int64_t length, std::int64_t gap,
                                 std::int64_t lead) {
  Timeline timeline = empty_timeline();
  for (std::uint32_t i = 0; i < ops; ++i) {
    const std::int64_t start = 1'000'000 + i * (length + gap);
    add_launch(timeline, start - lead, start, start + length, i + 1);
  }
  return timeline;
}

}  // namespace proofline
