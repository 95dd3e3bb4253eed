// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/step_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/timeline/device_rows.h"
#include "analysis/timeline/intervals.h"
#include "base/statistics.h"

namespace proofline {
namespace {

// Before the device's first operation and after its last there are no gaps to classify.
TimeShares shares_of_step(const TimelineStep& step, const DeviceTime& device, const Idle& idle) {
  TimeShares shares = time_shares(device, idle, {{step.start_ns, step.end_ns}});
  std::int64_t classified = 0;
  for (const std::int64_t ns : shares.idle) classified += ns;
  shares.idle[static_cast<std::size_t>(IdleClass::kUnattributed)] +=
      shares.parts.idle_ns - classified;
  return shares;
}

// The first step warms up, so it does not count where there are others.
template <class Value>
std::int64_t median_of_warm_steps(const std::vector<StepRow>& steps, const Value& value) {
  std::vector<std::int64_t> values;
  for (auto step = steps.begin() + 1; step != steps.end(); ++step) values.push_back(value(*step));
  return lower_median(values);
}

void name_slowest(std::vector<StepRow>& steps) {
  if (steps.size() < 3) return;
  const auto slowest = std::max_element(
      steps.begin() + 1, steps.end(),
      [](const StepRow& a, const StepRow& b) { return a.time.span_ns < b.time.span_ns; });
  const auto more_than_median = [&](const auto& value) {
    return value(*slowest) - median_of_warm_steps(steps, value);
  };
  const std::int64_t longer =
      more_than_median([](const StepRow& step) { return step.time.span_ns; });
  if (longer <= 0) return;  // they are alike
  slowest->slowest = true;
  std::string_view most;
  std::int64_t difference = 0;
  const auto weigh = [&](std::string_view name, const auto& value) {
    const std::int64_t more = more_than_median(value);
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
  if (difference == 0) return;
  slowest->why = fmt::format("{} us longer than the median step: {} us more of {}", longer / 1000,
                             difference / 1000, most);
}

}  // namespace

std::vector<StepRow> step_rows(const Timeline& timeline, const std::vector<TimelineStep>& steps,
                               const DeviceTime* device, const Idle* idle, std::int64_t origin_ns) {
  if (steps.empty()) return {};
  std::vector<Stretch> ops;
  ops.reserve(timeline.ops.size());
  for (const GpuOp& op : timeline.ops) ops.push_back({op.start_ns, op.end_ns});
  const Stretches busy(std::move(ops));
  std::vector<StepRow> rows;
  for (const TimelineStep& step : steps) {
    StepRow row;
    row.name = timeline.names[timeline.ranges[step.range].name];
    row.start_ns = step.start_ns - origin_ns;
    row.busy_ns = busy.length_within(step.start_ns, step.end_ns);
    if (device != nullptr) row.time = shares_of_step(step, *device, *idle);
    row.time.span_ns = step.length();
    rows.push_back(std::move(row));
  }
  name_slowest(rows);
  return rows;
}

}  // namespace proofline
