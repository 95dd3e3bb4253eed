// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/gap_rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace proofline {
namespace {

constexpr std::size_t kMostGaps = 20;

struct TopGap {
  const Gap* gap = nullptr;
  std::uint32_t device = 0;            // as the file counts
  std::uint32_t thread = kNoPosition;  // that launched the operation after the gap
  std::int64_t overlap_ns = 0;         // of the gap with what that thread did: `call` or `range`
  std::uint32_t call = kNoPosition;
  std::uint32_t range = kNoPosition;
  std::uint32_t python = kNoPosition;  // the innermost Python function around the launch
};

bool is_longer(const TopGap& a, const TopGap& b) {
  return std::tuple(b.gap->length(), a.gap->start_ns) <
         std::tuple(a.gap->length(), b.gap->start_ns);
}

std::vector<TopGap> top_gaps(const Timeline& timeline, const std::vector<DeviceTime>& devices,
                             const std::vector<Idle>& idle, const TimeSelection& selection) {
  // A heap with the shortest of them in front: there may be millions of gaps.
  std::vector<TopGap> tops;
  for (std::size_t d = 0; d < idle.size(); ++d) {
    for (const Gap& gap : idle[d].gaps) {
      TopGap top;
      top.gap = &gap;
      if (!selection.has(gap.start_ns)) continue;
      if (tops.size() == kMostGaps && !is_longer(top, tops.front())) continue;
      top.device = timeline.devices[devices[d].device].id;
      if (gap.call != kNoPosition) top.thread = timeline.calls[gap.call].thread;
      tops.push_back(top);
      std::push_heap(tops.begin(), tops.end(), is_longer);
      if (tops.size() <= kMostGaps) continue;
      std::pop_heap(tops.begin(), tops.end(), is_longer);
      tops.pop_back();
    }
  }
  std::sort_heap(tops.begin(), tops.end(), is_longer);
  return tops;
}

// Finds what the launching thread did in each gap: of what overlaps the gap most, the innermost.
class HostActivity {
 public:
  HostActivity(const Timeline& timeline, std::vector<TopGap>& tops)
      : timeline_(timeline), tops_(tops), any_gap_(stretches_of(tops)) {}

  void find() {
    for (std::uint32_t i = 0; i < timeline_.ranges.size(); ++i) {
      for_each_overlap(timeline_.ranges[i], [&](TopGap& top, std::int64_t overlap) {
        take_python(i, top);
        if (!is_better(timeline_.ranges[i], overlap, top)) return;
        top.overlap_ns = std::max(top.overlap_ns, overlap);
        top.range = i;
      });
    }
    for (std::uint32_t i = 0; i < timeline_.calls.size(); ++i) {
      for_each_overlap(timeline_.calls[i], [&](TopGap& top, std::int64_t overlap) {
        if (!is_better(timeline_.calls[i], overlap, top)) return;
        top.overlap_ns = std::max(top.overlap_ns, overlap);
        top.call = i;
      });
    }
  }

 private:
  static Stretches stretches_of(const std::vector<TopGap>& tops) {
    std::vector<Stretch> gaps;
    gaps.reserve(tops.size());
    for (const TopGap& top : tops) gaps.push_back({top.gap->start_ns, top.gap->end_ns});
    return Stretches(std::move(gaps));
  }

  // Nearly all of millions of events are in no gap, which one search tells.
  template <class Event, class Take>
  void for_each_overlap(const Event& event, const Take& take) {
    if (any_gap_.length_within(event.start_ns, event.end_ns) == 0) return;
    for (TopGap& top : tops_) {
      const std::int64_t from = std::max(event.start_ns, top.gap->start_ns);
      const std::int64_t to = std::min(event.end_ns, top.gap->end_ns);
      if (from < to && event.thread == top.thread) take(top, to - from);
    }
  }

  void take_python(std::uint32_t position, TopGap& top) const {
    const HostRange& range = timeline_.ranges[position];
    const std::int64_t launched = timeline_.calls[top.gap->call].start_ns;
    const bool is_around = range.start_ns <= launched && range.end_ns >= launched;
    if (range.work != HostWork::kPython || !is_around) return;
    const bool is_inner =
        top.python == kNoPosition || range.start_ns >= timeline_.ranges[top.python].start_ns;
    if (is_inner) top.python = position;
  }

  std::int64_t length_of_activity(const TopGap& top) const {
    const auto length = [](const auto& event) { return event.end_ns - event.start_ns; };
    if (top.call != kNoPosition) return length(timeline_.calls[top.call]);
    if (top.range != kNoPosition) return length(timeline_.ranges[top.range]);
    return std::numeric_limits<std::int64_t>::max();
  }

  // An overlap that is longer by a quarter is another activity, not the same one with its frame.
  template <class Event>
  bool is_better(const Event& event, std::int64_t overlap, const TopGap& top) const {
    if (10 * overlap < 8 * top.overlap_ns) return false;
    return 8 * overlap > 10 * top.overlap_ns ||
           event.end_ns - event.start_ns < length_of_activity(top);
  }

  const Timeline& timeline_;
  std::vector<TopGap>& tops_;
  Stretches any_gap_;
};

}  // namespace

std::vector<GapRow> longest_gaps(const Timeline& timeline, const Launches& launches,
                                 const std::vector<DeviceTime>& devices,
                                 const std::vector<Idle>& idle, const TimeSelection& selection,
                                 std::int64_t origin_ns) {
  std::vector<TopGap> tops = top_gaps(timeline, devices, idle, selection);
  HostActivity(timeline, tops).find();
  const auto name_of = [&](const auto& events, std::uint32_t position) {
    return position == kNoPosition ? std::string() : timeline.names[events[position].name];
  };
  std::vector<GapRow> rows;
  for (const TopGap& top : tops) {
    const Gap& gap = *top.gap;
    const std::uint32_t op_range = launches.range_of_op[gap.op];
    GapRow row;
    row.device = top.device;
    row.start_ns = gap.start_ns - origin_ns;
    row.length_ns = gap.length();
    row.idle = gap.idle;
    row.ended_by = timeline.names[timeline.ops[gap.op].name];
    row.call = name_of(timeline.calls, gap.call);
    row.asked_by = name_of(timeline.ranges, op_range != kNoPosition ? op_range : top.python);
    row.meanwhile = top.call != kNoPosition ? name_of(timeline.calls, top.call)
                                            : name_of(timeline.ranges, top.range);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace proofline
