// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/launches.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>

namespace proofline {
namespace {

// Calls by process and correlation. CUDA counts correlations up, and profilers leave out some
// calls, so that as many buckets of equal width as there are calls hold one or two each; within a
// bucket they are sorted, since a file may have any numbers.
class CallTable {
 public:
  explicit CallTable(const Timeline& timeline) : ids_(timeline.processes.size()) {
    for (const ApiCall& call : timeline.calls) {
      if (call.correlation != 0) ids_[process_of(timeline, call)].add(call.correlation);
    }
    std::size_t buckets = 0;
    for (Ids& ids : ids_) {
      ids.bucket = buckets;
      buckets += ids.choose_buckets();
    }
    ends_.assign(buckets + 1, 0);
    for_each_call(timeline, [&](std::size_t bucket, std::uint32_t) { ++ends_[bucket + 1]; });
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    calls_.resize(ends_.back());
    // Filling a bucket moves the end of the one before to its own.
    for_each_call(timeline, [&](std::size_t bucket, std::uint32_t call) {
      calls_[ends_[bucket]++] = {timeline.calls[call].correlation, call};
    });
    const auto is_before = [&](const Entry& a, const Entry& b) {
      if (a.correlation != b.correlation) return a.correlation < b.correlation;
      const std::int64_t start_a = timeline.calls[a.call].start_ns;
      const std::int64_t start_b = timeline.calls[b.call].start_ns;
      return start_a != start_b ? start_a < start_b : a.call < b.call;
    };
    for (std::size_t i = 0; i < buckets; ++i) {
      if (ends_[i] - begin_of(i) > 1) {
        std::sort(calls_.begin() + begin_of(i), calls_.begin() + ends_[i], is_before);
      }
    }
  }

  static constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

  std::size_t size() const { return calls_.size(); }
  std::uint32_t at(std::size_t place) const { return calls_[place].call; }
  // The place of the first call of this correlation.
  std::size_t find(std::uint32_t process, std::uint32_t correlation) const {
    const Ids& ids = ids_[process];
    if (correlation < ids.least || correlation > ids.most) return kNoPlace;
    const std::size_t bucket = ids.bucket_of(correlation);
    const auto end = calls_.begin() + ends_[bucket];
    const auto found = std::lower_bound(
        calls_.begin() + begin_of(bucket), end, correlation,
        [](const Entry& entry, std::uint32_t id) { return entry.correlation < id; });
    if (found == end || found->correlation != correlation) return kNoPlace;
    return static_cast<std::size_t>(found - calls_.begin());
  }

 private:
  struct Entry {
    std::uint32_t correlation = 0;
    std::uint32_t call = 0;
  };

  // The correlations of one process; 0 is none.
  struct Ids {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t most = 0;
    std::uint32_t count = 0;
    unsigned width_bits = 0;  // of a bucket
    std::size_t bucket = 0;   // of the least

    void add(std::uint32_t id) {
      least = std::min(least, id);
      most = std::max(most, id);
      ++count;
    }
    std::size_t choose_buckets() {
      if (count == 0) return 0;
      const std::uint32_t range = most - least;
      while ((range >> width_bits) >= count) ++width_bits;
      return std::size_t{range >> width_bits} + 1;
    }
    std::size_t bucket_of(std::uint32_t id) const { return bucket + ((id - least) >> width_bits); }
  };

  std::uint32_t begin_of(std::size_t bucket) const { return bucket == 0 ? 0 : ends_[bucket - 1]; }

  template <class Take>
  void for_each_call(const Timeline& timeline, const Take& take) const {
    for (std::uint32_t i = 0; i < timeline.calls.size(); ++i) {
      const ApiCall& call = timeline.calls[i];
      if (call.correlation == 0) continue;
      take(ids_[process_of(timeline, call)].bucket_of(call.correlation), i);
    }
  }

  std::vector<Ids> ids_;             // by process
  std::vector<std::uint32_t> ends_;  // of each bucket, in calls_
  std::vector<Entry> calls_;
};

// An event's thread and start beside its position: a sort that had to go to each event for them
// would take several times as long.
struct PlacedEvent {
  std::uint32_t thread = 0;
  std::uint32_t position = 0;
  std::int64_t start_ns = 0;
};

// By thread and start; `is_before` decides where these are the same. `for_each` calls what it is
// given with each event, and is asked twice: events come to lie by thread by counting, and mostly
// are in order then, since recorders write what each thread did as it came.
template <class ForEach, class IsBefore>
std::vector<PlacedEvent> events_by_thread(std::size_t threads, const ForEach& for_each,
                                          const IsBefore& is_before) {
  std::vector<std::size_t> ends(threads + 1);
  for_each([&](const PlacedEvent& event) { ++ends[event.thread + 1]; });
  for (std::size_t i = 0; i < threads; ++i) ends[i + 1] += ends[i];
  std::vector<PlacedEvent> events(ends.back());
  for_each([&](const PlacedEvent& event) { events[ends[event.thread]++] = event; });
  const auto is_earlier = [&](const PlacedEvent& a, const PlacedEvent& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    return is_before(a.position, b.position);
  };
  auto begin = events.begin();
  for (std::size_t i = 0; i < threads; ++i) {
    const auto end = events.begin() + static_cast<std::ptrdiff_t>(ends[i]);
    if (!std::is_sorted(begin, end, is_earlier)) std::sort(begin, end, is_earlier);
    begin = end;
  }
  return events;
}

// The outer of those that start together comes first.
std::vector<PlacedEvent> sorted_operators(const Timeline& timeline) {
  return events_by_thread(
      timeline.threads.size(),
      [&](const auto& take) {
        for (std::uint32_t i = 0; i < timeline.ranges.size(); ++i) {
          const HostRange& range = timeline.ranges[i];
          if (range.work == HostWork::kOperator) take({range.thread, i, range.start_ns});
        }
      },
      [&](std::uint32_t a, std::uint32_t b) {
        const std::int64_t end_a = timeline.ranges[a].end_ns;
        const std::int64_t end_b = timeline.ranges[b].end_ns;
        return end_a != end_b ? end_a > end_b : a < b;
      });
}

// Calls that launched something.
std::vector<PlacedEvent> sorted_launches(const Timeline& timeline, const Launches& launches) {
  std::vector<bool> launched(timeline.calls.size());
  for (const std::uint32_t call : launches.call_of_op) {
    if (call != kNoPosition) launched[call] = true;
  }
  return events_by_thread(
      timeline.threads.size(),
      [&](const auto& take) {
        for (std::uint32_t i = 0; i < timeline.calls.size(); ++i) {
          const ApiCall& call = timeline.calls[i];
          if (launched[i]) take({call.thread, i, call.start_ns});
        }
      },
      [](std::uint32_t a, std::uint32_t b) { return a < b; });
}

// Goes through the calls and the operators of each thread together.
void find_ranges(const Timeline& timeline, Launches& launches) {
  const std::vector<PlacedEvent> ranges = sorted_operators(timeline);
  if (ranges.empty()) return;
  std::vector<std::uint32_t> range_of_call(timeline.calls.size(), kNoPosition);
  std::vector<std::uint32_t> open;  // of one thread, the innermost last
  std::size_t next = 0;
  std::uint32_t thread = kNoPosition;
  for (const PlacedEvent& call : sorted_launches(timeline, launches)) {
    if (call.thread != thread) {
      thread = call.thread;
      open.clear();
      while (next < ranges.size() && ranges[next].thread < thread) ++next;
    }
    while (next < ranges.size() && ranges[next].thread == thread &&
           ranges[next].start_ns <= call.start_ns) {
      open.push_back(ranges[next++].position);
    }
    while (!open.empty() && timeline.ranges[open.back()].end_ns < call.start_ns) open.pop_back();
    if (!open.empty()) range_of_call[call.position] = open.back();
  }
  for (std::size_t i = 0; i < launches.call_of_op.size(); ++i) {
    const std::uint32_t call = launches.call_of_op[i];
    if (call != kNoPosition) launches.range_of_op[i] = range_of_call[call];
  }
}

}  // namespace

Launches join_launches(const Timeline& timeline) {
  Launches launches;
  // Of each name once: there are a few dozen of them and millions of calls.
  std::vector<ApiKind> kind_of_name(timeline.names.size(), ApiKind::kOther);
  std::vector<bool> known(timeline.names.size());
  launches.kinds.reserve(timeline.calls.size());
  for (const ApiCall& call : timeline.calls) {
    if (!known[call.name]) {
      known[call.name] = true;
      kind_of_name[call.name] = api_kind(timeline.names[call.name]);
    }
    launches.kinds.push_back(kind_of_name[call.name]);
  }

  const CallTable calls(timeline);
  std::vector<bool> used(calls.size());
  launches.call_of_op.assign(timeline.ops.size(), kNoPosition);
  launches.range_of_op.assign(timeline.ops.size(), kNoPosition);
  for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
    const GpuOp& op = timeline.ops[i];
    const std::size_t place = calls.find(process_of(timeline, op), op.correlation);
    if (place == CallTable::kNoPlace) continue;
    launches.call_of_op[i] = calls.at(place);
    used[place] = true;
  }
  for (std::size_t i = 0; i < timeline.calls.size(); ++i) {
    if (launches.kinds[i] != ApiKind::kLaunch) continue;
    const ApiCall& call = timeline.calls[i];
    const std::size_t place = calls.find(process_of(timeline, call), call.correlation);
    if (place != CallTable::kNoPlace && !used[place]) ++launches.launches_without_op;
  }
  find_ranges(timeline, launches);
  return launches;
}

}  // namespace proofline
