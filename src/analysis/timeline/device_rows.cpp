// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/device_rows.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "analysis/timeline/least_work.h"
#include "base/statistics.h"

namespace proofline {
namespace {

// Where the selection and the device's span meet.
std::vector<Stretch> selected_windows(const DeviceTime& device, const TimeSelection& selection) {
  if (!selection.windows) return {{device.start_ns, device.end_ns}};
  std::vector<Stretch> windows;
  for (const Stretch& one : selection.windows->all()) {
    const std::int64_t from = std::max(one.start_ns, device.start_ns);
    const std::int64_t to = std::min(one.end_ns, device.end_ns);
    if (from < to) windows.push_back({from, to});
  }
  return windows;
}

void add_time_outside_span(const DeviceTime& device, const std::vector<Stretch>& selected,
                           DeviceRow& row) {
  for (const Stretch& one : selected) {
    row.before_ns +=
        std::max<std::int64_t>(std::min(one.end_ns, device.start_ns) - one.start_ns, 0);
    row.after_ns += std::max<std::int64_t>(one.end_ns - std::max(one.start_ns, device.end_ns), 0);
  }
}

void add_gap_lengths(const Idle& idle, const TimeSelection& selection, DeviceRow& row) {
  std::vector<std::int64_t> lengths;
  for (const Gap& gap : idle.gaps) {
    if (!selection.has(gap.start_ns)) continue;
    lengths.push_back(gap.length());
    const bool removable = idle_class_info(gap.idle).cause == IdleCause::kNothingQueued;
    if (removable && gap.length() < kShortGapNs) row.short_gaps_ns += gap.length();
    if (gap.idle == IdleClass::kLaunch && gap.length() > kLongestLaunchGapNs) {
      row.unexplained_ns += gap.length();
    }
  }
  row.gaps = lengths.size();
  if (lengths.empty()) return;
  row.median_gap_ns = lower_median(lengths);
  row.longest_gap_ns = *std::max_element(lengths.begin(), lengths.end());
}

}  // namespace

TimeShares time_shares(const DeviceTime& device, const Idle& idle,
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

DeviceRow device_row(const Timeline& timeline, const DeviceTime& device, const Idle& idle,
                     const TimeSelection& selection, const Stretch& whole) {
  const std::vector<Stretch> windows = selected_windows(device, selection);
  DeviceRow row;
  row.id = timeline.devices[device.device].id;
  row.name = timeline.devices[device.device].name;
  row.time = time_shares(device, idle, windows);
  row.most_concurrent = device.most_concurrent;
  add_time_outside_span(device, selection.windows ? selection.windows->all() : std::vector{whole},
                        row);
  for (const Stretch& window : windows) {
    row.concurrent_ns += device.concurrent.length_within(window.start_ns, window.end_ns);
    row.communication_ns += device.communication.length_within(window.start_ns, window.end_ns);
    row.copies_ns += device.copies.length_within(window.start_ns, window.end_ns);
  }
  for (const std::uint32_t op : device.ops) {
    row.ops += selection.has(timeline.ops[op].start_ns) ? 1 : 0;
  }
  for (const Stretch& one : idle.allocating) {
    if (selection.has(one.start_ns)) row.under_allocation_ns += one.length();
  }
  add_gap_lengths(idle, selection, row);
  return row;
}

std::size_t worst_device(const std::vector<DeviceRow>& devices) {
  const auto busy = [](const DeviceRow& device) {
    return device.time.span_ns - device.time.parts.idle_ns;
  };
  std::int64_t busiest = 0;
  for (const DeviceRow& device : devices) busiest = std::max(busiest, busy(device));
  const auto rank = [&](const DeviceRow& device) {
    const TimeShares& time = device.time;
    const bool is_touched = device.ops < kLeastOps && busy(device) < busiest / 100;
    return std::tuple(time.span_ns == 0, is_touched, time.share(time.parts.compute_ns));
  };
  const auto worst =
      std::min_element(devices.begin(), devices.end(),
                       [&](const DeviceRow& a, const DeviceRow& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(worst - devices.begin());
}

}  // namespace proofline
