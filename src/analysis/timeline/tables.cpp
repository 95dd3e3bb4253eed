// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/tables.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/statistics.h"

namespace proofline {
namespace {

// Lengths of one name come to lie side by side by counting, since names are few. `for_each` calls
// what it is given with the name and the length of each event, and is asked twice: a list of all of
// them would be as large as the events.
template <class ForEach>
std::vector<NameTimes> times_by_name(const Timeline& timeline, const ForEach& for_each) {
  std::vector<std::uint32_t> place(timeline.names.size(), kNoPosition);
  std::vector<NameTimes> times;
  for_each([&](std::uint32_t name, std::int64_t ns) {
    if (place[name] == kNoPosition) {
      place[name] = static_cast<std::uint32_t>(times.size());
      times.push_back({name, 0, 0, ns, 0, ns});
    }
    NameTimes& of_name = times[place[name]];
    ++of_name.count;
    of_name.sum_ns += ns;
    of_name.min_ns = std::min(of_name.min_ns, ns);
    of_name.max_ns = std::max(of_name.max_ns, ns);
  });
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (const NameTimes& of_name : times) {
    ends.push_back(end);
    end += of_name.count;
  }
  std::vector<std::int64_t> sorted(end);
  for_each([&](std::uint32_t name, std::int64_t ns) { sorted[ends[place[name]]++] = ns; });
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].median_ns =
        lower_median(std::span(sorted).subspan(ends[i] - times[i].count, times[i].count));
  }
  std::sort(times.begin(), times.end(), [&](const NameTimes& a, const NameTimes& b) {
    return std::tie(b.sum_ns, timeline.names[a.name]) < std::tie(a.sum_ns, timeline.names[b.name]);
  });
  return times;
}

CopySize size_of(const GpuOp& op) {
  if (op.bytes == kUnknownBytes || op.bytes < kMediumCopyBytes) return CopySize::kSmall;
  return op.bytes < kLargeCopyBytes ? CopySize::kMedium : CopySize::kLarge;
}

void add_queue(const Timeline& timeline, const Launches& launches, LaunchDelays& delays) {
  std::vector<std::int64_t> calls;
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
    const std::uint32_t call = launches.call_of_op[i];
    if (call == kNoPosition) continue;
    const std::int64_t start = timeline.ops[i].start_ns;
    // Clocks that disagree must not make a queue of fewer than none.
    calls.push_back(std::min(timeline.calls[call].start_ns, start));
    starts.push_back(start);
  }
  if (calls.empty()) return;
  for (std::vector<std::int64_t>* times : {&calls, &starts}) {
    if (!std::is_sorted(times->begin(), times->end())) std::sort(times->begin(), times->end());
  }
  double waiting = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    waiting += static_cast<double>(starts[i] - calls[i]);
  }
  std::size_t called = 0;
  for (std::size_t started = 0; started < starts.size(); ++started) {
    while (called < calls.size() && calls[called] < starts[started]) ++called;
    const std::size_t depth = called > started ? called - started : 0;
    delays.deepest_queue = std::max(delays.deepest_queue, static_cast<std::uint32_t>(depth));
  }
  const std::int64_t whole = starts.back() - calls.front();
  if (whole > 0) delays.mean_queue = waiting / static_cast<double>(whole);
}

}  // namespace

std::string_view to_string(HostMemory memory) {
  switch (memory) {
    case HostMemory::kNone: return "";
    case HostMemory::kPageable: return "pageable";
    case HostMemory::kPinned: return "pinned";
  }
  return "";
}

std::string_view to_string(CopySize size) {
  switch (size) {
    case CopySize::kSmall: return "below 64 KiB";
    case CopySize::kMedium: return "64 KiB to 1 MiB";
    case CopySize::kLarge: return "1 MiB and more";
  }
  return "";
}

std::vector<NameTimes> kernel_times(const Timeline& timeline, const TimeSelection& selection) {
  return times_by_name(timeline, [&](const auto& take) {
    for (const GpuOp& op : timeline.ops) {
      if (op.work != GpuWork::kKernel || !selection.has(op.start_ns)) continue;
      take(op.name, op.end_ns - op.start_ns);
    }
  });
}

std::vector<NameTimes> call_times(const Timeline& timeline, const TimeSelection& selection) {
  return times_by_name(timeline, [&](const auto& take) {
    for (const ApiCall& call : timeline.calls) {
      if (selection.has(call.start_ns)) take(call.name, call.end_ns - call.start_ns);
    }
  });
}

std::vector<NameTimes> operator_times(const Timeline& timeline, const Launches& launches,
                                      const TimeSelection& selection) {
  return times_by_name(timeline, [&](const auto& take) {
    for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
      const GpuOp& op = timeline.ops[i];
      const std::uint32_t range = launches.range_of_op[i];
      if (range == kNoPosition || !selection.has(op.start_ns)) continue;
      take(timeline.ranges[range].name, op.end_ns - op.start_ns);
    }
  });
}

HostMemory host_memory(const GpuOp& op) {
  for (const MemoryKind kind : {op.from, op.to}) {
    if (kind == MemoryKind::kPageable) return HostMemory::kPageable;
    if (kind == MemoryKind::kPinned) return HostMemory::kPinned;
  }
  return HostMemory::kNone;
}

std::vector<CopyTimes> copy_times(const Timeline& timeline, const TimeSelection& selection) {
  std::map<std::tuple<CopyDirection, HostMemory, CopySize>, CopyTimes> by_kind;
  for (const GpuOp& op : timeline.ops) {
    if (op.work != GpuWork::kCopy || !selection.has(op.start_ns)) continue;
    const auto key = std::tuple(op.direction, host_memory(op), size_of(op));
    CopyTimes& times = by_kind[key];
    std::tie(times.direction, times.memory, times.size) = key;
    ++times.count;
    times.sum_ns += op.end_ns - op.start_ns;
    if (op.bytes == kUnknownBytes) times.bytes.reset();
    if (times.bytes) *times.bytes += op.bytes;
  }
  std::vector<CopyTimes> all;
  for (const auto& [key, times] : by_kind) all.push_back(times);
  std::stable_sort(all.begin(), all.end(),
                   [](const CopyTimes& a, const CopyTimes& b) { return a.sum_ns > b.sum_ns; });
  return all;
}

LaunchDelays launch_delays(const Timeline& timeline, const Launches& launches,
                           const TimeSelection& selection) {
  LaunchDelays delays;
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
    const std::uint32_t call = launches.call_of_op[i];
    if (call == kNoPosition || timeline.ops[i].work != GpuWork::kKernel) continue;
    if (!selection.has(timeline.ops[i].start_ns)) continue;
    values.push_back(timeline.ops[i].start_ns - timeline.calls[call].start_ns);
  }
  delays.count = values.size();
  if (values.empty()) return delays;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  delays.min_ns = *least;
  delays.max_ns = *most;
  delays.negative = static_cast<std::uint64_t>(
      std::count_if(values.begin(), values.end(), [](std::int64_t value) { return value < 0; }));
  delays.median_ns = lower_median(values);
  add_queue(timeline, launches, delays);
  return delays;
}

}  // namespace proofline
