// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/idle.h"

#include <algorithm>

#include "base/interned.h"

namespace proofline {
namespace {

// When the processes that use a device were in calls that explain idle time.
struct HostTime {
  Stretches sync;
  Stretches blocking;
  Stretches allocation;
  Stretches loader;
};

bool is_pageable_copy(const GpuOp& op) {
  return op.from == MemoryKind::kPageable || op.to == MemoryKind::kPageable;
}

std::vector<bool> processes_on(const Timeline& timeline, const DeviceTime& device) {
  std::vector<bool> on(timeline.processes.size());
  for (const std::uint32_t i : device.ops) on[process_of(timeline, timeline.ops[i])] = true;
  return on;
}

HostTime host_time(const Timeline& timeline, const Launches& launches, const DeviceTime& device) {
  const std::vector<bool> on = processes_on(timeline, device);
  std::vector<Stretch> sync;
  std::vector<Stretch> blocking;
  std::vector<Stretch> allocation;
  std::vector<Stretch> loader;
  for (std::size_t i = 0; i < timeline.calls.size(); ++i) {
    const ApiCall& call = timeline.calls[i];
    if (!on[process_of(timeline, call)]) continue;
    const Stretch stretch{call.start_ns, call.end_ns};
    if (launches.kinds[i] == ApiKind::kSynchronise) sync.push_back(stretch);
    if (launches.kinds[i] == ApiKind::kAllocate) allocation.push_back(stretch);
  }
  for (const std::uint32_t i : device.ops) {
    const GpuOp& op = timeline.ops[i];
    if (op.work != GpuWork::kCopy || launches.call_of_op[i] == kNoPosition) continue;
    const ApiCall& call = timeline.calls[launches.call_of_op[i]];
    const bool waits = timeline.names[call.name].find("Async") == std::string::npos;
    if (waits || is_pageable_copy(op)) blocking.push_back({call.start_ns, call.end_ns});
  }
  std::vector<std::uint8_t> loads(timeline.names.size());  // 0: not looked at
  for (const HostRange& range : timeline.ranges) {
    std::uint8_t& is = loads[range.name];
    if (is == 0) is = timeline.names[range.name].starts_with("enumerate(DataLoader)") ? 2 : 1;
    if (is == 2 && on[timeline.threads[range.thread].process]) {
      loader.push_back({range.start_ns, range.end_ns});
    }
  }
  return {Stretches(std::move(sync)), Stretches(std::move(blocking)),
          Stretches(std::move(allocation)), Stretches(std::move(loader))};
}

// Finds the first launch of each kernel name in each process, which loads the kernel's module.
class FirstLaunches {
 public:
  FirstLaunches(const Timeline& timeline, const Launches& launches)
      : timeline_(timeline), launches_(launches) {
    for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
      if (launches.call_of_op[i] == kNoPosition || timeline.ops[i].work != GpuWork::kKernel)
        continue;
      const std::int64_t start = start_of(i);
      const std::uint32_t at = keys_.position(key(i));
      if (at == first_.size()) first_.push_back(start);
      first_[at] = std::min(first_[at], start);
    }
  }

  // The operation's call must be known.
  bool is_first(std::size_t op) {
    return timeline_.ops[op].work == GpuWork::kKernel &&
           first_[keys_.position(key(op))] == start_of(op);
  }

 private:
  std::uint64_t key(std::size_t op) const {
    return (std::uint64_t{process_of(timeline_, timeline_.ops[op])} << 32U) |
           timeline_.ops[op].name;
  }
  std::int64_t start_of(std::size_t op) const {
    return timeline_.calls[launches_.call_of_op[op]].start_ns;
  }

  const Timeline& timeline_;
  const Launches& launches_;
  Interned<std::uint64_t> keys_;
  std::vector<std::int64_t> first_;  // by the key's position
};

// Splits a gap at the start and the end of the call that launched the operation after it.
void split_gap(const ApiCall& call, Gap& gap) {
  const std::int64_t begins = std::clamp(call.start_ns, gap.start_ns, gap.end_ns);
  const std::int64_t returns = std::clamp(call.end_ns, gap.start_ns, gap.end_ns);
  gap.host_ns = begins - gap.start_ns;
  gap.call_ns = returns - begins;
  gap.wait_ns = gap.end_ns - returns;
}

bool is_half(std::int64_t part, const Gap& gap) { return 2 * part >= gap.length(); }

IdleClass class_of(const Gap& gap, std::int64_t allocation, std::int64_t loader) {
  if (gap.call == kNoPosition) return IdleClass::kUnattributed;
  if (gap.first_launch && is_half(gap.call_ns, gap)) return IdleClass::kLoad;
  if (gap.after_sync) return IdleClass::kSynchronise;
  if (gap.after_block) return IdleClass::kBlockingCopy;
  if (is_half(allocation, gap)) return IdleClass::kAllocate;
  if (is_half(loader, gap)) return IdleClass::kLoader;
  return is_half(gap.host_ns, gap) ? IdleClass::kHost : IdleClass::kLaunch;
}

// Several operations may start when a gap ends: the gap is attributed to the one whose call began
// first. `first` is the position of the first of them in the device's order.
void find_answer(const Timeline& timeline, const Launches& launches, const DeviceTime& device,
                 std::size_t first, Gap& gap) {
  gap.op = device.ops[first];
  for (std::size_t i = first; i < device.ops.size(); ++i) {
    const std::uint32_t op = device.ops[i];
    if (timeline.ops[op].start_ns != gap.end_ns) break;
    const std::uint32_t call = launches.call_of_op[op];
    if (call == kNoPosition) continue;
    if (gap.call != kNoPosition &&
        timeline.calls[gap.call].start_ns <= timeline.calls[call].start_ns) {
      continue;
    }
    gap.call = call;
    gap.op = op;
  }
}

}  // namespace

std::int64_t Idle::of_class(IdleClass idle) const {
  std::int64_t length = 0;
  for (const Gap& gap : gaps) length += gap.idle == idle ? gap.length() : 0;
  return length;
}

std::array<std::int64_t, kIdleClasses> Idle::by_class_within(std::int64_t from,
                                                             std::int64_t to) const {
  std::array<std::int64_t, kIdleClasses> lengths{};
  auto gap = std::lower_bound(gaps.begin(), gaps.end(), from,
                              [](const Gap& one, std::int64_t time) { return one.end_ns < time; });
  for (; gap != gaps.end() && gap->start_ns < to; ++gap) {
    const std::int64_t length = std::min(gap->end_ns, to) - std::max(gap->start_ns, from);
    lengths[static_cast<std::size_t>(gap->idle)] += std::max<std::int64_t>(length, 0);
  }
  return lengths;
}

namespace {

// Calls `take` with each gap in the device's span. A gap at an end of the span exists where the
// first or the last operation has no length.
template <class Take>
void for_each_hole(const DeviceTime& device, const Take& take) {
  std::int64_t from = device.start_ns;
  for (const Stretch& busy : device.busy.all()) {
    if (busy.start_ns > from) take(Stretch{from, busy.start_ns});
    from = busy.end_ns;
  }
  if (device.end_ns > from) take(Stretch{from, device.end_ns});
}

}  // namespace

Idle find_idle(const Timeline& timeline, const Launches& launches, const DeviceTime& device) {
  Idle idle;
  const HostTime host = host_time(timeline, launches, device);
  StretchSweep sync(host.sync);
  StretchSweep blocking(host.blocking);
  StretchSweep allocation(host.allocation);
  StretchSweep loader(host.loader);
  FirstLaunches first_launches(timeline, launches);
  std::size_t holes = 0;
  for_each_hole(device, [&](const Stretch&) { ++holes; });
  idle.gaps.reserve(holes);
  std::size_t next = 0;
  for_each_hole(device, [&](const Stretch& hole) {
    Gap gap;
    gap.start_ns = hole.start_ns;
    gap.end_ns = hole.end_ns;
    while (timeline.ops[device.ops[next]].start_ns < gap.end_ns) ++next;
    find_answer(timeline, launches, device, next, gap);
    if (gap.call != kNoPosition) {
      split_gap(timeline.calls[gap.call], gap);
      gap.first_launch = first_launches.is_first(gap.op);
    }
    gap.after_sync = sync.contains(gap.start_ns);
    gap.after_block = blocking.contains(gap.start_ns);
    const std::int64_t sync_before = sync.length_before(gap.start_ns);
    idle.under_sync_host_ns += sync.length_before(gap.start_ns + gap.host_ns) - sync_before;
    idle.under_sync_ns += sync.length_before(gap.end_ns) - sync_before;
    const std::int64_t allocation_before = allocation.length_before(gap.start_ns);
    const std::int64_t allocating = allocation.length_before(gap.end_ns) - allocation_before;
    const std::int64_t loader_before = loader.length_before(gap.start_ns);
    const std::int64_t loading = loader.length_before(gap.end_ns) - loader_before;
    idle.under_allocation_ns += allocating;
    if (allocating > 0) idle.allocating.push_back({gap.start_ns, gap.start_ns + allocating});
    idle.under_loader_ns += loading;
    gap.idle = class_of(gap, allocating, loading);
    idle.gaps.push_back(gap);
  });
  return idle;
}

}  // namespace proofline
