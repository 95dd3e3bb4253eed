// SPDX-License-Identifier: Apache-2.0
//
// Why a GPU is idle. A gap is attributed to the operation that ends it: to the call that launched
// that operation, and to what the host did when the gap began.
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

// A launch takes microseconds. A longer gap between call and kernel has another cause: an event
// that the stream waits for, another process, or records that were lost.
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
  // Time in gaps of any class during which the host was in such a call.
  std::int64_t under_sync_ns = 0;
  std::int64_t under_sync_host_ns = 0;  // in the part before the call
  std::int64_t under_allocation_ns = 0;
  std::vector<Stretch> allocating;  // of each gap with any of it: its start, and as much from there
  std::int64_t under_loader_ns = 0;

  std::int64_t of_class(IdleClass idle) const;
  // The time in gaps by class, clipped to the window.
  std::array<std::int64_t, kIdleClasses> by_class_within(std::int64_t from, std::int64_t to) const;
};

Idle find_idle(const Timeline& timeline, const Launches& launches, const DeviceTime& device);

}  // namespace proofline
