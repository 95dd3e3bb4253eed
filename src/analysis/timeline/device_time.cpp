// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/device_time.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/characters.h"

namespace proofline {
namespace {

// Of each name, whether it is communication; asked for once, not for each kernel.
class CommunicationNames {
 public:
  explicit CommunicationNames(const Timeline& timeline)
      : timeline_(timeline), known_(timeline.names.size()), is_(timeline.names.size()) {}

  bool has(std::uint32_t name) {
    if (!known_[name]) {
      known_[name] = true;
      is_[name] = is_communication(timeline_.names[name]);
    }
    return is_[name];
  }

 private:
  const Timeline& timeline_;
  std::vector<bool> known_;
  std::vector<bool> is_;
};

// Those that start together stay in the order of the file.
void sort_by_start(const Timeline& timeline, std::vector<std::uint32_t>& ops) {
  // Starts are beside their positions: a sort that had to go to each operation would take longer.
  std::vector<std::pair<std::int64_t, std::uint32_t>> starts;
  starts.reserve(ops.size());
  for (const std::uint32_t i : ops) starts.emplace_back(timeline.ops[i].start_ns, i);
  if (std::is_sorted(starts.begin(), starts.end())) return;
  std::sort(starts.begin(), starts.end());
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i] = starts[i].second;
}

// When two operations or more run, and how many at most. An end counts before a start.
void add_concurrency(const Timeline& timeline, DeviceTime& device) {
  std::vector<std::int64_t> ends;
  ends.reserve(device.ops.size());
  for (const std::uint32_t i : device.ops) ends.push_back(timeline.ops[i].end_ns);
  if (!std::is_sorted(ends.begin(), ends.end())) std::sort(ends.begin(), ends.end());
  std::vector<Stretch> concurrent;
  std::size_t started = 0;
  std::size_t ended = 0;
  std::int64_t since = 0;
  const auto pass_to = [&](std::int64_t time) {
    if (started - ended >= 2 && time > since) concurrent.push_back({since, time});
    since = time;
  };
  while (started < device.ops.size()) {
    const std::int64_t start = timeline.ops[device.ops[started]].start_ns;
    // One of no length has not started yet when its end comes, and counts for nothing.
    if (ended < started && ends[ended] <= start) {
      pass_to(ends[ended]);
      ++ended;
      continue;
    }
    pass_to(start);
    ++started;
    device.most_concurrent =
        std::max(device.most_concurrent, static_cast<std::uint32_t>(started - ended));
  }
  while (ended < ends.size() && started - ended >= 2) {
    pass_to(ends[ended]);
    ++ended;
  }
  device.concurrent = Stretches(std::move(concurrent));
}

void add_unions(const Timeline& timeline, CommunicationNames& names, DeviceTime& device) {
  std::vector<Stretch> all;
  std::vector<Stretch> compute;
  all.reserve(device.ops.size());
  compute.reserve(device.ops.size());
  std::vector<Stretch> communication;
  std::vector<Stretch> copies;
  for (const std::uint32_t i : device.ops) {
    const GpuOp& op = timeline.ops[i];
    device.sum_ns += op.end_ns - op.start_ns;
    if (op.end_ns == op.start_ns) continue;  // an empty stretch would still part a gap in two
    const Stretch stretch{op.start_ns, op.end_ns};
    all.push_back(stretch);
    if (op.work == GpuWork::kCopy || op.work == GpuWork::kSet) {
      copies.push_back(stretch);
      continue;
    }
    const bool talks = op.work == GpuWork::kKernel && names.has(op.name);
    (talks ? communication : compute).push_back(stretch);
  }
  device.busy = Stretches(std::move(all));
  if (!communication.empty()) {
    std::vector<Stretch> computing = compute;
    computing.insert(computing.end(), communication.begin(), communication.end());
    device.computing = Stretches(std::move(computing));
  }
  device.compute = Stretches(std::move(compute));
  device.communication = Stretches(std::move(communication));
  device.copies = Stretches(std::move(copies));
}

}  // namespace

bool is_communication(std::string_view kernel) {
  const std::string name = lower_case(kernel);
  // rccl's kernels bear nccl's names.
  return name.find("nccl") != name.npos;
}

std::vector<DeviceTime> device_times(const Timeline& timeline) {
  std::vector<DeviceTime> devices(timeline.devices.size());
  for (std::uint32_t i = 0; i < timeline.ops.size(); ++i) {
    devices[timeline.streams[timeline.ops[i].stream].device].ops.push_back(i);
  }
  for (std::uint32_t i = 0; i < devices.size(); ++i) devices[i].device = i;
  std::erase_if(devices, [](const DeviceTime& device) { return device.ops.empty(); });
  CommunicationNames names(timeline);
  for (DeviceTime& device : devices) {
    sort_by_start(timeline, device.ops);
    device.start_ns = timeline.ops[device.ops.front()].start_ns;
    device.end_ns = device.start_ns;
    for (const std::uint32_t i : device.ops) {
      device.end_ns = std::max(device.end_ns, timeline.ops[i].end_ns);
    }
    add_unions(timeline, names, device);
    add_concurrency(timeline, device);
  }
  return devices;
}

TimeParts time_parts(const DeviceTime& device, std::int64_t from, std::int64_t to) {
  TimeParts parts;
  if (from >= to) return parts;
  const std::int64_t busy = device.busy.length_within(from, to);
  parts.compute_ns = device.compute.length_within(from, to);
  const std::int64_t computing = device.communication.all().empty()
                                     ? parts.compute_ns
                                     : device.computing.length_within(from, to);
  parts.communication_ns = computing - parts.compute_ns;
  parts.copy_ns = busy - computing;
  parts.idle_ns = to - from - busy;
  return parts;
}

}  // namespace proofline
