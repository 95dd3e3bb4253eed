// SPDX-License-Identifier: Apache-2.0
//
// The recording of one process, added to the timeline of all of them: recorded_timeline.cpp puts
// them on one clock and tells which of their devices are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/input.h"
#include "base/interned.h"
#include "base/result.h"
#include "model/timeline/timeline.h"

namespace proofline {

// How far two clocks are apart, over all the moments at which they were read.
class ClockDistance {
 public:
  void add(std::uint64_t clock, std::uint64_t reference) {
    const auto distance = static_cast<std::int64_t>(clock - reference);
    if (count_ == 0) first_ = distance;
    sum_ += distance - first_;
    ++count_;
  }
  bool is_known() const { return count_ > 0; }
  std::int64_t mean() const { return count_ == 0 ? 0 : first_ + sum_ / count_; }

 private:
  std::int64_t first_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t count_ = 0;
};

// What is known of a device in one process.
struct LocalDevice {
  TimelineDevice device;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> uuid;
};

// Where a process' events begin in each list of the timeline, and its clocks.
struct ProcessPiece {
  std::size_t ops = 0, calls = 0, ranges = 0, memory = 0, waits = 0, streams = 0;
  ClockDistance monotonic;  // CUPTI's clock less the monotonic one
  ClockDistance real;       // the time of day less the monotonic clock
  std::vector<LocalDevice> devices;
};

struct ProcessReading {
  ProcessPiece piece;
  // Where the input itself failed; what came before is in the timeline all the same.
  Result<void> read;
};
// Adds the events to the timeline, by the process' own clock and devices. `name` is the file's.
ProcessReading read_recorded_process(Input& input, std::string name, Timeline& timeline,
                                     InternedTexts& names);

}  // namespace proofline
