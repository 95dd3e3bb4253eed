// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/timeline_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>

#include "analysis/timeline/launches.h"
#include "analysis/timeline/least_work.h"
#include "analysis/timeline/memory_peak.h"
#include "analysis/timeline/select_time.h"
#include "analysis/timeline/steps.h"
#include "base/parallel.h"
#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::size_t kMostGaps = 20;

// From the first event to the last, whoever's it is.
Stretch whole_time(const Timeline& timeline) {
  Stretch whole{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  const auto widen = [&](std::int64_t start, std::int64_t end) {
    whole.start_ns = std::min(whole.start_ns, start);
    whole.end_ns = std::max(whole.end_ns, end);
  };
  for (const GpuOp& op : timeline.ops) widen(op.start_ns, op.end_ns);
  for (const ApiCall& call : timeline.calls) widen(call.start_ns, call.end_ns);
  for (const HostRange& range : timeline.ranges) widen(range.start_ns, range.end_ns);
  return whole.start_ns <= whole.end_ns ? whole : Stretch{};
}

class TimelineAnalysis {
 public:
  TimelineAnalysis(Timeline timeline, const TimelineFilter& filter)
      : timeline_(std::move(timeline)), filter_(filter) {}

  Result<TimelineReport> analyse() {
    RETURN_IF_ERROR(select_stream());
    // What launched the work and when it ran can be found side by side.
    for_each_index(2, [&](std::size_t i) {
      if (i == 0) {
        launches_ = join_launches(timeline_);
      } else {
        whole_ = whole_time(timeline_);
        devices_ = device_times(timeline_);
        steps_ = find_steps(timeline_);
      }
    });
    ASSIGN_OR_RETURN(auto selected, select_time({timeline_, filter_, steps_, devices_, whole_}));
    selection_ = std::move(selected.time);
    if (!selected.words.empty()) say_selected(selected.words);
    report_.path = timeline_.path;
    report_.format = timeline_.format;
    report_.producer = timeline_.producer;
    report_.rank = timeline_.rank;
    report_.partial = timeline_.partial;
    report_.ops_missing = timeline_.ops_missing;
    report_.wall_ns = whole_.length();
    // A framework's allocator knows what is in use; calls tell what it has taken for that.
    report_.memory_peak_bytes =
        timeline_.memory_peak_bytes > 0 ? timeline_.memory_peak_bytes : memory_peak(timeline_);
    idle_.resize(devices_.size());
    Tables tables;
    for_each_index(devices_.size() + 1, [&](std::size_t i) {
      if (i < devices_.size()) {
        idle_[i] = find_idle(timeline_, launches_, devices_[i]);
      } else {
        tables = make_tables();
      }
    });
    for (std::size_t i = 0; i < devices_.size(); ++i) add_device(devices_[i], idle_[i]);
    choose_worst();
    add_tables(std::move(tables));
    add_gaps();
    add_streams();
    add_steps();
    add_threads();
    count_calls();
    note_clocks();
    note_nothing();
    report_.notes = std::move(timeline_.notes);
    return std::move(report_);
  }

 private:
  Result<void> select_stream() {
    if (!filter_.stream) return {};
    const auto is_other = [&](const GpuOp& op) {
      return timeline_.streams[op.stream].id != *filter_.stream;
    };
    std::vector<std::uint32_t> position;  // by that of before
    std::uint32_t kept = 0;
    for (const GpuOp& op : timeline_.ops) position.push_back(is_other(op) ? kNoPosition : kept++);
    for (Collective& one : timeline_.collectives) one.op = position[one.op];
    std::erase_if(timeline_.collectives,
                  [](const Collective& one) { return one.op == kNoPosition; });
    std::erase_if(timeline_.ops, is_other);
    if (timeline_.ops.empty()) {
      std::string known;
      for (const TimelineStream& stream : timeline_.streams) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", stream.id);
      }
      return fail(ErrorKind::kUsage,
                  fmt::format("--stream {}: no such stream; the timeline has streams: {}",
                              *filter_.stream, known.empty() ? "none" : known));
    }
    say_selected(fmt::format("stream {}", *filter_.stream));
    return {};
  }

  void say_selected(const std::string& words) {
    if (!report_.selected.empty()) report_.selected += ", ";
    report_.selected += words;
  }

  // Where the selection and the device's own time meet.
  std::vector<Stretch> windows_of(const DeviceTime& device) const {
    if (!selection_.windows) return {{device.start_ns, device.end_ns}};
    std::vector<Stretch> windows;
    for (const Stretch& one : selection_.windows->all()) {
      const std::int64_t from = std::max(one.start_ns, device.start_ns);
      const std::int64_t to = std::min(one.end_ns, device.end_ns);
      if (from < to) windows.push_back({from, to});
    }
    return windows;
  }

  static TimeShares shares_of(const DeviceTime& device, const Idle& idle,
                              const std::vector<Stretch>& windows) {
    TimeShares shares;
    for (const Stretch& window : windows) {
      const TimeParts parts = time_parts(device, window.start_ns, window.end_ns);
      shares.span_ns += window.length();
      shares.parts.compute_ns += parts.compute_ns;
      shares.parts.communication_ns += parts.communication_ns;
      shares.parts.copy_ns += parts.copy_ns;
      shares.parts.idle_ns += parts.idle_ns;
      const IdleTimes classes = idle.by_class_within(window.start_ns, window.end_ns);
      for (std::size_t i = 0; i < kIdleClasses; ++i) shares.idle[i] += classes[i];
    }
    return shares;
  }

  void add_device(const DeviceTime& device, const Idle& idle) {
    DeviceRow row;
    row.id = timeline_.devices[device.device].id;
    row.name = timeline_.devices[device.device].name;
    const std::vector<Stretch> windows = windows_of(device);
    row.time = shares_of(device, idle, windows);
    if (selection_.windows) {
      for (const Stretch& one : selection_.windows->all()) {
        row.before_ns +=
            std::max<std::int64_t>(std::min(one.end_ns, device.start_ns) - one.start_ns, 0);
        row.after_ns +=
            std::max<std::int64_t>(one.end_ns - std::max(one.start_ns, device.end_ns), 0);
      }
    } else {
      row.before_ns = device.start_ns - whole_.start_ns;
      row.after_ns = whole_.end_ns - device.end_ns;
    }
    for (const Stretch& window : windows) {
      row.concurrent_ns += device.concurrent.length_within(window.start_ns, window.end_ns);
      row.communication_ns += device.communication.length_within(window.start_ns, window.end_ns);
      row.copies_ns += device.copies.length_within(window.start_ns, window.end_ns);
    }
    for (const std::uint32_t op : device.ops) {
      row.ops += selection_.has(timeline_.ops[op].start_ns) ? 1 : 0;
    }
    row.most_concurrent = device.most_concurrent;
    for (const Stretch& one : idle.allocating) {
      if (selection_.has(one.start_ns)) row.under_allocation_ns += one.length();
    }
    add_gap_lengths(idle, row);
    report_.devices.push_back(std::move(row));
  }

  void add_gap_lengths(const Idle& idle, DeviceRow& row) const {
    std::vector<std::int64_t> lengths;
    for (const Gap& gap : idle.gaps) {
      if (!selection_.has(gap.start_ns)) continue;
      lengths.push_back(gap.length());
      const bool removable = idle_class_info(gap.idle).cause == IdleCause::kNothingQueued;
      if (removable && gap.length() < kShortGapNs) row.short_gaps_ns += gap.length();
      if (gap.idle == IdleClass::kLaunch && gap.length() > kLongestLaunchGapNs) {
        row.unexplained_ns += gap.length();
      }
    }
    row.gaps = lengths.size();
    if (lengths.empty()) return;
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    row.median_gap_ns = *middle;
    row.longest_gap_ns = *std::max_element(lengths.begin(), lengths.end());
  }

  // A GPU that was hardly touched (by a context of a library, say) tells nothing of the program
  // beside one that works.
  void choose_worst() {
    const auto busy = [](const DeviceRow& device) {
      return device.time.span_ns - device.time.parts.idle_ns;
    };
    std::int64_t busiest = 0;
    for (const DeviceRow& device : report_.devices) busiest = std::max(busiest, busy(device));
    const auto rank = [&](const DeviceRow& device) {
      const TimeShares& time = device.time;
      const bool is_touched = device.ops < kLeastOps && busy(device) < busiest / 100;
      return std::tuple(time.span_ns == 0, is_touched, time.share(time.parts.compute_ns));
    };
    const auto worst =
        std::min_element(report_.devices.begin(), report_.devices.end(),
                         [&](const DeviceRow& a, const DeviceRow& b) { return rank(a) < rank(b); });
    if (worst == report_.devices.end()) return;
    report_.worst = static_cast<std::size_t>(worst - report_.devices.begin());
  }

  std::vector<NameRow> rows(const std::vector<NameTimes>& times, bool kernels) const {
    std::int64_t span = 0;
    for (const DeviceRow& device : report_.devices) span += device.time.span_ns;
    std::vector<NameRow> named;
    for (const NameTimes& one : times) {
      const std::string& name = timeline_.names[one.name];
      named.push_back(
          {name, one.count, one.sum_ns, one.min_ns, one.median_ns, one.max_ns,
           span > 0 ? std::optional(static_cast<double>(one.sum_ns) / static_cast<double>(span))
                    : std::nullopt,
           kernels && is_communication(name)});
    }
    return named;
  }

  struct Tables {
    std::vector<NameTimes> kernels;
    std::vector<NameTimes> calls;
    std::vector<NameTimes> operators;
    std::vector<CopyTimes> copies;
    std::vector<CollectiveTimes> collectives;
    LaunchDelays delays;
  };

  Tables make_tables() const {
    Tables tables;
    tables.kernels = kernel_times(timeline_, selection_);
    tables.calls = call_times(timeline_, selection_);
    tables.operators = operator_times(timeline_, launches_, selection_);
    tables.copies = copy_times(timeline_, selection_);
    tables.collectives = collective_times(timeline_, launches_, selection_);
    tables.delays = launch_delays(timeline_, launches_, selection_);
    return tables;
  }

  void add_tables(Tables tables) {
    report_.kernels = rows(tables.kernels, true);
    report_.calls = rows(tables.calls, false);
    report_.operators = rows(tables.operators, false);
    report_.copies = std::move(tables.copies);
    report_.collectives = std::move(tables.collectives);
    report_.delays = tables.delays;
  }

  struct TopGap {
    std::size_t device = 0;
    const Gap* gap = nullptr;
    std::int64_t overlap = 0;  // of what the thread did, the longest
    std::uint32_t call = kNoPosition;
    std::uint32_t range = kNoPosition;
    std::uint32_t python = kNoPosition;  // around the call
  };

  std::uint32_t thread_of(const TopGap& top) const {
    return top.gap->call == kNoPosition ? kNoPosition : timeline_.calls[top.gap->call].thread;
  }

  void add_gaps() {
    const auto longer = [](const TopGap& a, const TopGap& b) {
      return std::tuple(b.gap->length(), a.gap->start_ns) <
             std::tuple(a.gap->length(), b.gap->start_ns);
    };
    // A heap with the shortest of them in front: there may be millions of gaps.
    std::vector<TopGap> tops;
    for (std::size_t d = 0; d < idle_.size(); ++d) {
      for (const Gap& gap : idle_[d].gaps) {
        const TopGap top{d, &gap};
        if (!selection_.has(gap.start_ns)) continue;
        if (tops.size() == kMostGaps && !longer(top, tops.front())) continue;
        tops.push_back(top);
        std::push_heap(tops.begin(), tops.end(), longer);
        if (tops.size() <= kMostGaps) continue;
        std::pop_heap(tops.begin(), tops.end(), longer);
        tops.pop_back();
      }
    }
    std::sort_heap(tops.begin(), tops.end(), longer);
    find_meanwhile(tops);
    for (const TopGap& top : tops) report_.gaps.push_back(gap_row(top));
  }

  // What the thread that launched was at: of what overlaps a gap most, the innermost.
  void find_meanwhile(std::vector<TopGap>& tops) const {
    std::vector<Stretch> gaps;
    gaps.reserve(tops.size());
    for (const TopGap& top : tops) gaps.push_back({top.gap->start_ns, top.gap->end_ns});
    const Stretches any_gap(std::move(gaps));
    const auto look = [&](std::int64_t start, std::int64_t end, std::uint32_t thread,
                          const auto& take) {
      if (any_gap.length_within(start, end) == 0) return;
      for (TopGap& top : tops) {
        if (end <= top.gap->start_ns || start >= top.gap->end_ns || thread != thread_of(top))
          continue;
        const std::int64_t overlap =
            std::min(end, top.gap->end_ns) - std::max(start, top.gap->start_ns);
        take(top, overlap);
      }
    };
    const auto length_of = [&](const TopGap& top) {
      if (top.call != kNoPosition)
        return timeline_.calls[top.call].end_ns - timeline_.calls[top.call].start_ns;
      if (top.range != kNoPosition)
        return timeline_.ranges[top.range].end_ns - timeline_.ranges[top.range].start_ns;
      return std::numeric_limits<std::int64_t>::max();
    };
    // Longer by this much is another thing, not the same with its frame.
    const auto is_better = [&](const TopGap& top, std::int64_t overlap, std::int64_t length) {
      if (10 * overlap < 8 * top.overlap) return false;
      return 8 * overlap > 10 * top.overlap || length < length_of(top);
    };
    for (std::uint32_t i = 0; i < timeline_.ranges.size(); ++i) {
      const HostRange& range = timeline_.ranges[i];
      look(range.start_ns, range.end_ns, range.thread, [&](TopGap& top, std::int64_t overlap) {
        const std::int64_t call_start = timeline_.calls[top.gap->call].start_ns;
        if (range.work == HostWork::kPython && range.start_ns <= call_start &&
            range.end_ns >= call_start &&
            (top.python == kNoPosition ||
             range.start_ns >= timeline_.ranges[top.python].start_ns)) {
          top.python = i;
        }
        if (!is_better(top, overlap, range.end_ns - range.start_ns)) return;
        top.overlap = std::max(top.overlap, overlap);
        top.range = i;
        top.call = kNoPosition;
      });
    }
    for (std::uint32_t i = 0; i < timeline_.calls.size(); ++i) {
      const ApiCall& call = timeline_.calls[i];
      look(call.start_ns, call.end_ns, call.thread, [&](TopGap& top, std::int64_t overlap) {
        if (!is_better(top, overlap, call.end_ns - call.start_ns)) return;
        top.overlap = std::max(top.overlap, overlap);
        top.call = i;
      });
    }
  }

  GapRow gap_row(const TopGap& top) const {
    const Gap& gap = *top.gap;
    GapRow row;
    row.device = report_.devices[top.device].id;
    row.start_ns = gap.start_ns - whole_.start_ns;
    row.length_ns = gap.length();
    row.idle = gap.idle;
    row.ended_by = timeline_.names[timeline_.ops[gap.op].name];
    if (gap.call == kNoPosition) return row;
    row.call = timeline_.names[timeline_.calls[gap.call].name];
    const std::uint32_t range = launches_.range_of_op[gap.op];
    if (range != kNoPosition) {
      row.asked_by = timeline_.names[timeline_.ranges[range].name];
    } else if (top.python != kNoPosition) {
      row.asked_by = timeline_.names[timeline_.ranges[top.python].name];
    }
    if (top.call != kNoPosition) {
      row.meanwhile = timeline_.names[timeline_.calls[top.call].name];
    } else if (top.range != kNoPosition) {
      row.meanwhile = timeline_.names[timeline_.ranges[top.range].name];
    }
    return row;
  }

  void add_streams() {
    std::vector<std::vector<Stretch>> busy(timeline_.streams.size());
    for (const GpuOp& op : timeline_.ops) {
      if (selection_.has(op.start_ns)) busy[op.stream].push_back({op.start_ns, op.end_ns});
    }
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (busy[i].empty()) continue;
      const TimelineStream& stream = timeline_.streams[i];
      const std::uint64_t ops = busy[i].size();
      report_.streams.push_back({timeline_.devices[stream.device].id,
                                 timeline_.processes[stream.process].pid, stream.id, ops,
                                 Stretches(std::move(busy[i])).length()});
    }
    std::stable_sort(report_.streams.begin(), report_.streams.end(),
                     [](const StreamRow& a, const StreamRow& b) { return a.busy_ns > b.busy_ns; });
  }

  void add_steps() {
    if (steps_.empty()) return;
    std::vector<Stretch> all;
    for (const GpuOp& op : timeline_.ops) all.push_back({op.start_ns, op.end_ns});
    const Stretches busy(std::move(all));
    for (const TimelineStep& step : steps_) {
      StepRow row;
      row.name = timeline_.names[timeline_.ranges[step.range].name];
      row.start_ns = step.start_ns - whole_.start_ns;
      row.busy_ns = busy.length_within(step.start_ns, step.end_ns);
      if (!devices_.empty()) {
        row.time = shares_of(devices_[report_.worst], idle_[report_.worst],
                             {{step.start_ns, step.end_ns}});
        // Before the device's first operation and after its last there are no gaps to classify.
        std::int64_t classified = 0;
        for (const std::int64_t ns : row.time.idle) classified += ns;
        row.time.idle[static_cast<std::size_t>(IdleClass::kUnattributed)] +=
            row.time.parts.idle_ns - classified;
      }
      row.time.span_ns = step.length();
      report_.steps.push_back(std::move(row));
    }
    name_slowest();
  }

  // The first step warms up, so it does not count where there are others.
  void name_slowest() {
    std::vector<StepRow>& steps = report_.steps;
    if (steps.size() < 3) return;
    const auto slowest = std::max_element(
        steps.begin() + 1, steps.end(),
        [](const StepRow& a, const StepRow& b) { return a.time.span_ns < b.time.span_ns; });
    const auto median = [&](const auto& value) {
      std::vector<std::int64_t> values;
      for (auto step = steps.begin() + 1; step != steps.end(); ++step)
        values.push_back(value(*step));
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
      std::nth_element(values.begin(), middle, values.end());
      return *middle;
    };
    std::string_view most;
    std::int64_t difference = 0;
    const auto weigh = [&](std::string_view name, const auto& value) {
      const std::int64_t more = value(*slowest) - median(value);
      if (more <= difference) return;
      difference = more;
      most = name;
    };
    weigh("kernels", [](const StepRow& step) { return step.time.parts.compute_ns; });
    weigh("communication", [](const StepRow& step) { return step.time.parts.communication_ns; });
    weigh("copies", [](const StepRow& step) { return step.time.parts.copy_ns; });
    for (const IdleClassInfo& one : kIdleClassTable) {
      weigh(one.label, [&](const StepRow& step) { return step.time.of(one.idle); });
    }
    const std::int64_t longer =
        slowest->time.span_ns - median([](const StepRow& step) { return step.time.span_ns; });
    if (longer <= 0) return;  // they are alike
    slowest->slowest = true;
    if (difference == 0) return;
    slowest->why = fmt::format("{} us longer than the median step: {} us more of {}", longer / 1000,
                               difference / 1000, most);
  }

  void add_threads() {
    std::vector<ThreadRow> threads(timeline_.threads.size());
    for (const ApiCall& call : timeline_.calls) {
      if (!selection_.has(call.start_ns)) continue;
      ThreadRow& row = threads[call.thread];
      ++row.calls;
      row.call_ns += call.end_ns - call.start_ns;
    }
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (threads[i].calls == 0) continue;
      threads[i].name = timeline_.threads[i].name;
      threads[i].id = timeline_.threads[i].id;
      report_.threads.push_back(std::move(threads[i]));
    }
    std::stable_sort(report_.threads.begin(), report_.threads.end(),
                     [](const ThreadRow& a, const ThreadRow& b) { return a.call_ns > b.call_ns; });
  }

  void count_calls() {
    const std::int64_t warm =
        steps_.size() > 1 ? steps_[1].start_ns : whole_.start_ns + whole_.length() / 10;
    for (std::size_t i = 0; i < timeline_.calls.size(); ++i) {
      const ApiCall& call = timeline_.calls[i];
      if (!selection_.has(call.start_ns)) continue;
      if (launches_.kinds[i] == ApiKind::kAllocate && call.start_ns >= warm) ++report_.allocations;
      if (launches_.kinds[i] == ApiKind::kSynchronise) ++report_.synchronisations;
    }
  }

  // Why the GPU was idle rests on comparing its times with those of the host.
  void note_clocks() {
    const LaunchDelays& delays = report_.delays;
    if (delays.negative == 0) return;
    timeline_.notes.push_back(
        {NoteKind::kInfo, "",
         fmt::format(
             "{} of {} kernels start before the call that launched them, by less than {} us: "
             "the clocks of host and GPU disagree, and so may the classes of idle time",
             delays.negative, delays.count, 1 - delays.min_ns / 1000)});
  }

  void note_nothing() {
    if (!timeline_.ops.empty() || !timeline_.ops_missing.empty()) return;
    timeline_.notes.push_back(
        {NoteKind::kInfo, "",
         "the timeline has no GPU work (CUDA or HIP), so nothing is known of the GPU's time"});
  }

  Timeline timeline_;
  const TimelineFilter& filter_;
  Stretch whole_;
  Launches launches_;
  std::vector<DeviceTime> devices_;
  std::vector<Idle> idle_;
  std::vector<TimelineStep> steps_;
  TimeSelection selection_;
  TimelineReport report_;
};

}  // namespace

Result<TimelineReport> analyse_timeline(Timeline timeline, const TimelineFilter& filter) {
  return TimelineAnalysis(std::move(timeline), filter).analyse();
}

}  // namespace proofline
