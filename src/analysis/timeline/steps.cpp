// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/steps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace proofline {
namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";
// An annotation that comes less often is no step.
constexpr std::size_t kLeastRepeats = 3;

std::vector<std::uint32_t> profiler_steps(const Timeline& timeline) {
  std::vector<std::uint8_t> is(timeline.names.size());  // 0: not looked at
  std::vector<std::uint32_t> steps;
  for (std::uint32_t i = 0; i < timeline.ranges.size(); ++i) {
    const HostRange& range = timeline.ranges[i];
    if (range.work != HostWork::kAnnotation && range.work != HostWork::kOperator) continue;
    std::uint8_t& known = is[range.name];
    if (known == 0) known = timeline.names[range.name].starts_with(kProfilerStep) ? 2 : 1;
    if (known == 2) steps.push_back(i);
  }
  return steps;
}

// The annotation of one thread that repeats without nesting and takes the most time.
std::vector<std::uint32_t> repeated_annotation(const Timeline& timeline) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> by_name;
  for (std::uint32_t i = 0; i < timeline.ranges.size(); ++i) {
    const HostRange& range = timeline.ranges[i];
    if (range.work == HostWork::kAnnotation) by_name[{range.thread, range.name}].push_back(i);
  }
  std::vector<std::uint32_t> best;
  std::int64_t longest = 0;
  for (auto& [name, ranges] : by_name) {
    if (ranges.size() < kLeastRepeats) continue;
    std::sort(ranges.begin(), ranges.end(), [&](std::uint32_t a, std::uint32_t b) {
      return timeline.ranges[a].start_ns < timeline.ranges[b].start_ns;
    });
    std::int64_t total = 0;
    bool apart = true;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const HostRange& range = timeline.ranges[ranges[i]];
      total += range.end_ns - range.start_ns;
      apart = apart && (i == 0 || timeline.ranges[ranges[i - 1]].end_ns <= range.start_ns);
    }
    if (!apart || total <= longest) continue;
    longest = total;
    best = ranges;
  }
  return best;
}

}  // namespace

std::vector<TimelineStep> find_steps(const Timeline& timeline) {
  std::vector<std::uint32_t> ranges = profiler_steps(timeline);
  if (ranges.empty()) ranges = repeated_annotation(timeline);
  std::stable_sort(ranges.begin(), ranges.end(), [&](std::uint32_t a, std::uint32_t b) {
    return timeline.ranges[a].start_ns < timeline.ranges[b].start_ns;
  });
  std::vector<TimelineStep> steps;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const HostRange& range = timeline.ranges[ranges[i]];
    const std::int64_t end =
        i + 1 < ranges.size() ? timeline.ranges[ranges[i + 1]].start_ns : range.end_ns;
    steps.push_back({ranges[i], range.start_ns, end});
  }
  return steps;
}

}  // namespace proofline
