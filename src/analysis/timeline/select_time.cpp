// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/select_time.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/timeline/start_up.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";

// "4.011", with as many digits as tell one event from the next.
std::string milliseconds(std::int64_t ns) {
  return fmt::format("{:g}", static_cast<double>(ns) / 1e6);
}

SelectedTime selected(std::vector<Stretch> windows, std::string words) {
  return {{Stretches(std::move(windows))}, std::move(words)};
}

std::string step_name(const SelectableTime& all, const TimelineStep& step) {
  return all.timeline.names[all.timeline.ranges[step.range].name];
}

// By its name, or its number: what ProfilerStep says, or else its place among the steps.
Result<SelectedTime> select_step(const SelectableTime& all) {
  const std::string& wanted = all.filter.step;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < all.steps.size(); ++i) {
    const std::string name = step_name(all, all.steps[i]);
    const std::string number =
        name.starts_with(kStepPrefix) ? name.substr(kStepPrefix.size()) : std::to_string(i + 1);
    if (wanted == name || wanted == number) found.push_back(i);
  }
  if (found.size() > 1) {
    return fail(
        ErrorKind::kUsage,
        fmt::format(
            "{3} {0}: {1} steps have that name; {4} 1 is the first of {2}, {5} {0} takes all",
            quote(wanted), found.size(), all.steps.size(), option("step"), option("step"),
            option("range")));
  }
  if (found.empty()) {
    const std::string known = all.steps.empty()
                                  ? "the timeline has none"
                                  : fmt::format("there are {}, {} to {}", all.steps.size(),
                                                quote(step_name(all, all.steps.front())),
                                                quote(step_name(all, all.steps.back())));
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: no such step; {}", option("step"), quote(wanted), known));
  }
  const TimelineStep& step = all.steps[found.front()];
  std::string name = step_name(all, step);
  if (!name.starts_with(kStepPrefix)) {
    name = fmt::format("{} ({} of {})", name, found.front() + 1, all.steps.size());
  }
  return selected({{step.start_ns, step.end_ns}}, std::move(name));
}

// ", nearest "forward""; "" where nothing is near.
std::string nearest_range(const SelectableTime& all) {
  std::set<std::string_view> names;
  for (const HostRange& range : all.timeline.ranges) names.insert(all.timeline.names[range.name]);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto near = nearest(all.filter.range, known, 1);
  return near.empty() ? "" : fmt::format(", nearest {}", quote(near.front()));
}

Result<SelectedTime> select_range(const SelectableTime& all) {
  std::vector<Stretch> windows;
  for (const HostRange& range : all.timeline.ranges) {
    if (all.timeline.names[range.name] == all.filter.range) {
      windows.push_back({range.start_ns, range.end_ns});
    }
  }
  if (windows.empty()) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: no annotation, operator or function has that name{}",
                            option("range"), quote(all.filter.range), nearest_range(all)));
  }
  std::string words = fmt::format("{} ({})", all.filter.range, plural(windows.size(), "range"));
  return selected(std::move(windows), std::move(words));
}

Result<SelectedTime> select_between(const SelectableTime& all) {
  const Stretch& whole = all.whole;
  const std::int64_t from = whole.start_ns + all.filter.from_ns.value_or(0);
  const std::int64_t to = all.filter.to_ns ? whole.start_ns + *all.filter.to_ns : whole.end_ns;
  if (all.filter.to_ns && from >= to) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} has to be later than {}", option("to"), option("from")));
  }
  if (from >= whole.end_ns) {
    return fail(ErrorKind::kUsage, fmt::format("{}: the timeline has only {} ms", option("from"),
                                               milliseconds(whole.length())));
  }
  return selected({{from, to}}, fmt::format("from {} to {} ms", milliseconds(from - whole.start_ns),
                                            milliseconds(to - whole.start_ns)));
}

SelectedTime leave_out_start_up(const SelectableTime& all) {
  const auto end = end_of_start_up(all.timeline, all.devices);
  if (!end) return {};
  return selected(
      {{*end, all.whole.end_ns}},
      fmt::format(
          "after the start-up of the first {} ms, in which the GPU waits most ({} 0s: all of it)",
          (*end - all.whole.start_ns) / 1'000'000, option("from")));
}

}  // namespace

Result<SelectedTime> select_time(const SelectableTime& all) {
  if (!all.filter.step.empty()) return select_step(all);
  if (!all.filter.range.empty()) return select_range(all);
  if (all.filter.from_ns || all.filter.to_ns) return select_between(all);
  return leave_out_start_up(all);
}

}  // namespace proofline
