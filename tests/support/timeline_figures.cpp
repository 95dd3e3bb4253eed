// SPDX-License-Identifier: Apache-2.0
#include "tests/support/timeline_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "analysis/timeline/idle.h"
#include "analysis/timeline/launches.h"
#include "analysis/timeline/steps.h"
#include "analysis/timeline/tables.h"

namespace proofline::test {
namespace {

class Figures {
 public:
  explicit Figures(const Timeline& timeline)
      : timeline_(timeline), launches_(join_launches(timeline)) {}

  std::map<std::string, std::string> all() {
    add_counts();
    add_calls();
    add_joins();
    add_tables();
    add_copies();
    for (const DeviceTime& device : device_times(timeline_)) add_device(device);
    add_steps();
    return std::move(figures_);
  }

 private:
  template <class Number>
  void put(const std::string& name, Number number) {
    figures_[name] = fmt::format("{}", number);
  }

  void add_counts() {
    std::uint64_t counts[4] = {};
    std::set<std::uint32_t> devices;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> streams;
    std::int64_t kernel_ns = 0;
    for (const GpuOp& op : timeline_.ops) {
      ++counts[static_cast<std::size_t>(op.work)];
      if (op.work == GpuWork::kKernel) kernel_ns += op.end_ns - op.start_ns;
      const TimelineStream& stream = timeline_.streams[op.stream];
      devices.insert(stream.device);
      streams.emplace(stream.device, stream.process, stream.id);
    }
    put("kernel.count", counts[0]);
    put("memcpy.count", counts[1]);
    put("memset.count", counts[2]);
    put("graph.count", counts[3]);
    put("kernel.sum_ns", kernel_ns);
    put("devices", devices.size());
    put("streams", streams.size());
  }

  void add_calls() {
    std::int64_t all_ns = 0;
    std::map<ApiKind, std::pair<std::uint64_t, std::int64_t>> by_kind;
    for (std::size_t i = 0; i < timeline_.calls.size(); ++i) {
      const std::int64_t ns = timeline_.calls[i].end_ns - timeline_.calls[i].start_ns;
      all_ns += ns;
      auto& [count, sum] = by_kind[launches_.kinds[i]];
      ++count;
      sum += ns;
    }
    put("api.count", timeline_.calls.size());
    put("api.ns", all_ns);
    const std::pair<ApiKind, std::string> kinds[] = {{ApiKind::kSynchronise, "sync"},
                                                     {ApiKind::kAllocate, "alloc"},
                                                     {ApiKind::kLaunch, "launch"}};
    for (const auto& [kind, name] : kinds) {
      put(name + ".calls", by_kind[kind].first);
      put(name + ".ns", by_kind[kind].second);
    }
  }

  void add_joins() {
    std::uint64_t ops = 0;
    std::uint64_t kernels = 0;
    std::uint64_t linked = 0;
    for (std::size_t i = 0; i < timeline_.ops.size(); ++i) {
      const bool joined = launches_.call_of_op[i] != kNoPosition;
      ops += joined ? 1 : 0;
      kernels += joined && timeline_.ops[i].work == GpuWork::kKernel ? 1 : 0;
      linked += launches_.range_of_op[i] != kNoPosition ? 1 : 0;
    }
    put("ops.joined", ops);
    put("kernel.joined", kernels);
    put("launch.without_op", launches_.launches_without_op);
    put("op.linked", linked);
    const LaunchDelays delays = launch_delays(timeline_, launches_);
    if (delays.count == 0) return;
    put("launch.delay.min_ns", delays.min_ns);
    put("launch.delay.median_ns", delays.median_ns);
    put("launch.delay.max_ns", delays.max_ns);
    put("launch.delay.negative", delays.negative);
  }

  void add_top(const std::string& what, const std::vector<NameTimes>& times) {
    for (std::size_t i = 0; i < times.size() && i < 3; ++i) {
      const std::string top = fmt::format("{}.top{}.", what, i + 1);
      figures_[top + "name"] = timeline_.names[times[i].name];
      put(top + "ns", times[i].sum_ns);
      put(top + "count", times[i].count);
    }
  }

  void add_tables() {
    const std::vector<NameTimes> kernels = kernel_times(timeline_);
    put("kernel.names", kernels.size());
    add_top("kernel", kernels);
    add_top("api", call_times(timeline_));
    add_top("op", operator_times(timeline_, launches_));
  }

  struct CopySum {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    std::uint64_t bytes = 0;
    bool absent = false;
  };

  void put_copies(const std::string& name, const CopySum& sum) {
    if (sum.count == 0) return;
    put(name + ".count", sum.count);
    put(name + ".ns", sum.ns);
    figures_[name + ".bytes"] = sum.absent ? "absent" : fmt::format("{}", sum.bytes);
  }

  void add_copies() {
    std::map<std::string, CopySum> sums;
    for (const CopyTimes& times : copy_times(timeline_)) {
      static constexpr std::string_view kDirections[] = {"unknown", "HtoD", "DtoH",
                                                         "DtoD",    "HtoH", "PtoP"};
      static constexpr std::string_view kMemory[] = {"", "pageable", "pinned"};
      const std::string direction =
          fmt::format("copy.{}", kDirections[static_cast<std::size_t>(times.direction)]);
      std::vector<std::string> names = {direction};
      if (times.memory != HostMemory::kNone) {
        names.push_back(
            fmt::format("{}.{}", direction, kMemory[static_cast<std::size_t>(times.memory)]));
      }
      for (const std::string& name : names) {
        CopySum& sum = sums[name];
        sum.count += times.count;
        sum.ns += times.sum_ns;
        sum.bytes += times.bytes.value_or(0);
        sum.absent = sum.absent || !times.bytes;
      }
    }
    for (const auto& [name, sum] : sums) put_copies(name, sum);
    CopySum sets;
    for (const GpuOp& op : timeline_.ops) {
      if (op.work != GpuWork::kSet) continue;
      ++sets.count;
      sets.ns += op.end_ns - op.start_ns;
      sets.absent = sets.absent || op.bytes == kUnknownBytes;
      sets.bytes += op.bytes;
    }
    if (sets.count == 0) return;
    put("memset.ns", sets.ns);
    figures_["memset.bytes"] = sets.absent ? "absent" : fmt::format("{}", sets.bytes);
  }

  void add_device(const DeviceTime& device) {
    const std::string d = fmt::format("device{}.", timeline_.devices[device.device].id);
    const TimeParts parts = time_parts(device, device.start_ns, device.end_ns);
    put(d + "span_ns", device.span_ns());
    put(d + "busy_ns", device.busy.length());
    put(d + "idle_ns", parts.idle_ns);
    put(d + "compute_ns", parts.compute_ns);
    put(d + "comm_ns", device.communication.length());
    put(d + "comm_exposed_ns", parts.communication_ns);
    put(d + "copy_ns", device.copies.length());
    put(d + "copy_exposed_ns", parts.copy_ns);
    put(d + "ops_sum_ns", device.sum_ns);
    put(d + "concurrent_ns", device.concurrent.length());
    put(d + "max_concurrent", device.most_concurrent);
    add_idle(d, find_idle(timeline_, launches_, device));
  }

  void add_idle(const std::string& d, const Idle& idle) {
    std::int64_t longest = 0;
    std::int64_t host = 0;
    std::int64_t call = 0;
    std::int64_t first = 0;
    std::int64_t wait = 0;
    std::int64_t unknown = 0;
    std::int64_t after_sync = 0;
    std::int64_t after_block = 0;
    for (const Gap& gap : idle.gaps) {
      longest = std::max(longest, gap.length());
      host += gap.host_ns;
      call += gap.call_ns;
      wait += gap.wait_ns;
      first += gap.first_launch ? gap.call_ns : 0;
      unknown += gap.call == kNoPosition ? gap.length() : 0;
      after_sync += gap.after_sync ? gap.length() : 0;
      after_block += gap.after_sync || gap.after_block ? gap.length() : 0;
    }
    put(d + "gaps", idle.gaps.size());
    put(d + "gap.max_ns", longest);
    put(d + "idle.host_ns", host);
    put(d + "idle.call_ns", call);
    put(d + "idle.call.first_ns", first);
    put(d + "idle.wait_ns", wait);
    put(d + "idle.unattributed_ns", unknown);
    put(d + "idle.after_sync_ns", after_sync);
    put(d + "idle.after_block_ns", after_block);
    put(d + "idle.sync_ns", idle.under_sync_ns);
    put(d + "idle.host.sync_ns", idle.under_sync_host_ns);
    put(d + "idle.alloc_ns", idle.under_allocation_ns);
    put(d + "idle.loader_ns", idle.under_loader_ns);
    for (const IdleClassInfo& one : kIdleClassTable) {
      put(fmt::format("{}idle.class.{}_ns", d, one.name), idle.of_class(one.idle));
    }
  }

  void add_steps() {
    const std::vector<TimelineStep> steps = find_steps(timeline_);
    if (steps.empty()) return;
    std::vector<Stretch> busy;
    for (const GpuOp& op : timeline_.ops) busy.push_back({op.start_ns, op.end_ns});
    const Stretches all(std::move(busy));
    std::int64_t own = 0;
    for (const TimelineStep& step : steps) {
      const HostRange& range = timeline_.ranges[step.range];
      own += range.end_ns - range.start_ns;
      const std::string name = "step." + timeline_.names[range.name];
      put(name + ".wall_ns", step.length());
      put(name + ".busy_ns", all.length_within(step.start_ns, step.end_ns));
    }
    put("step.count", steps.size());
    put("step.sum_ns", own);
  }

  const Timeline& timeline_;
  Launches launches_;
  std::map<std::string, std::string> figures_;
};

}  // namespace

std::map<std::string, std::string> timeline_figures(const Timeline& timeline) {
  return Figures(timeline).all();
}

}  // namespace proofline::test
