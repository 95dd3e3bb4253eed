// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/program_time.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/timeline/start_up.h"
#include "base/statistics.h"

namespace proofline {
namespace {

RanShape shape_of(const Timeline& timeline, std::uint32_t position,
                  std::vector<std::int64_t> times) {
  RanShape shape;
  if (position != kNoPosition) {
    // A grid of none is how some recorders say that they do not know.
    const LaunchShape& known = timeline.shapes[position];
    if (known.grid[0] > 0) shape.grid = known.grid;
    if (known.block[0] > 0) shape.block = known.block;
  }
  shape.median_ns = lower_median(times);
  shape.count = times.size();
  for (const std::int64_t ns : times) shape.total_ns += ns;
  return shape;
}

// Kernels with other registers or shared memory, but the same grid and block, are one shape.
void add_shape(RanShape shape, RanKernel& kernel) {
  kernel.count += shape.count;
  kernel.total_ns += shape.total_ns;
  for (RanShape& known : kernel.shapes) {
    if (known.grid != shape.grid || known.block != shape.block) continue;
    if (shape.total_ns > known.total_ns) known.median_ns = shape.median_ns;
    known.count += shape.count;
    known.total_ns += shape.total_ns;
    return;
  }
  kernel.shapes.push_back(shape);
}

template <class Row>
void put_longest_first(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.total_ns > b.total_ns; });
}

void add_kernels(const Timeline& timeline, const DeviceTime& device, std::int64_t from,
                 ProgramTime& program) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> by_shape;
  for (const std::uint32_t position : device.ops) {
    const GpuOp& op = timeline.ops[position];
    if (op.start_ns < from) continue;
    if (op.work == GpuWork::kGraph) {
      ++program.graphs;
      program.graphs_ns += op.end_ns - op.start_ns;
    }
    if (op.work != GpuWork::kKernel) continue;
    by_shape[{op.name, op.shape}].push_back(op.end_ns - op.start_ns);
  }
  std::map<std::string_view, RanKernel> by_name;
  for (auto& [key, times] : by_shape) {
    const std::string& name = timeline.names[key.first];
    RanKernel& kernel = by_name[name];
    kernel.name = name;
    kernel.communication = is_communication(name);
    add_shape(shape_of(timeline, key.second, std::move(times)), kernel);
  }
  for (auto& [name, kernel] : by_name) {
    put_longest_first(kernel.shapes);
    program.kernels.push_back(std::move(kernel));
  }
  put_longest_first(program.kernels);
}

}  // namespace

std::optional<ProgramTime> program_time(const Timeline& timeline) {
  const std::vector<DeviceTime> devices = device_times(timeline);
  const std::optional<std::int64_t> start_up = end_of_start_up(timeline, devices);
  const auto from = [&](const DeviceTime& device) {
    return start_up ? std::max(*start_up, device.start_ns) : device.start_ns;
  };
  const DeviceTime* most = nullptr;
  TimeParts parts;
  for (const DeviceTime& device : devices) {
    if (from(device) >= device.end_ns && device.span_ns() > 0) continue;  // at start-up alone
    const TimeParts of_device = time_parts(device, from(device), device.end_ns);
    if (most != nullptr && of_device.compute_ns <= parts.compute_ns) continue;
    most = &device;
    parts = of_device;
  }
  if (most == nullptr) return std::nullopt;
  ProgramTime program;
  program.span_ns = most->end_ns - from(*most);
  program.parts = parts;
  program.devices = devices.size();
  program.device_name = timeline.devices[most->device].name;
  add_kernels(timeline, *most, from(*most), program);
  return program;
}

}  // namespace proofline
