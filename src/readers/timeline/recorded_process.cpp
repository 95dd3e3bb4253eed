// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/recorded_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/byte_cursor.h"
#include "base/demangle.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/timeline/lost_ops.h"
#include "readers/timeline/recorded_words.h"
#include "readers/timeline/recording_format.h"

namespace proofline {
namespace {

std::uint32_t fitting(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

class TimelineProcessReader {
 public:
  TimelineProcessReader(std::string name, Timeline& timeline, InternedTexts& names)
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
        call_names_.push_back(names_.position(recorded_call_name(record.take(record.left()))));
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
    const std::uint32_t name = names_.position(demangle(record.take(record.left())).text);
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
    op.name = names_.position(fmt::format("Memcpy {} ({} -> {})", copy_word(op.direction),
                                          memory_word(op.from), memory_word(op.to)));
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
    op.name = names_.position(fmt::format("Memset ({})", memory_word(op.to)));
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
    op.name = names_.position(fmt::format("Unified memory {}", copy_word(op.direction)));
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
    const RecordedRangeName range = recorded_range_name(record.take(record.left()));
    open_ranges_[id] = {start, names_.position(range.name), thread, range.work};
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
        {span->start, span->end, names_.position(name), thread, HostWork::kOverhead});
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
    lose_ops(damaged_ + dropped_ + untimed_, "record", timeline_);
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
  InternedTexts& names_;
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

}  // namespace

ProcessReading read_recorded_process(Input& input, std::string name, Timeline& timeline,
                                     InternedTexts& names) {
  TimelineProcessReader reader(std::move(name), timeline, names);
  auto read = reader.read(input);
  return {reader.take_piece(), std::move(read)};
}

}  // namespace proofline
