// SPDX-License-Identifier: Apache-2.0
//
// Slices of one row may be beside or within each other; Perfetto drops those that cross. So what
// would cross goes to a further lane, a row with a number of its own.
#include "views/timeline/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/timeline/launches.h"
#include "base/json_writer.h"

namespace proofline {
namespace {

// Rows are told apart by 32 bits; a thread's number has 22, so lanes are counted above them.
constexpr std::uint64_t kLaneStep = std::uint64_t{1} << 24U;

// "-1.005": the unit of such traces is the microsecond.
std::string microseconds(std::int64_t ns) {
  const auto magnitude =
      ns < 0 ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", magnitude / 1000, magnitude % 1000);
}

std::string quoted_json(std::string_view text) {
  return json_text([&](JsonWriter& json) { json.text(text); });
}

// Numbers that are each given once: the wanted one, or the next that is free.
class UniqueNumbers {
 public:
  std::uint64_t take(std::uint64_t wanted) {
    while (!taken_.insert(wanted).second) ++wanted;
    return wanted;
  }

 private:
  std::set<std::uint64_t> taken_;
};

// Says on which lane of its row each slice goes; they have to come by start, the longer first.
class Lanes {
 public:
  // What is within another slice may share its lane where `nests`.
  explicit Lanes(bool nests) : nests_(nests) {}

  std::uint64_t place(std::int64_t start, std::int64_t end) {
    for (std::size_t lane = 0;; ++lane) {
      if (lane == open_.size()) open_.emplace_back();
      std::vector<std::int64_t>& ends = open_[lane];
      while (!ends.empty() && ends.back() <= start) ends.pop_back();
      if (!ends.empty() && (!nests_ || ends.back() < end)) continue;
      ends.push_back(end);
      return lane;
    }
  }

  std::size_t count() const { return open_.size(); }

 private:
  bool nests_;
  std::vector<std::vector<std::int64_t>> open_;  // of each lane, the ends of what is not over
};

class ChromeTrace {
 public:
  ChromeTrace(const Timeline& timeline, Output& output)
      : timeline_(timeline), output_(output), launches_(join_launches(timeline)) {
    names_.reserve(timeline.names.size());
    for (const std::string& name : timeline.names) names_.push_back(quoted_json(name));
    number_rows();
    number_correlations();
  }

  void write() {
    output_.write("{\"schemaVersion\": 1,\n\"deviceProperties\": [");
    for (std::size_t i = 0; i < timeline_.devices.size(); ++i) write_device(i);
    output_.write("],\n");
    if (timeline_.rank) {
      output_.write(fmt::format("\"distributedInfo\": {{\"rank\": {}}},\n", *timeline_.rank));
    }
    if (timeline_.unix_ns && *timeline_.unix_ns >= 0) {
      output_.write(fmt::format("\"baseTimeNanoseconds\": {},\n", *timeline_.unix_ns));
    }
    output_.write("\"traceEvents\": [");
    write_ops();
    write_host();
    write_row_names();
    output_.write("\n]}\n");
  }

 private:
  struct Row {
    std::uint64_t process = 0;
    std::uint64_t number = 0;

    std::uint64_t lane(std::uint64_t index) const { return number + index * kLaneStep; }
  };

  // Devices may have one number in two processes, threads may have none.
  void number_rows() {
    UniqueNumbers processes;
    for (const TimelineDevice& device : timeline_.devices) {
      device_rows_.push_back(processes.take(device.id));
    }
    std::vector<std::uint64_t> process_rows;
    for (const TimelineProcess& process : timeline_.processes) {
      process_rows.push_back(processes.take(process.pid));
    }
    std::map<std::uint64_t, UniqueNumbers> numbers;
    for (const TimelineStream& stream : timeline_.streams) {
      const std::uint64_t process = device_rows_[stream.device];
      stream_rows_.push_back({process, numbers[process].take(stream.id % kLaneStep)});
    }
    for (const TimelineThread& thread : timeline_.threads) {
      const std::uint64_t process = process_rows[thread.process];
      thread_rows_.push_back({process, numbers[process].take(thread.id % kLaneStep)});
    }
    process_rows_ = std::move(process_rows);
  }

  // A trace of this kind has one process, so correlations of several would be mixed up.
  void number_correlations() {
    if (timeline_.processes.size() < 2) return;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
    const auto number = [&](std::uint32_t process, std::uint32_t correlation) -> std::uint32_t {
      if (correlation == 0) return 0;
      const auto next = static_cast<std::uint32_t>(known.size() + 1);
      return known.try_emplace({process, correlation}, next).first->second;
    };
    for (const GpuOp& op : timeline_.ops) {
      op_correlations_.push_back(number(process_of(timeline_, op), op.correlation));
    }
    for (const ApiCall& call : timeline_.calls) {
      call_correlations_.push_back(number(process_of(timeline_, call), call.correlation));
    }
  }

  static std::uint32_t correlation(const std::vector<std::uint32_t>& numbers, std::uint32_t index,
                                   std::uint32_t own) {
    return numbers.empty() ? own : numbers[index];
  }

  void write_device(std::size_t index) {
    const TimelineDevice& device = timeline_.devices[index];
    const std::string_view capability = device.compute_capability;
    const std::size_t dot = capability.find('.');
    output_.write(fmt::format(
        "{}\n{{\"id\": {}, \"name\": {}{}, \"numSms\": {}}}", index > 0 ? "," : "",
        device_rows_[index], quoted_json(device.name),
        dot == capability.npos ? ""
                               : fmt::format(", \"computeMajor\": {}, \"computeMinor\": {}",
                                             capability.substr(0, dot), capability.substr(dot + 1)),
        device.multiprocessors));
  }

  void write_event(std::string_view event) {
    output_.write(first_ ? "\n" : ",\n");
    output_.write(event);
    first_ = false;
  }

  void write_slice(std::string_view category, std::string_view name, std::uint64_t process,
                   std::uint64_t row, std::int64_t start, std::int64_t end, std::string_view args) {
    write_event(
        fmt::format("{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": {}, \"pid\": {}, \"tid\": "
                    "{}, \"ts\": {}, \"dur\": {}{}}}",
                    category, name, process, row, microseconds(start), microseconds(end - start),
                    args.empty() ? "" : fmt::format(", \"args\": {{{}}}", args)));
  }

  void write_ops() {
    std::vector<std::uint32_t> order(timeline_.ops.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const GpuOp& one = timeline_.ops[a];
      const GpuOp& other = timeline_.ops[b];
      return std::tie(one.stream, one.start_ns, one.end_ns, a) <
             std::tie(other.stream, other.start_ns, other.end_ns, b);
    });
    for (std::size_t first = 0; first < order.size();) {
      const std::uint32_t stream = timeline_.ops[order[first]].stream;
      Lanes lanes(false);
      std::size_t next = first;
      for (; next < order.size() && timeline_.ops[order[next]].stream == stream; ++next) {
        write_op(order[next], lanes);
      }
      const std::string name = fmt::format("stream {}", timeline_.streams[stream].id);
      name_lanes(stream_rows_[stream], lanes.count(), name);
      first = next;
    }
  }

  static std::string_view category_of(GpuWork work) {
    switch (work) {
      case GpuWork::kKernel: return "kernel";
      case GpuWork::kCopy: return "gpu_memcpy";
      case GpuWork::kSet: return "gpu_memset";
      case GpuWork::kGraph: return "gpu_graph";
    }
    return "";
  }

  void write_op(std::uint32_t index, Lanes& lanes) {
    const GpuOp& op = timeline_.ops[index];
    const TimelineStream& stream = timeline_.streams[op.stream];
    const Row& row = stream_rows_[op.stream];
    const std::uint64_t lane = row.lane(lanes.place(op.start_ns, op.end_ns));
    std::string args = fmt::format(
        "\"device\": {}, \"context\": {}, \"stream\": {}, \"correlation\": {}", row.process,
        stream.context, stream.id, correlation(op_correlations_, index, op.correlation));
    if (op.bytes != kUnknownBytes) args += fmt::format(", \"bytes\": {}", op.bytes);
    if (op.in_graph) args += ", \"graph node id\": 1";
    if (op.shape != kNoPosition) {
      const LaunchShape& shape = timeline_.shapes[op.shape];
      args += fmt::format(
          ", \"grid\": [{}, {}, {}], \"block\": [{}, {}, {}], \"registers per thread\": {}, "
          "\"shared memory\": {}",
          shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
          shape.block[2], shape.registers, shape.shared_bytes);
    }
    write_slice(category_of(op.work), names_[op.name], row.process, lane, op.start_ns, op.end_ns,
                args);
    const std::uint32_t call = launches_.call_of_op[index];
    if (call == kNoPosition) return;
    const Row& thread = thread_rows_[timeline_.calls[call].thread];
    write_flow("s", index, thread.process, thread.number, timeline_.calls[call].start_ns);
    write_flow("f", index, row.process, lane, op.start_ns);
  }

  void write_flow(std::string_view phase, std::uint32_t id, std::uint64_t process,
                  std::uint64_t row, std::int64_t time) {
    write_event(fmt::format(
        "{{\"ph\": \"{}\", \"cat\": \"ac2g\", \"name\": \"ac2g\", \"id\": {}, "
        "\"pid\": {}, \"tid\": {}, \"ts\": {}{}}}",
        phase, id, process, row, microseconds(time), phase == "f" ? ", \"bp\": \"e\"" : ""));
  }

  // A call or a range of a thread.
  struct HostSlice {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::uint32_t thread = 0;
    std::uint32_t index = 0;
    bool is_call = false;
  };

  void write_host() {
    std::vector<HostSlice> slices;
    slices.reserve(timeline_.calls.size() + timeline_.ranges.size());
    for (std::uint32_t i = 0; i < timeline_.calls.size(); ++i) {
      const ApiCall& call = timeline_.calls[i];
      slices.push_back({call.start_ns, call.end_ns, call.thread, i, true});
    }
    for (std::uint32_t i = 0; i < timeline_.ranges.size(); ++i) {
      const HostRange& range = timeline_.ranges[i];
      slices.push_back({range.start_ns, range.end_ns, range.thread, i, false});
    }
    std::sort(slices.begin(), slices.end(), [](const HostSlice& a, const HostSlice& b) {
      return std::tie(a.thread, a.start_ns, b.end_ns, a.is_call, a.index) <
             std::tie(b.thread, b.start_ns, a.end_ns, b.is_call, b.index);
    });
    for (std::size_t first = 0; first < slices.size();) {
      const std::uint32_t thread = slices[first].thread;
      Lanes lanes(true);
      std::size_t next = first;
      for (; next < slices.size() && slices[next].thread == thread; ++next) {
        write_host_slice(slices[next], lanes);
      }
      const TimelineThread& named = timeline_.threads[thread];
      name_lanes(thread_rows_[thread], lanes.count(),
                 named.name.empty() ? fmt::format("thread {}", named.id) : named.name);
      first = next;
    }
  }

  static std::string_view category_of(HostWork work) {
    switch (work) {
      case HostWork::kOperator: return "cpu_op";
      case HostWork::kAnnotation: return "user_annotation";
      case HostWork::kPython: return "python_function";
      case HostWork::kSystem: return "os_runtime";
      case HostWork::kOverhead: return "overhead";
    }
    return "";
  }

  void write_host_slice(const HostSlice& slice, Lanes& lanes) {
    const Row& row = thread_rows_[slice.thread];
    const std::uint64_t lane = row.lane(lanes.place(slice.start_ns, slice.end_ns));
    if (slice.is_call) {
      const ApiCall& call = timeline_.calls[slice.index];
      const std::string& name = timeline_.names[call.name];
      const bool of_driver = name.starts_with("cu") && !name.starts_with("cuda");
      write_slice(of_driver ? "cuda_driver" : "cuda_runtime", names_[call.name], row.process, lane,
                  call.start_ns, call.end_ns,
                  fmt::format("\"correlation\": {}",
                              correlation(call_correlations_, slice.index, call.correlation)));
    } else {
      const HostRange& range = timeline_.ranges[slice.index];
      write_slice(category_of(range.work), names_[range.name], row.process, lane, range.start_ns,
                  range.end_ns, "");
    }
  }

  void name_lanes(const Row& row, std::size_t lanes, const std::string& name) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::string shown = lane == 0 ? name : fmt::format("{} ({})", name, lane + 1);
      row_names_.push_back(
          fmt::format("{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": {}, \"tid\": {}, "
                      "\"args\": {{\"name\": {}}}}}",
                      row.process, row.lane(lane), quoted_json(shown)));
    }
  }

  void write_row_names() {
    for (const std::string& name : row_names_) write_event(name);
    for (std::size_t i = 0; i < timeline_.devices.size(); ++i) {
      const TimelineDevice& device = timeline_.devices[i];
      name_process(device_rows_[i], fmt::format("GPU {} {}", device.id, device.name));
    }
    for (std::size_t i = 0; i < timeline_.processes.size(); ++i) {
      const TimelineProcess& process = timeline_.processes[i];
      name_process(process_rows_[i], fmt::format("{} {}", process.name, process.pid));
    }
  }

  void name_process(std::uint64_t process, std::string_view name) {
    write_event(
        fmt::format("{{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": {}, \"tid\": 0, "
                    "\"args\": {{\"name\": {}}}}}",
                    process, quoted_json(name)));
  }

  const Timeline& timeline_;
  Output& output_;
  Launches launches_;
  std::vector<std::string> names_;  // as JSON
  std::vector<std::uint64_t> device_rows_;
  std::vector<std::uint64_t> process_rows_;
  std::vector<Row> stream_rows_;
  std::vector<Row> thread_rows_;
  std::vector<std::uint32_t> op_correlations_;  // of each; empty: their own
  std::vector<std::uint32_t> call_correlations_;
  std::vector<std::string> row_names_;
  bool first_ = true;
};

}  // namespace

void write_chrome_trace(const Timeline& timeline, Output& output) {
  ChromeTrace(timeline, output).write();
}

}  // namespace proofline
