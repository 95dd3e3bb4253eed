// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/kineto_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "readers/timeline/json_scan.h"
#include "readers/timeline/lost_ops.h"
#include "vocabulary/api_calls.h"

namespace proofline {
namespace {

MemoryKind memory_kind(std::string_view word) {
  if (word == "Pageable") return MemoryKind::kPageable;
  if (word == "Pinned") return MemoryKind::kPinned;
  if (word == "Device") return MemoryKind::kDevice;
  if (word == "Array") return MemoryKind::kArray;
  if (word == "Managed") return MemoryKind::kManaged;
  return MemoryKind::kUnknown;  // AMD's "Host" may be either
}

CopyDirection copy_direction(std::string_view word) {
  if (word == "HtoD" || word == "HtoA") return CopyDirection::kHostToDevice;
  if (word == "DtoH" || word == "AtoH") return CopyDirection::kDeviceToHost;
  if (word == "DtoD" || word == "AtoA" || word == "AtoD" || word == "DtoA") {
    return CopyDirection::kDeviceToDevice;
  }
  if (word == "HtoH") return CopyDirection::kHostToHost;
  if (word == "PtoP" || word == "P2P") return CopyDirection::kPeerToPeer;
  return CopyDirection::kUnknown;
}

}  // namespace

// "Memcpy HtoD (Pageable -> Device)"
KinetoTimeline::CopyKind KinetoTimeline::copy_kind(std::string_view name) {
  CopyKind kind;
  constexpr std::string_view kPrefix = "Memcpy ";
  if (!name.starts_with(kPrefix)) return kind;
  name.remove_prefix(kPrefix.size());
  kind.direction = copy_direction(name.substr(0, name.find(' ')));
  const std::size_t open = name.find('(');
  const std::size_t arrow = name.find(" -> ");
  const std::size_t close = name.rfind(')');
  if (open < arrow && arrow < close && close != name.npos) {
    kind.from = memory_kind(name.substr(open + 1, arrow - open - 1));
    kind.to = memory_kind(name.substr(arrow + 4, close - arrow - 4));
  }
  return kind;
}

std::vector<std::uint32_t> KinetoTimeline::name_numbers(const KinetoBatch& batch) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(batch.names.keys().size());
  std::string unescaped;
  for (const std::string_view raw : batch.names.keys()) {
    const bool plain = raw.find('\\') == raw.npos || !unescape_json(raw, unescaped);
    numbers.push_back(plain ? names_.position(raw) : names_.position(unescaped));
  }
  return numbers;
}

std::vector<std::uint32_t> KinetoTimeline::thread_numbers(const KinetoBatch& batch) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(batch.threads.size());
  for (const KinetoThread& thread : batch.threads) {
    const auto [at, added] =
        threads_.try_emplace({std::string(thread.pid), std::string(thread.tid)},
                             static_cast<std::uint32_t>(timeline_.threads.size()));
    if (added) {
      TimelineThread one;
      if (!parse_whole(thread.tid, one.id)) one.name = thread.tid;
      timeline_.threads.push_back(std::move(one));
    }
    numbers.push_back(at->second);
  }
  return numbers;
}

std::vector<std::uint32_t> KinetoTimeline::stream_numbers(const KinetoBatch& batch) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(batch.streams.size());
  for (const KinetoStream& stream : batch.streams) {
    const auto [at, added] =
        streams_.try_emplace(stream, static_cast<std::uint32_t>(timeline_.streams.size()));
    // Its device is a number of the file until the devices are known.
    if (added) timeline_.streams.push_back({0, stream.device, stream.context, stream.stream});
    numbers.push_back(at->second);
  }
  return numbers;
}

std::uint32_t KinetoTimeline::plain_call_name(std::uint32_t name) {
  const auto known = call_names_.find(name);
  if (known != call_names_.end()) return known->second;
  const std::string plain(plain_api_name(names_.keys()[name]));
  const std::uint32_t number = names_.position(plain);
  call_names_.emplace(name, number);
  return number;
}

void KinetoTimeline::add_ops(const KinetoBatch& batch, const std::vector<std::uint32_t>& names) {
  const std::vector<std::uint32_t> streams = stream_numbers(batch);
  std::vector<std::uint32_t> shapes;
  for (const LaunchShape& shape : batch.shapes.keys()) shapes.push_back(shapes_.position(shape));
  for (GpuOp op : batch.ops) {
    op.name = names[op.name];
    op.stream = streams[op.stream];
    if (op.shape != kNoPosition) op.shape = shapes[op.shape];
    if (op.work == GpuWork::kCopy) {
      auto known = copy_kinds_.find(op.name);
      if (known == copy_kinds_.end()) {
        known = copy_kinds_.emplace(op.name, copy_kind(names_.keys()[op.name])).first;
      }
      op.direction = known->second.direction;
      op.from = known->second.from;
      op.to = known->second.to;
    }
    timeline_.ops.push_back(op);
  }
}

void KinetoTimeline::add(const KinetoBatch& batch, std::uint64_t offset) {
  const std::vector<std::uint32_t> names = name_numbers(batch);
  const std::vector<std::uint32_t> threads = thread_numbers(batch);
  const auto first_op = static_cast<std::uint32_t>(timeline_.ops.size());
  add_ops(batch, names);
  const auto add_collectives = [&](const std::vector<Collective>& from, std::uint32_t first,
                                   std::vector<Collective>& to) {
    for (Collective collective : from) {
      collective.op += first;
      collective.name = names[collective.name];
      collective.group = names[collective.group];
      to.push_back(collective);
    }
  };
  add_collectives(batch.collectives, first_op, timeline_.collectives);
  add_collectives(batch.asked_collectives, static_cast<std::uint32_t>(timeline_.ranges.size()),
                  timeline_.asked_collectives);
  for (ApiCall call : batch.calls) {
    call.name = plain_call_name(names[call.name]);
    call.thread = threads[call.thread];
    timeline_.calls.push_back(call);
  }
  for (HostRange range : batch.ranges) {
    range.name = names[range.name];
    range.thread = threads[range.thread];
    timeline_.ranges.push_back(range);
  }
  for (const KinetoThreadName& named : batch.thread_names) {
    // Names of processes are those of the rows: "CPU", "GPU 0".
    if (!named.of_process) {
      timeline_.threads[threads[named.thread]].name = names_.keys()[names[named.name]];
    }
  }
  timeline_.memory_peak_bytes = std::max(timeline_.memory_peak_bytes, batch.memory_peak);
  events_ += batch.events;
  mtia_ += batch.mtia;
  malformed_ += batch.malformed;
  if (!first_malformed_ && batch.first_malformed) {
    first_malformed_ = offset + *batch.first_malformed;
  }
  without_time_ += batch.without_time;
  lost_ops_ += batch.lost_ops;
  if (unknown_ == 0) unknown_category_ = batch.unknown_category;
  unknown_ += batch.unknown;
  unpaired_ += batch.unpaired;
  wide_ids_ += batch.wide_ids;
}

void KinetoTimeline::add_loss(std::uint64_t count, std::string_view what, std::string place) {
  if (count == 0) return;
  timeline_.notes.push_back({NoteKind::kLoss, std::move(place), std::string(what), count});
}

// Some of what could not be read, or is of no known kind, may be work of the GPU.
void KinetoTimeline::doubt_ops() {
  lose_ops(lost_ops_ + malformed_ + unpaired_, "event", timeline_);
  if (unknown_ == 0) return;
  timeline_.notes.push_back(
      {timeline_.ops.empty() ? NoteKind::kLoss : NoteKind::kInfo, "",
       fmt::format("an event of a category that PyTorch's profiler does not write ({}), which is "
                   "not read",
                   quote(unknown_category_)),
       unknown_});
  if (!timeline_.ops.empty()) return;
  timeline_.ops_missing =
      fmt::format("{} of a category that is not known", plural(unknown_, "event"));
}

void KinetoTimeline::finish() {
  timeline_.names = names_.take_keys();
  timeline_.shapes = shapes_.take_keys();
  timeline_.processes.emplace_back();
  // The process is that of the calls; a GPU's rows have the device's number instead.
  std::vector<bool> calls(timeline_.threads.size());
  for (const ApiCall& call : timeline_.calls) calls[call.thread] = true;
  for (const auto& [thread, number] : threads_) {
    if (calls[number] && parse_whole(thread.first, timeline_.processes[0].pid)) break;
  }
  timeline_.processes[0].id = timeline_.processes[0].pid;
  for (TimelineStream& stream : timeline_.streams) {
    auto device = std::find_if(timeline_.devices.begin(), timeline_.devices.end(),
                               [&](const TimelineDevice& one) { return one.id == stream.device; });
    if (device == timeline_.devices.end()) {
      timeline_.devices.push_back({stream.device, "", "", 0});
      device = std::prev(timeline_.devices.end());
    }
    stream.device = static_cast<std::uint32_t>(device - timeline_.devices.begin());
  }
  // Other programs write the same layout, of which nothing is read then.
  const bool is_foreign = timeline_.ops.empty() && timeline_.calls.empty() &&
                          timeline_.ranges.empty() && mtia_ == 0 && malformed_ == 0 &&
                          without_time_ == 0 && unpaired_ == 0;
  if (is_foreign && events_ > 0) {
    timeline_.producer.clear();
    timeline_.ops_missing = "a trace of another program";
    add_loss(events_,
             "an event, none of a kind that PyTorch's profiler writes: a trace of another "
             "program is not read");
  }
  if (!is_foreign) doubt_ops();
  add_loss(malformed_, "an event that is not sound JSON",
           first_malformed_ ? fmt::format("offset {}", *first_malformed_) : "");
  add_loss(without_time_, "an event without a start, or whose length is not a number or below 0");
  add_loss(unpaired_, "an event that only begins or ends something, which is not read");
  add_loss(wide_ids_, "a correlation id beyond 32 bits, so that its launch is not known");
  const auto broken = static_cast<std::uint64_t>(
      std::count_if(timeline_.names.begin(), timeline_.names.end(),
                    [](const std::string& name) { return !is_valid_utf8(name); }));
  if (broken > 0) {
    timeline_.notes.push_back({NoteKind::kInfo, "", "a name that is not valid UTF-8", broken});
  }
  if (mtia_ > 0) {
    timeline_.notes.push_back({NoteKind::kInfo, "",
                               "events of an MTIA accelerator, whose device time is not read",
                               mtia_});
  }
}

}  // namespace proofline
