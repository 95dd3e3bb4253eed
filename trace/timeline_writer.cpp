// SPDX-License-Identifier: Apache-2.0
#include "timeline_writer.h"

#include "wanted_calls.h"

namespace proofline::trace {

void TimelineWriter::write(const ClockReading& clocks) {
  file_->begin(RecordKind::kClock);
  file_->number(clocks.cupti);
  file_->number(clocks.real);
  file_->number(clocks.monotonic);
  file_->end();
}

bool TimelineWriter::write(const void* record, const CuptiFunctions& cupti, bool is_recent) {
  if (records_ == kMaxRecordedEvents) return false;
  switch (*static_cast<const std::uint32_t*>(record)) {
    case kActivityDriver:
    case kActivityRuntime: write_call(*static_cast<const ApiActivity*>(record), cupti); break;
    case kActivityCopy: write_copy(*static_cast<const CopyActivity*>(record), is_recent); break;
    case kActivityPeerCopy:
      write_copy(*static_cast<const PeerCopyActivity*>(record), is_recent);
      break;
    case kActivitySet: write_set(*static_cast<const SetActivity*>(record), is_recent); break;
    case kActivityMarker: write_marker(*static_cast<const MarkerActivity*>(record)); break;
    case kActivityOverhead: write_overhead(*static_cast<const OverheadActivity*>(record)); break;
    case kActivityUnifiedMemory:
      write_migration(*static_cast<const MigrationActivity*>(record));
      break;
    case kActivityMemory: write_memory(*static_cast<const MemoryActivity*>(record)); break;
    case kActivitySynchronization:
      write_wait(*static_cast<const SynchronizationActivity*>(record));
      break;
    case kActivityEvent: write_event(*static_cast<const EventActivity*>(record)); break;
    default: break;
  }
  return true;
}

void TimelineWriter::write_call(const ApiActivity& call, const CuptiFunctions& cupti) {
  const std::uint16_t name = name_of(call, cupti);
  if (name == kUnwanted) return;
  begin(RecordKind::kCall);
  file_->number(name);
  put_thread(call.thread);
  put_call(call.correlation);
  put_times(call.start, call.end);
  file_->end();
}

template <class Copy>
void TimelineWriter::write_copy(const Copy& copy, bool is_recent) {
  begin(RecordKind::kCopy);
  file_->number(copy.device);
  file_->number(copy.context);
  file_->number(copy.stream);
  file_->number(copy.copy_kind);
  file_->number(copy.from);
  file_->number(copy.to);
  file_->number(copy.bytes);
  file_->number(is_recent && copy.graph_node != 0 ? 1 : 0);
  put_call(copy.correlation);
  put_times(copy.start, copy.end);
  file_->end();
}

void TimelineWriter::write_set(const SetActivity& set, bool is_recent) {
  begin(RecordKind::kSet);
  file_->number(set.device);
  file_->number(set.context);
  file_->number(set.stream);
  file_->number(is_recent ? set.memory : 0);
  file_->number(set.bytes);
  file_->number(is_recent && set.graph_node != 0 ? 1 : 0);
  put_call(set.correlation);
  put_times(set.start, set.end);
  file_->end();
}

void TimelineWriter::write_marker(const MarkerActivity& marker) {
  if ((marker.flags & kMarkerStart) != 0) {
    begin(RecordKind::kRangeStart);
    file_->number(marker.id);
    put_thread(marker.object_kind == kObjectThread ? marker.object.thread : 0);
    put_time(marker.time);
    file_->text(marker.name != nullptr ? marker.name : "");
    file_->end();
  } else if ((marker.flags & kMarkerEnd) != 0) {
    begin(RecordKind::kRangeEnd);
    file_->number(marker.id);
    put_time(marker.time);
    file_->end();
  }
}

void TimelineWriter::write_overhead(const OverheadActivity& overhead) {
  begin(RecordKind::kOverhead);
  file_->number(overhead.overhead);
  put_thread(overhead.object_kind == kObjectThread ? overhead.object.thread : 0);
  put_times(overhead.start, overhead.end);
  file_->end();
}

void TimelineWriter::write_migration(const MigrationActivity& migration) {
  const std::uint32_t device =
      migration.counter == kMigrationToHost ? migration.from : migration.to;
  begin(RecordKind::kMigration);
  file_->number(migration.counter);
  file_->number(device);
  file_->number(migration.bytes);
  put_times(migration.start, migration.end);
  file_->end();
}

void TimelineWriter::write_memory(const MemoryActivity& memory) {
  begin(RecordKind::kMemory);
  file_->number(memory.operation);
  file_->number(memory.memory);
  file_->number(memory.device);
  file_->number(memory.address);
  file_->number(memory.bytes);
  put_call(memory.correlation);
  put_time(memory.time);
  file_->end();
}

void TimelineWriter::write_wait(const SynchronizationActivity& wait) {
  begin(RecordKind::kWait);
  file_->number(wait.type);
  file_->number(wait.context);
  file_->number(wait.stream);
  file_->number(wait.event);
  put_call(wait.correlation);
  put_times(wait.start, wait.end);
  file_->end();
}

void TimelineWriter::write_event(const EventActivity& event) {
  begin(RecordKind::kEvent);
  file_->number(event.context);
  file_->number(event.stream);
  file_->number(event.event);
  put_call(event.correlation);
  file_->end();
}

std::uint16_t TimelineWriter::name_of(const ApiActivity& call, const CuptiFunctions& cupti) {
  if (call.id >= kMostCalls) return kUnwanted;
  const int domain = call.kind == kActivityDriver ? kDomainDriver : kDomainRuntime;
  std::uint16_t& known = names_[domain - 1][call.id];
  if (known == 0) {
    const char* name = nullptr;
    const bool is_wanted = cupti.get_callback_name != nullptr &&
                           cupti.get_callback_name(domain, call.id, &name) == kCuptiSuccess &&
                           name != nullptr && is_wanted_call(name);
    known = kUnwanted;
    if (is_wanted) {
      file_->begin(RecordKind::kName);
      file_->text(name);
      file_->end();
      known = ++name_count_;
    }
  }
  return known == kUnwanted ? kUnwanted : static_cast<std::uint16_t>(known - 1);
}

void TimelineWriter::begin(RecordKind kind) {
  ++records_;
  file_->begin(kind);
}

void TimelineWriter::put_thread(std::uint32_t thread) {
  file_->signed_number(static_cast<std::int64_t>(thread) - last_thread_);
  last_thread_ = thread;
}

void TimelineWriter::put_call(std::uint32_t correlation) {
  file_->signed_number(static_cast<std::int64_t>(correlation) - last_call_);
  last_call_ = correlation;
}

void TimelineWriter::put_time(std::uint64_t time) {
  file_->signed_number(static_cast<std::int64_t>(time - last_time_));
  last_time_ = time;
}

void TimelineWriter::put_times(std::uint64_t start, std::uint64_t end) {
  put_time(start);
  file_->signed_number(static_cast<std::int64_t>(end - start));
}

}  // namespace proofline::trace
