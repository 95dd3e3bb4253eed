// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/recorded_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_cursor.h"
#include "base/demangle.h"
#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/timeline/interner.h"
#include "readers/timeline/recording_format.h"
#include "vocabulary/api_calls.h"

namespace proofline {
namespace {

// Clocks of one boot of one machine agree within this on how far the time of day is from the
// monotonic clock, even where somebody sets the time in between.
constexpr std::int64_t kSameBootNs = 3'600'000'000'000;

std::uint32_t fitting(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

CopyDirection cupti_direction(std::uint64_t copy_kind) {
  switch (copy_kind) {
    case 1:
    case 3: return CopyDirection::kHostToDevice;
    case 2:
    case 4: return CopyDirection::kDeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8: return CopyDirection::kDeviceToDevice;
    case 9: return CopyDirection::kHostToHost;
    case 10: return CopyDirection::kPeerToPeer;
    default: return CopyDirection::kUnknown;
  }
}

MemoryKind cupti_memory(std::uint64_t kind) {
  switch (kind) {
    case 1: return MemoryKind::kPageable;
    case 2: return MemoryKind::kPinned;
    case 3:
    case 6: return MemoryKind::kDevice;
    case 4: return MemoryKind::kArray;
    case 5:
    case 7: return MemoryKind::kManaged;
    default: return MemoryKind::kUnknown;
  }
}

WaitFor cupti_wait(std::uint64_t type) {
  switch (type) {
    case 1: return WaitFor::kEvent;
    case 2: return WaitFor::kEventInQueue;
    case 3: return WaitFor::kStream;
    case 4: return WaitFor::kContext;
    default: return WaitFor::kUnknown;
  }
}

std::string_view word_of(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kUnknown: return "";
    case CopyDirection::kHostToDevice: return "HtoD";
    case CopyDirection::kDeviceToHost: return "DtoH";
    case CopyDirection::kDeviceToDevice: return "DtoD";
    case CopyDirection::kHostToHost: return "HtoH";
    case CopyDirection::kPeerToPeer: return "PtoP";
  }
  return "";
}

std::string_view word_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kUnknown: return "Unknown";
    case MemoryKind::kPageable: return "Pageable";
    case MemoryKind::kPinned: return "Pinned";
    case MemoryKind::kDevice: return "Device";
    case MemoryKind::kArray: return "Array";
    case MemoryKind::kManaged: return "Managed";
  }
  return "";
}

// As CUPTI numbers them.
std::string_view cupti_overhead_name(std::uint64_t kind) {
  switch (kind) {
    case 1: return "compiling";
    case 1U << 16U: return "CUPTI: flushing buffers";
    case 2U << 16U: return "CUPTI: instrumenting";
    case 3U << 16U: return "CUPTI: creating resources";
    case 4U << 16U: return "module loading";
    case 5U << 16U: return "lazy function loading";
    case 6U << 16U: return "command buffer full";
    case 7U << 16U: return "CUPTI: requesting a buffer";
    case 8U << 16U: return "CUPTI: starting to watch unified memory";
    default: return "overhead";
  }
}

// "cudaLaunchKernel" of "__cudaLaunchKernel_v13000", which compilers call since CUDA 13, and of
// "cudaLaunchKernel_ptsz_v7000": CUPTI puts the version last, so what is before it is plain too.
std::string_view call_name(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  return plain_api_name(plain_api_name(name));
}

struct RangeName {
  std::string_view name;
  HostWork work = HostWork::kAnnotation;
};

// PyTorch gives its operators to NVTX as "aten::add, seq = 5, op_id = 7": each another name.
RangeName range_name(std::string_view text) {
  std::string_view name = text;
  for (const std::string_view number : {", op_id = ", ", seq = "}) {
    name = name.substr(0, name.find(number));
  }
  const bool is_operator = name != text && name.find("::") != std::string_view::npos;
  return {name, is_operator ? HostWork::kOperator : HostWork::kAnnotation};
}

using NameTable = Interner<std::string>;

// How far two clocks are apart, over all the moments at which they were read.
class ClockDistance {
 public:
  void add(std::uint64_t clock, std::uint64_t reference) {
    const auto distance = static_cast<std::int64_t>(clock - reference);
    if (count_ == 0) first_ = distance;
    sum_ += distance - first_;
    ++count_;
  }
  bool is_known() const { return count_ > 0; }
  std::int64_t mean() const { return count_ == 0 ? 0 : first_ + sum_ / count_; }

 private:
  std::int64_t first_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t count_ = 0;
};

// What is known of a device in one process.
struct LocalDevice {
  TimelineDevice device;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> uuid;
};

// Where a process' events begin in each list of the timeline, and its clocks.
struct ProcessPiece {
  std::size_t ops = 0, calls = 0, ranges = 0, memory = 0, waits = 0, streams = 0;
  ClockDistance monotonic;  // CUPTI's clock less the monotonic one
  ClockDistance real;       // the time of day less the monotonic clock
  std::vector<LocalDevice> devices;
};

class TimelineProcessReader {
 public:
  TimelineProcessReader(std::string name, Timeline& timeline, NameTable& names)
      : name_(std::move(name)), timeline_(timeline), names_(names) {
    piece_ = {timeline.ops.size(),
              timeline.calls.size(),
              timeline.ranges.size(),
              timeline.memory.size(),
              timeline.waits.size(),
              timeline.streams.size(),
              {},
              {},
              {}};
    process_ = static_cast<std::uint32_t>(timeline.processes.size());
    first_event_ = timeline.events.size();
    timeline.processes.push_back({process_, 0, ""});
  }

  // An error where the input itself fails; what came before it is in the timeline all the same.
  Result<void> read(Input& input) {
    auto walked = walk(input);
    if (walked) walked = input.finish();
    finish();
    return walked;
  }

  ProcessPiece take_piece() { return std::move(piece_); }

 private:
  struct Shape {
    std::uint32_t name = 0;
    std::uint32_t stream = 0;
    std::uint32_t shape = 0;
  };
  struct OpenRange {
    std::int64_t start = 0;
    std::uint32_t name = 0;
    std::uint32_t thread = 0;
    HostWork work = HostWork::kAnnotation;
  };
  struct Span {
    std::int64_t start = 0;
    std::int64_t end = 0;
  };

  Result<void> walk(Input& input) {
    ASSIGN_OR_RETURN(const auto magic, input.take(kRecordingMagic.size()));
    if (magic != kRecordingMagic) {
      is_foreign_ = true;
      lose(magic.empty() ? "the file is empty: the process ended before it wrote anything"
                         : "not a recording, or one of another version of proofline");
      return {};
    }
    while (true) {
      const std::uint64_t offset = input.offset();
      ASSIGN_OR_RETURN(const auto header, input.take(kRecordHeaderBytes));
      if (header.empty()) break;
      ByteCursor fields(header);
      const auto kind = static_cast<RecordKind>(fields.u8());
      const std::size_t length = fields.u16();
      std::string_view payload;
      if (fields.ok()) {
        ASSIGN_OR_RETURN(payload, input.take(length));
      }
      if (!fields.ok() || payload.size() < length) {
        is_cut_ = true;
        lose(fmt::format("the file is cut within the record at offset {}", offset));
        break;
      }
      ByteCursor record(payload);
      read_record(kind, record);
      if (!record.ok()) ++damaged_;
    }
    if (const auto damage = input.damage()) lose(damage->message);
    return {};
  }

  void read_record(RecordKind kind, ByteCursor& record) {
    switch (kind) {
      case RecordKind::kProcess: return read_process(record);
      case RecordKind::kDevice: return read_device(record);
      case RecordKind::kShape: return read_shape(record);
      case RecordKind::kLaunch: return read_launch(record);
      case RecordKind::kDropped: dropped_ += record.uleb(); return;
      case RecordKind::kTrouble: trouble_ = text(record); return;
      case RecordKind::kEnd: ended_ = true; return;
      case RecordKind::kClock: return read_clock(record);
      case RecordKind::kName:
        call_names_.push_back(names_.add(call_name(record.take(record.left()))));
        return;
      case RecordKind::kCall: return read_call(record);
      case RecordKind::kCopy: return read_copy(record);
      case RecordKind::kSet: return read_set(record);
      case RecordKind::kRangeStart: return read_range_start(record);
      case RecordKind::kRangeEnd: return read_range_end(record);
      case RecordKind::kOverhead: return read_overhead(record);
      case RecordKind::kMigration: return read_migration(record);
      case RecordKind::kMemory: return read_memory(record);
      case RecordKind::kWait: return read_wait(record);
      case RecordKind::kEvent: return read_event(record);
      case RecordKind::kUnavailable:
        note(NoteKind::kInfo, "CUPTI does not record " + escape_terminal(text(record)));
        return;
      case RecordKind::kIdentity: return read_identity(record);
    }
  }

  static std::string text(ByteCursor& record) { return std::string(record.take(record.left())); }

  void read_process(ByteCursor& record) {
    TimelineProcess& process = timeline_.processes[process_];
    process.pid = record.uleb();
    record.uleb();  // the time of day, which kClock has too
    record.uleb();  // versions
    record.uleb();
    process.name = std::filesystem::path(text(record)).filename().string();
  }

  void read_clock(ByteCursor& record) {
    const std::uint64_t cupti = record.uleb();
    const std::uint64_t real = record.uleb();
    const std::uint64_t monotonic = record.uleb();
    if (!record.ok()) return;
    piece_.monotonic.add(cupti, monotonic);
    piece_.real.add(real, monotonic);
  }

  LocalDevice& device(std::uint32_t id) { return piece_.devices[device_position(id)]; }

  std::uint32_t device_position(std::uint32_t id) {
    const auto [known, is_new] =
        devices_.try_emplace(id, static_cast<std::uint32_t>(piece_.devices.size()));
    if (is_new) {
      piece_.devices.emplace_back();
      piece_.devices.back().device.id = id;
    }
    return known->second;
  }

  void read_device(ByteCursor& record) {
    const std::uint32_t id = fitting(record.uleb());
    const std::uint64_t major = record.uleb();
    const std::uint64_t minor = record.uleb();
    const std::uint64_t count = record.uleb();
    std::uint64_t multiprocessors = 0;
    for (std::uint64_t i = 0; i < count && record.ok(); ++i) {
      const std::uint64_t value = record.uleb();
      if (i == 0) multiprocessors = value;  // the first of kRecordedAttributes
    }
    if (!record.ok()) return;
    TimelineDevice& told = device(id).device;
    told.compute_capability = fmt::format("{}.{}", major, minor);
    told.multiprocessors = fitting(multiprocessors);
    told.name = text(record);
  }

  void read_identity(ByteCursor& record) {
    const std::uint32_t id = fitting(record.uleb());
    const std::uint64_t first = record.uleb();
    const std::uint64_t last = record.uleb();
    if (record.ok() && (first | last) != 0) device(id).uuid.emplace(first, last);
  }

  // `device` as the process counts; the reader of the folder puts the timeline's position in.
  std::uint32_t stream(std::uint32_t device, std::uint32_t context, std::uint32_t id) {
    const std::uint32_t local = device_position(device);
    const auto [known, is_new] = streams_.try_emplace(
        std::make_tuple(context, id, local), static_cast<std::uint32_t>(timeline_.streams.size()));
    if (is_new) timeline_.streams.push_back({process_, local, context, id});
    return known->second;
  }

  std::uint32_t thread(std::uint64_t id) {
    const auto [known, is_new] =
        threads_.try_emplace(id, static_cast<std::uint32_t>(timeline_.threads.size()));
    if (is_new) timeline_.threads.push_back({process_, id, ""});
    return known->second;
  }

  void read_shape(ByteCursor& record) {
    const auto number = [&] { return fitting(record.uleb()); };
    const auto three = [&] {
      Dim3 sizes{};
      for (std::uint64_t& size : sizes) size = number();
      return sizes;
    };
    const std::uint32_t device = number();
    const std::uint32_t context = number();
    const std::uint32_t id = number();
    LaunchShape shape;
    shape.grid = three();
    shape.block = three();
    shape.registers = number();
    const std::uint64_t static_shared = number();
    const std::uint64_t dynamic_shared = number();
    shape.shared_bytes = static_shared + dynamic_shared;
    number();  // local memory
    number();  // what the SM was set to
    three();   // cluster
    // A damaged shape is kept too: launches name shapes by their position.
    const std::uint32_t name = names_.add(demangle(record.take(record.left())).text);
    shapes_.push_back(
        {name, stream(device, context, id), static_cast<std::uint32_t>(timeline_.shapes.size())});
    timeline_.shapes.push_back(shape);
  }

  // Unsigned, so that damaged numbers may wrap.
  static std::uint64_t add_difference(std::uint64_t& last, ByteCursor& record) {
    last += static_cast<std::uint64_t>(record.sleb());
    return last;
  }

  std::uint32_t read_thread(ByteCursor& record) { return thread(add_difference(thread_, record)); }
  std::uint32_t read_call_number(ByteCursor& record) {
    return static_cast<std::uint32_t>(add_difference(call_, record));
  }

  // None where the record is damaged or has no time; both are counted.
  std::optional<Span> read_span(ByteCursor& record, std::uint64_t& last) {
    const std::uint64_t start = add_difference(last, record);
    const std::int64_t duration = record.sleb();
    if (!record.ok()) return std::nullopt;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (start == 0 || start > kMost || duration < 0 ||
        static_cast<std::uint64_t>(duration) > kMost - start) {
      ++untimed_;
      return std::nullopt;
    }
    const Span span{static_cast<std::int64_t>(start), static_cast<std::int64_t>(start) + duration};
    last_end_ = std::max(last_end_, span.end);
    return span;
  }

  // Whether there is room for one more of these; what is beyond it is counted.
  bool has_room(std::uint64_t& count, std::uint64_t limit) {
    if (count == limit) {
      ++dropped_;
      return false;
    }
    ++count;
    return true;
  }

  void read_launch(ByteCursor& record) {
    const std::uint64_t shape = record.uleb();
    const auto correlation = static_cast<std::uint32_t>(add_difference(launch_call_, record));
    const auto span = read_span(record, launch_start_);
    if (!span) return;
    const bool in_graph = !record.at_end() && record.uleb() != 0;
    if (shape >= shapes_.size()) {
      ++damaged_;
      return;
    }
    if (!has_room(launches_, kMaxRecordedLaunches)) return;
    GpuOp op;
    op.start_ns = span->start;
    op.end_ns = span->end;
    op.name = shapes_[shape].name;
    op.stream = shapes_[shape].stream;
    op.shape = shapes_[shape].shape;
    op.correlation = correlation;
    op.in_graph = in_graph;
    timeline_.ops.push_back(op);
  }

  void read_call(ByteCursor& record) {
    const std::uint64_t name = record.uleb();
    const std::uint32_t thread = read_thread(record);
    const std::uint32_t correlation = read_call_number(record);
    const auto span = read_span(record, time_);
    if (!span) return;
    if (name >= call_names_.size()) {
      ++damaged_;
      return;
    }
    if (!has_room(events_, kMaxRecordedEvents)) return;
    timeline_.calls.push_back({span->start, span->end, call_names_[name], thread, correlation});
  }

  struct Place {
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
  };
  static Place read_place(ByteCursor& record) {
    Place place;
    place.device = fitting(record.uleb());
    place.context = fitting(record.uleb());
    place.stream = fitting(record.uleb());
    return place;
  }

  void add_op(GpuOp op, const Place& place, const Span& span) {
    if (!has_room(events_, kMaxRecordedEvents)) return;
    op.start_ns = span.start;
    op.end_ns = span.end;
    op.stream = stream(place.device, place.context, place.stream);
    timeline_.ops.push_back(op);
  }

  void read_copy(ByteCursor& record) {
    const Place place = read_place(record);
    GpuOp op;
    op.work = GpuWork::kCopy;
    op.direction = cupti_direction(record.uleb());
    op.from = cupti_memory(record.uleb());
    op.to = cupti_memory(record.uleb());
    op.bytes = record.uleb();
    op.in_graph = record.uleb() != 0;
    op.correlation = read_call_number(record);
    const auto span = read_span(record, time_);
    if (!span) return;
    op.name = names_.add(fmt::format("Memcpy {} ({} -> {})", word_of(op.direction),
                                     word_of(op.from), word_of(op.to)));
    add_op(op, place, *span);
  }

  void read_set(ByteCursor& record) {
    const Place place = read_place(record);
    GpuOp op;
    op.work = GpuWork::kSet;
    op.to = cupti_memory(record.uleb());
    op.bytes = record.uleb();
    op.in_graph = record.uleb() != 0;
    op.correlation = read_call_number(record);
    const auto span = read_span(record, time_);
    if (!span) return;
    op.name = names_.add(fmt::format("Memset ({})", word_of(op.to)));
    add_op(op, place, *span);
  }

  void read_migration(ByteCursor& record) {
    const std::uint64_t counter = record.uleb();
    Place place;  // of no context and no stream
    place.device = fitting(record.uleb());
    GpuOp op;
    op.work = GpuWork::kCopy;
    op.from = op.to = MemoryKind::kManaged;
    op.direction = counter == 1   ? CopyDirection::kHostToDevice
                   : counter == 2 ? CopyDirection::kDeviceToHost
                                  : CopyDirection::kPeerToPeer;
    op.bytes = record.uleb();
    const auto span = read_span(record, time_);
    if (!span) return;
    op.name = names_.add(fmt::format("Unified memory {}", word_of(op.direction)));
    add_op(op, place, *span);
  }

  void read_range_start(ByteCursor& record) {
    const std::uint64_t id = record.uleb();
    const std::uint32_t thread = read_thread(record);
    const std::uint64_t time = add_difference(time_, record);
    if (!record.ok() || time > std::numeric_limits<std::int64_t>::max()) return;
    if (!has_room(events_, kMaxRecordedEvents)) return;
    const auto start = static_cast<std::int64_t>(time);
    last_end_ = std::max(last_end_, start);
    const RangeName range = range_name(record.take(record.left()));
    open_ranges_[id] = {start, names_.add(range.name), thread, range.work};
  }

  void read_range_end(ByteCursor& record) {
    const std::uint64_t id = record.uleb();
    const std::uint64_t time = add_difference(time_, record);
    const auto open = open_ranges_.find(id);
    // Its start may have been before the recording.
    if (!record.ok() || open == open_ranges_.end()) return;
    const bool is_in_order = time <= std::numeric_limits<std::int64_t>::max() &&
                             static_cast<std::int64_t>(time) >= open->second.start;
    if (is_in_order) {
      close(open->second, static_cast<std::int64_t>(time));
    } else {
      ++untimed_;
    }
    open_ranges_.erase(open);
  }

  void close(const OpenRange& range, std::int64_t end) {
    last_end_ = std::max(last_end_, end);
    timeline_.ranges.push_back({range.start, end, range.name, range.thread, range.work});
  }

  void read_overhead(ByteCursor& record) {
    const std::string_view name = cupti_overhead_name(record.uleb());
    const std::uint32_t thread = read_thread(record);
    const auto span = read_span(record, time_);
    if (!span || !has_room(events_, kMaxRecordedEvents)) return;
    timeline_.ranges.push_back(
        {span->start, span->end, names_.add(name), thread, HostWork::kOverhead});
  }

  void read_memory(ByteCursor& record) {
    MemoryChange change;
    change.is_release = record.uleb() == 2;
    change.kind = cupti_memory(record.uleb());
    record.uleb();  // device
    change.address = record.uleb();
    change.bytes = record.uleb();
    change.process = process_;
    change.correlation = read_call_number(record);
    const std::uint64_t time = add_difference(time_, record);
    if (!record.ok() || !has_room(events_, kMaxRecordedEvents)) return;
    if (time == 0 || time > std::numeric_limits<std::int64_t>::max()) {
      ++untimed_;
      return;
    }
    change.time_ns = static_cast<std::int64_t>(time);
    timeline_.memory.push_back(change);
  }

  void read_wait(ByteCursor& record) {
    GpuWait wait;
    wait.wait = cupti_wait(record.uleb());
    const std::uint32_t context = fitting(record.uleb());
    const std::uint32_t stream = fitting(record.uleb());
    wait.event = fitting(record.uleb());
    wait.correlation = read_call_number(record);
    const auto span = read_span(record, time_);
    if (!span || !has_room(events_, kMaxRecordedEvents)) return;
    wait.start_ns = span->start;
    wait.end_ns = span->end;
    wait_places_.push_back({0, context, stream});
    timeline_.waits.push_back(wait);
  }

  void read_event(ByteCursor& record) {
    EventMark mark;
    const std::uint32_t context = fitting(record.uleb());
    const std::uint32_t stream = fitting(record.uleb());
    mark.event = fitting(record.uleb());
    mark.correlation = read_call_number(record);
    if (!record.ok() || !has_room(events_, kMaxRecordedEvents)) return;
    event_places_.push_back({0, context, stream});
    timeline_.events.push_back(mark);
  }

  // Waits and events do not name a device, but no two devices share a context.
  std::uint32_t stream_of(const Place& place) const {
    const auto first = streams_.lower_bound(std::make_tuple(place.context, place.stream, 0U));
    const bool found = first != streams_.end() && std::get<0>(first->first) == place.context &&
                       std::get<1>(first->first) == place.stream;
    return found ? first->second : kNoPosition;
  }

  void finish() {
    for (std::size_t i = 0; i < wait_places_.size(); ++i) {
      timeline_.waits[piece_.waits + i].stream = stream_of(wait_places_[i]);
    }
    for (std::size_t i = 0; i < event_places_.size(); ++i) {
      timeline_.events[first_event_ + i].stream = stream_of(event_places_[i]);
    }
    for (const auto& [id, range] : open_ranges_) close(range, std::max(range.start, last_end_));
    if (!open_ranges_.empty()) {
      note(NoteKind::kInfo, "NVTX ranges were still open at the end", open_ranges_.size());
    }
    timeline_.partial = timeline_.partial || dropped_ > 0 || !trouble_.empty();
    if (!trouble_.empty()) {
      return lose("it could not be recorded, or not to its end: " + escape_terminal(trouble_));
    }
    if (damaged_ > 0) lose("records are damaged", damaged_);
    if (dropped_ > 0) lose("records were dropped", dropped_);
    if (untimed_ > 0) lose("records have no time: they had not ended with the process", untimed_);
    if (!is_cut_ && !is_foreign_ && !ended_) {
      lose("the process did not end in order, so its last records may be missing");
    }
  }

  void lose(std::string what, std::uint64_t count = 1) {
    note(NoteKind::kLoss, std::move(what), count);
  }

  void note(NoteKind kind, std::string what, std::uint64_t count = 1) {
    const TimelineProcess& process = timeline_.processes[process_];
    std::string place = process.pid != 0
                            ? fmt::format("process {} ({})", process.pid, quote(process.name))
                            : quote(name_);
    timeline_.notes.push_back({kind, std::move(place), std::move(what), count});
  }

  std::string name_;
  Timeline& timeline_;
  NameTable& names_;
  ProcessPiece piece_;
  std::uint32_t process_ = 0;
  std::size_t first_event_ = 0;
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> call_names_;
  std::unordered_map<std::uint32_t, std::uint32_t> devices_;
  std::unordered_map<std::uint64_t, std::uint32_t> threads_;
  std::unordered_map<std::uint64_t, OpenRange> open_ranges_;
  std::vector<Place> wait_places_;
  std::vector<Place> event_places_;
  // By context, number and device.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> streams_;
  std::uint64_t launch_call_ = 0;
  std::uint64_t launch_start_ = 0;
  std::uint64_t thread_ = 0;
  std::uint64_t call_ = 0;
  std::uint64_t time_ = 0;
  std::int64_t last_end_ = 0;
  std::uint64_t launches_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t damaged_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t untimed_ = 0;
  std::string trouble_;
  bool is_foreign_ = false;
  bool is_cut_ = false;
  bool ended_ = false;
};

// Several processes on one clock and with one list of devices.
class TimelineAssembler {
 public:
  explicit TimelineAssembler(std::string path) {
    timeline_.path = std::move(path);
    timeline_.format = "recording";
    timeline_.producer = "proofline's recorder";
  }

  Result<void> add(Input& input) {
    const std::string name = std::filesystem::path(input.name()).filename().string();
    TimelineProcessReader reader(name, timeline_, names_);
    const auto read = reader.read(input);
    pieces_.push_back(reader.take_piece());
    return read;
  }

  void lose(const std::string& file, std::string what) {
    timeline_.notes.push_back({NoteKind::kLoss, quote(file), std::move(what)});
  }

  Timeline take() {
    place_devices();
    align_clocks();
    timeline_.names = names_.take_texts();
    return std::move(timeline_);
  }

 private:
  // A GPU may have another number in each process, and only its UUID tells that it is the same.
  void place_devices() {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> by_uuid;
    std::set<std::uint32_t> used_ids;
    bool is_uncertain = false;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      std::vector<std::uint32_t> positions;
      for (const LocalDevice& local : pieces_[i].devices) {
        const auto next = static_cast<std::uint32_t>(timeline_.devices.size());
        positions.push_back(local.uuid ? by_uuid.try_emplace(*local.uuid, next).first->second
                                       : next);
        if (positions.back() != next) continue;
        is_uncertain = is_uncertain || (!local.uuid && pieces_.size() > 1);
        timeline_.devices.push_back(local.device);
        std::uint32_t& id = timeline_.devices.back().id;
        while (!used_ids.insert(id).second) ++id;
      }
      const std::size_t end =
          i + 1 < pieces_.size() ? pieces_[i + 1].streams : timeline_.streams.size();
      for (std::size_t s = pieces_[i].streams; s < end; ++s) {
        timeline_.streams[s].device = positions[timeline_.streams[s].device];
      }
    }
    if (is_uncertain) {
      timeline_.notes.push_back(
          {NoteKind::kInfo, "",
           "the processes do not tell which GPU is which, so each has devices of its own here"});
    }
  }

  // CUPTI's clock is one for each process. All become the monotonic clock of the machine, or the
  // time of day where the processes ran on several.
  void align_clocks() {
    const ProcessPiece* reference = nullptr;
    bool is_one_machine = true;
    bool is_all_known = true;
    for (const ProcessPiece& piece : pieces_) {
      is_all_known = is_all_known && piece.monotonic.is_known();
      if (!piece.monotonic.is_known()) continue;
      if (reference == nullptr) reference = &piece;
      const std::int64_t apart = piece.real.mean() - reference->real.mean();
      is_one_machine = is_one_machine && apart < kSameBootNs && apart > -kSameBootNs;
    }
    if (reference == nullptr) {
      if (pieces_.size() > 1) note_unaligned();
      return;
    }
    if (!is_all_known) note_unaligned();
    if (!is_one_machine) {
      timeline_.notes.push_back(
          {NoteKind::kInfo, "", "recorded on several machines: put together by the time of day"});
    }
    timeline_.unix_ns = is_one_machine ? reference->real.mean() : 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const ProcessPiece& clocks = pieces_[i].monotonic.is_known() ? pieces_[i] : *reference;
      const std::int64_t to_real = is_one_machine ? 0 : clocks.real.mean();
      shift(i, to_real - clocks.monotonic.mean());
    }
  }

  void note_unaligned() {
    timeline_.notes.push_back(
        {NoteKind::kInfo, "",
         "the clocks of the processes may be apart: some did not note theirs"});
  }

  void shift(std::size_t piece, std::int64_t by) {
    const auto each = [&](auto& events, std::size_t ProcessPiece::*begin, auto&& change) {
      const std::size_t end =
          piece + 1 < pieces_.size() ? pieces_[piece + 1].*begin : events.size();
      for (std::size_t i = pieces_[piece].*begin; i < end; ++i) change(events[i]);
    };
    // By way of unsigned numbers, which may wrap where a file is damaged; no end comes before its
    // start by that.
    const auto moved = [&](std::int64_t time) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) +
                                       static_cast<std::uint64_t>(by));
    };
    const auto move_span = [&](auto& event) {
      const std::int64_t start = moved(event.start_ns);
      const std::int64_t end = moved(event.end_ns);
      event.start_ns = std::min(start, end);
      event.end_ns = std::max(start, end);
    };
    each(timeline_.ops, &ProcessPiece::ops, move_span);
    each(timeline_.calls, &ProcessPiece::calls, move_span);
    each(timeline_.ranges, &ProcessPiece::ranges, move_span);
    each(timeline_.waits, &ProcessPiece::waits, move_span);
    each(timeline_.memory, &ProcessPiece::memory,
         [&](MemoryChange& change) { change.time_ns = moved(change.time_ns); });
  }

  Timeline timeline_;
  NameTable names_;
  std::vector<ProcessPiece> pieces_;
};

}  // namespace

Result<Timeline> read_recorded_timeline(Input& input) {
  TimelineAssembler assembler(input.name());
  RETURN_IF_ERROR(assembler.add(input));
  return assembler.take();
}

Result<Timeline> read_recorded_timeline(const std::string& folder) {
  ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  TimelineAssembler assembler(folder);
  for (const std::string& name : names) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (file.extension() != kRecordingExtension) continue;
    auto read =
        Input::open(file.string()).and_then([&](Input&& input) { return assembler.add(input); });
    if (!read) assembler.lose(name, read.error().message);
  }
  return assembler.take();
}

}  // namespace proofline
