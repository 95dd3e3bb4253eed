// SPDX-License-Identifier: Apache-2.0
//
// The result of analysing a timeline: where the time of each GPU goes, why it is idle, and tables
// of kernels, calls and copies. It owns its strings, so the timeline can be freed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/collectives.h"
#include "analysis/timeline/device_time.h"
#include "analysis/timeline/idle.h"
#include "analysis/timeline/tables.h"
#include "analysis/timeline/time_selection.h"
#include "base/result.h"
#include "model/diagnosis/facts.h"
#include "model/note.h"
#include "model/timeline/timeline.h"

namespace proofline {

// The part of a timeline to analyse. Without any member set it is all of it.
struct TimelineFilter {
  std::string step;                     // a step's name, or its number
  std::string range;                    // a name of annotations
  std::optional<std::uint64_t> stream;  // as the file counts
  std::optional<std::int64_t> from_ns;  // since the first event
  std::optional<std::int64_t> to_ns;

  bool is_set() const { return !step.empty() || !range.empty() || stream || from_ns || to_ns; }
};

using IdleTimes = std::array<std::int64_t, kIdleClasses>;

// Parts of time that add up to the whole: span = compute + communication + copies + idle.
struct TimeShares {
  std::int64_t span_ns = 0;
  TimeParts parts;
  IdleTimes idle{};

  std::int64_t of(IdleClass one) const { return idle[static_cast<std::size_t>(one)]; }
  std::int64_t of(IdleCause cause) const {
    std::int64_t ns = 0;
    for (const IdleClassInfo& one : kIdleClassTable) ns += one.cause == cause ? of(one.idle) : 0;
    return ns;
  }
  double share(std::int64_t ns) const {
    return span_ns > 0 ? static_cast<double>(ns) / static_cast<double>(span_ns) : 0;
  }
};

struct DeviceRow {
  std::uint32_t id = 0;
  std::string name;
  TimeShares time;             // within the selection
  std::int64_t before_ns = 0;  // of the selection, before the first operation
  std::int64_t after_ns = 0;   // ... and after the last
  std::uint64_t ops = 0;
  std::int64_t communication_ns = 0;  // hidden or not
  std::int64_t copies_ns = 0;
  std::int64_t concurrent_ns = 0;  // two operations or more
  std::uint32_t most_concurrent = 0;
  std::uint64_t gaps = 0;
  std::int64_t median_gap_ns = 0;
  std::int64_t longest_gap_ns = 0;
  std::int64_t short_gaps_ns = 0;   // of host, loader and launch, in gaps below kShortGapNs
  std::int64_t unexplained_ns = 0;  // of launch, in gaps above kLongestLaunchGapNs
  std::int64_t under_allocation_ns = 0;
};

// A CUDA graph removes launch gaps up to about this length.
inline constexpr std::int64_t kShortGapNs = 50'000;

struct NameRow {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t max_ns = 0;
  std::optional<double> share;  // of the span, of all devices together, where there is one
  bool communication = false;   // of kernels
};

struct GapRow {
  std::uint32_t device = 0;   // as the file counts
  std::int64_t start_ns = 0;  // since the first event
  std::int64_t length_ns = 0;
  IdleClass idle = IdleClass::kUnattributed;
  std::string ended_by;   // the operation's name
  std::string call;       // that asked for it; "" not known
  std::string asked_by;   // operator, else the Python function; "" not known
  std::string meanwhile;  // what that thread did in the gap; "" not known
};

struct StreamRow {
  std::uint32_t device = 0;
  std::uint64_t process = 0;
  std::uint64_t stream = 0;
  std::uint64_t ops = 0;
  std::int64_t busy_ns = 0;
};

struct StepRow {
  std::string name;
  std::int64_t start_ns = 0;  // since the first event
  TimeShares time;            // of the device that is looked at; span is the step's wall time
  std::int64_t busy_ns = 0;   // of any device
  bool slowest = false;       // of those after the first
  std::string why;            // of the slowest: what it has more than the median step
};

struct ThreadRow {
  std::string name;
  std::uint64_t id = 0;
  std::uint64_t calls = 0;
  std::int64_t call_ns = 0;
};

struct RankRow {
  std::uint32_t rank = 0;
  std::string path;
  TimeShares time;
  std::uint64_t collectives = 0;  // that were matched
  std::int64_t wait_ns = 0;       // for the last rank to come
  std::uint64_t came_last = 0;    // how often
};

struct TimelineReport {
  std::string path;
  std::string format;
  std::string producer;
  std::optional<std::uint32_t> rank;
  bool partial = false;
  std::string ops_missing;   // why the GPU did more than is known; "" not known to
  std::string selected;      // in words; "" all
  std::int64_t wall_ns = 0;  // from the first event to the last, of host and GPU
  std::size_t worst = 0;     // of devices: the one with the least kernels, which facts are about
  std::vector<DeviceRow> devices;
  std::vector<NameRow> kernels;
  std::vector<NameRow> calls;
  std::vector<NameRow> operators;
  std::vector<CopyTimes> copies;
  std::vector<CollectiveTimes> collectives;
  std::vector<GapRow> gaps;  // the longest first
  LaunchDelays delays;
  std::vector<StreamRow> streams;
  std::vector<ThreadRow> threads;
  std::vector<StepRow> steps;
  std::vector<RankRow> ranks;     // of a job of several
  std::uint64_t allocations = 0;  // calls after the first step, or the first tenth
  std::uint64_t synchronisations = 0;
  std::uint64_t memory_peak_bytes = 0;
  std::vector<Note> notes;
};

// Fails with kUsage where the filter names a step, range or stream that does not exist.
Result<TimelineReport> analyse_timeline(Timeline timeline, const TimelineFilter& filter = {});

// The facts of a timeline that rules and playbooks read. `timeline.bound` joins them when the rules
// have been evaluated.
Facts timeline_facts_of(const TimelineReport& report);

}  // namespace proofline
