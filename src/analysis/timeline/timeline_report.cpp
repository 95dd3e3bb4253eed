// SPDX-License-Identifier: Apache-2.0
//
// From a timeline to its report: analyse_timeline calls the analyses and shows what each needs.
#include "analysis/timeline/timeline_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/timeline/device_rows.h"
#include "analysis/timeline/gap_rows.h"
#include "analysis/timeline/launches.h"
#include "analysis/timeline/memory_peak.h"
#include "analysis/timeline/select_time.h"
#include "analysis/timeline/step_rows.h"
#include "analysis/timeline/steps.h"
#include "base/option.h"
#include "base/parallel.h"
#include "base/propagate.h"

namespace proofline {
namespace {

// From the first event to the last, of host and GPU.
Stretch whole_time(const Timeline& timeline) {
  Stretch whole{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  const auto widen = [&](const auto& events) {
    for (const auto& event : events) {
      whole.start_ns = std::min(whole.start_ns, event.start_ns);
      whole.end_ns = std::max(whole.end_ns, event.end_ns);
    }
  };
  widen(timeline.ops);
  widen(timeline.calls);
  widen(timeline.ranges);
  return whole.start_ns <= whole.end_ns ? whole : Stretch{};
}

// Drops the operations of all other streams.
Result<void> keep_stream(std::uint64_t stream, Timeline& timeline) {
  const auto is_other = [&](const GpuOp& op) { return timeline.streams[op.stream].id != stream; };
  std::vector<std::uint32_t> position;  // by that of before
  std::uint32_t kept = 0;
  for (const GpuOp& op : timeline.ops) position.push_back(is_other(op) ? kNoPosition : kept++);
  for (Collective& one : timeline.collectives) one.op = position[one.op];
  std::erase_if(timeline.collectives, [](const Collective& one) { return one.op == kNoPosition; });
  std::erase_if(timeline.ops, is_other);
  if (!timeline.ops.empty()) return {};
  std::string known;
  for (const TimelineStream& one : timeline.streams) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one.id);
  }
  return fail(ErrorKind::kUsage,
              fmt::format("{} {}: no such stream; the timeline has streams: {}", option("stream"),
                          stream, known.empty() ? "none" : known));
}

std::string selection_words(const TimelineFilter& filter, const std::string& time) {
  if (!filter.stream) return time;
  return fmt::format("stream {}{}{}", *filter.stream, time.empty() ? "" : ", ", time);
}

// What is known without analysis.
TimelineReport report_on(const Timeline& timeline) {
  TimelineReport report;
  report.path = timeline.path;
  report.format = timeline.format;
  report.producer = timeline.producer;
  report.rank = timeline.rank;
  report.partial = timeline.partial;
  report.ops_missing = timeline.ops_missing;
  // A framework's allocator knows what is in use; calls tell what it has taken for that.
  report.memory_peak_bytes =
      timeline.memory_peak_bytes > 0 ? timeline.memory_peak_bytes : memory_peak(timeline);
  report.notes = timeline.notes;
  return report;
}

// What is found in one pass over operations or calls each, beside the gaps.
struct Tables {
  std::vector<NameTimes> kernels;
  std::vector<NameTimes> calls;
  std::vector<NameTimes> operators;
  std::vector<CopyTimes> copies;
  std::vector<CollectiveTimes> collectives;
  LaunchDelays delays;
};

Tables make_tables(const Timeline& timeline, const Launches& launches,
                   const TimeSelection& selection) {
  return {.kernels = kernel_times(timeline, selection),
          .calls = call_times(timeline, selection),
          .operators = operator_times(timeline, launches, selection),
          .copies = copy_times(timeline, selection),
          .collectives = collective_times(timeline, launches, selection),
          .delays = launch_delays(timeline, launches, selection)};
}

std::vector<NameRow> name_rows(const Timeline& timeline, const std::vector<NameTimes>& times,
                               const std::vector<DeviceRow>& devices) {
  std::int64_t span = 0;
  for (const DeviceRow& device : devices) span += device.time.span_ns;
  std::vector<NameRow> rows;
  for (const NameTimes& one : times) {
    const double sum = static_cast<double>(one.sum_ns);
    rows.push_back({timeline.names[one.name], one.count, one.sum_ns, one.min_ns, one.median_ns,
                    one.max_ns,
                    span > 0 ? std::optional(sum / static_cast<double>(span)) : std::nullopt});
  }
  return rows;
}

std::vector<NameRow> kernel_rows(const Timeline& timeline, const std::vector<NameTimes>& times,
                                 const std::vector<DeviceRow>& devices) {
  std::vector<NameRow> rows = name_rows(timeline, times, devices);
  for (NameRow& row : rows) row.communication = is_communication(row.name);
  return rows;
}

// The busiest first.
std::vector<StreamRow> stream_rows(const Timeline& timeline, const TimeSelection& selection) {
  std::vector<std::vector<Stretch>> busy(timeline.streams.size());
  for (const GpuOp& op : timeline.ops) {
    if (selection.has(op.start_ns)) busy[op.stream].push_back({op.start_ns, op.end_ns});
  }
  std::vector<StreamRow> rows;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    if (busy[i].empty()) continue;
    const TimelineStream& stream = timeline.streams[i];
    const std::uint64_t ops = busy[i].size();
    rows.push_back({timeline.devices[stream.device].id, timeline.processes[stream.process].pid,
                    stream.id, ops, Stretches(std::move(busy[i])).length()});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const StreamRow& a, const StreamRow& b) { return a.busy_ns > b.busy_ns; });
  return rows;
}

// Those that make calls, the longest in total first.
std::vector<ThreadRow> thread_rows(const Timeline& timeline, const TimeSelection& selection) {
  std::vector<ThreadRow> rows;
  for (const TimelineThread& thread : timeline.threads) rows.push_back({thread.name, thread.id});
  for (const ApiCall& call : timeline.calls) {
    if (!selection.has(call.start_ns)) continue;
    ++rows[call.thread].calls;
    rows[call.thread].call_ns += call.end_ns - call.start_ns;
  }
  std::erase_if(rows, [](const ThreadRow& row) { return row.calls == 0; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ThreadRow& a, const ThreadRow& b) { return a.call_ns > b.call_ns; });
  return rows;
}

// Where set-up ends: with the first step, or after a tenth of the time.
std::int64_t end_of_warm_up(const std::vector<TimelineStep>& steps, const Stretch& whole) {
  return steps.size() > 1 ? steps[1].start_ns : whole.start_ns + whole.length() / 10;
}

struct CallCounts {
  std::uint64_t allocations = 0;  // after warm-up
  std::uint64_t synchronisations = 0;
};

CallCounts count_calls(const Timeline& timeline, const Launches& launches,
                       const TimeSelection& selection, std::int64_t warm_up_end) {
  CallCounts counts;
  for (std::size_t i = 0; i < timeline.calls.size(); ++i) {
    const std::int64_t start = timeline.calls[i].start_ns;
    if (!selection.has(start)) continue;
    if (launches.kinds[i] == ApiKind::kAllocate && start >= warm_up_end) ++counts.allocations;
    if (launches.kinds[i] == ApiKind::kSynchronise) ++counts.synchronisations;
  }
  return counts;
}

std::vector<Note> notes_on(const Timeline& timeline, const LaunchDelays& delays) {
  std::vector<Note> notes;
  // Why the GPU was idle rests on comparing its times with those of the host.
  if (delays.negative > 0) {
    notes.push_back(
        {NoteKind::kInfo, "",
         fmt::format(
             "{} of {} kernels start before the call that launched them, by less than {} us: "
             "the clocks of host and GPU disagree, and so may the classes of idle time",
             delays.negative, delays.count, 1 - delays.min_ns / 1000)});
  }
  if (timeline.ops.empty() && timeline.ops_missing.empty()) {
    notes.push_back(
        {NoteKind::kInfo, "",
         "the timeline has no GPU work (CUDA or HIP), so nothing is known of the GPU's time"});
  }
  return notes;
}

}  // namespace

Result<TimelineReport> analyse_timeline(Timeline timeline, const TimelineFilter& filter) {
  if (filter.stream) {
    RETURN_IF_ERROR(keep_stream(*filter.stream, timeline));
  }

  // What launched the work and when it ran can be found side by side, ...
  Launches launches;
  Stretch whole;
  std::vector<DeviceTime> times;
  std::vector<TimelineStep> steps;
  for_each_index(2, [&](std::size_t i) {
    if (i == 0) {
      launches = join_launches(timeline);
    } else {
      whole = whole_time(timeline);
      times = device_times(timeline);
      steps = find_steps(timeline);
    }
  });
  ASSIGN_OR_RETURN(const auto selected, select_time({timeline, filter, steps, times, whole}));
  const TimeSelection& selection = selected.time;

  // ... and so can the gaps of each device and the tables.
  std::vector<Idle> idle(times.size());
  Tables tables;
  for_each_index(times.size() + 1, [&](std::size_t i) {
    if (i < times.size()) {
      idle[i] = find_idle(timeline, launches, times[i]);
    } else {
      tables = make_tables(timeline, launches, selection);
    }
  });

  TimelineReport report = report_on(timeline);
  report.selected = selection_words(filter, selected.words);
  report.wall_ns = whole.length();
  for (std::size_t i = 0; i < times.size(); ++i) {
    report.devices.push_back(device_row(timeline, times[i], idle[i], selection, whole));
  }
  report.worst = worst_device(report.devices);
  report.kernels = kernel_rows(timeline, tables.kernels, report.devices);
  report.calls = name_rows(timeline, tables.calls, report.devices);
  report.operators = name_rows(timeline, tables.operators, report.devices);
  report.copies = std::move(tables.copies);
  report.collectives = std::move(tables.collectives);
  report.delays = tables.delays;
  report.gaps = longest_gaps(timeline, launches, times, idle, selection, whole.start_ns);
  report.streams = stream_rows(timeline, selection);
  report.threads = thread_rows(timeline, selection);
  report.steps = times.empty() ? step_rows(timeline, steps, nullptr, nullptr, whole.start_ns)
                               : step_rows(timeline, steps, &times[report.worst],
                                           &idle[report.worst], whole.start_ns);
  const CallCounts counts =
      count_calls(timeline, launches, selection, end_of_warm_up(steps, whole));
  report.allocations = counts.allocations;
  report.synchronisations = counts.synchronisations;
  for (Note& note : notes_on(timeline, report.delays)) report.notes.push_back(std::move(note));
  return report;
}

}  // namespace proofline
