// SPDX-License-Identifier: Apache-2.0
//
// Nothing ends before it starts or points beyond a list, and what an analysis makes of it adds up.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include "diagnosis/timeline/diagnose_timeline.h"
#include "model/timeline/timeline.h"
#include "promise.h"
#include "promises.h"

namespace proofline::fuzz {
namespace {

void check(const Timeline& timeline) {
  for (const TimelineThread& thread : timeline.threads) {
    require(thread.process < timeline.processes.size(), "threads are of a process");
  }
  for (const TimelineStream& stream : timeline.streams) {
    require(stream.process < timeline.processes.size(), "streams are of a process");
    require(stream.device < timeline.devices.size(), "streams are of a device");
  }
  for (const GpuOp& op : timeline.ops) {
    require(op.start_ns <= op.end_ns, "operations end after they start");
    require(op.name < timeline.names.size(), "operations have a name");
    require(op.stream < timeline.streams.size(), "operations are of a stream");
    require(op.shape == kNoPosition || op.shape < timeline.shapes.size(), "shapes are known");
  }
  for (const ApiCall& call : timeline.calls) {
    require(call.start_ns <= call.end_ns, "calls end after they start");
    require(call.name < timeline.names.size(), "calls have a name");
    require(call.thread < timeline.threads.size(), "calls are of a thread");
  }
  for (const HostRange& range : timeline.ranges) {
    require(range.start_ns <= range.end_ns, "ranges end after they start");
    require(range.name < timeline.names.size(), "ranges have a name");
    require(range.thread < timeline.threads.size(), "ranges are of a thread");
  }
  for (const Collective& collective : timeline.collectives) {
    require(collective.op < timeline.ops.size(), "collectives are of an operation");
    require(collective.name < timeline.names.size(), "collectives have a name");
    require(collective.group < timeline.names.size(), "collectives have a group");
  }
}

}  // namespace

void check_timeline(const Format& format, std::string_view bytes) {
  auto input = Input::from_memory(bytes, "fuzz", limits());
  if (!input) return;
  auto timeline = format.read_timeline(*input);
  if (!timeline) return;
  check(*timeline);
  auto report = analyse_timeline(std::move(*timeline));
  require(report.has_value(), "what is read can be analysed");
  for (const DeviceRow& device : report->devices) {
    const TimeParts& parts = device.time.parts;
    require(parts.compute_ns + parts.communication_ns + parts.copy_ns + parts.idle_ns ==
                device.time.span_ns,
            "parts are the whole span");
    const auto& idle = device.time.idle;
    require(std::accumulate(idle.begin(), idle.end(), std::int64_t{0}) == parts.idle_ns,
            "classes are all of idle");
  }
  diagnose_timeline(std::move(*report));
}

}  // namespace proofline::fuzz
