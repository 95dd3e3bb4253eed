// SPDX-License-Identifier: Apache-2.0
//
// Where the time of one GPU goes, from its first operation to the end of its last: kernels,
// communication and copies that nothing hides, and idle. Together they are the whole span, because
// each is what is left of a union and never a sum over operations that overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/intervals.h"
#include "model/timeline/timeline.h"

namespace proofline {

struct DeviceTime {
  std::uint32_t device = 0;        // in Timeline::devices
  std::vector<std::uint32_t> ops;  // by start
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  Stretches busy;           // any operation
  Stretches compute;        // kernels and graphs, without communication
  Stretches computing;      // those and communication; empty where there is none of it
  Stretches communication;  // kernels of NCCL and RCCL
  Stretches copies;         // copies and sets
  std::int64_t sum_ns = 0;  // of all operations, which may overlap
  Stretches concurrent;     // two operations or more
  std::uint32_t most_concurrent = 0;

  std::int64_t span_ns() const { return end_ns - start_ns; }
};

// Of all devices that did anything, in the order of the timeline's.
std::vector<DeviceTime> device_times(const Timeline& timeline);

// Whether a kernel's name is that of a collective operation.
bool is_communication(std::string_view kernel);

// The parts of a stretch of a device's time, which add up to it.
struct TimeParts {
  std::int64_t compute_ns = 0;
  std::int64_t communication_ns = 0;  // that no kernel hides
  std::int64_t copy_ns = 0;           // that neither hides
  std::int64_t idle_ns = 0;
};
TimeParts time_parts(const DeviceTime& device, std::int64_t from, std::int64_t to);

}  // namespace proofline
