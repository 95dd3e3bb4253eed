// SPDX-License-Identifier: Apache-2.0
//
// Why a GPU has nothing to do. A gap between operations is answered for by the operation that ends
// it: what its launch was doing meanwhile, and what the host was doing when the gap began.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "analysis/timeline/launches.h"
#include "model/timeline/timeline.h"
#include "vocabulary/idle_classes.h"

namespace proofline {

// A launch gap longer than this is no launch's latency: an event, another process or lost records
// are behind it.
inline constexpr std::int64_t kLongestLaunchGapNs = 100'000;

struct Gap {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t op = 0;              // that ends it
  std::uint32_t call = kNoPosition;  // of that operation
  std::int64_t host_ns = 0;          // before the call began
  std::int64_t call_ns = 0;          // within it
  std::int64_t wait_ns = 0;          // after it
  IdleClass idle = IdleClass::kUnattributed;
  bool first_launch = false;  // of a kernel of that name
  bool after_sync = false;    // it begins within a call that waits for the GPU
  bool after_block = false;   // ... within a copy that the host waits for

  std::int64_t length() const { return end_ns - start_ns; }
};

struct Idle {
  std::vector<Gap> gaps;  // by start
  // What the host was in during gaps, whatever their class.
  std::int64_t under_sync_ns = 0;
  std::int64_t under_sync_host_ns = 0;  // in the part before the call
  std::int64_t under_allocation_ns = 0;
  std::vector<Stretch> allocating;  // of each gap with any of it: its start, and as much from there
  std::int64_t under_loader_ns = 0;

  std::int64_t of_class(IdleClass idle) const;
  // Of gaps, as far as they lie within these times.
  std::array<std::int64_t, kIdleClasses> by_class_within(std::int64_t from, std::int64_t to) const;
};

Idle find_idle(const Timeline& timeline, const Launches& launches, const DeviceTime& device);

}  // namespace proofline
