// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/nsys_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "base/propagate.h"
#include "readers/timeline/lost_ops.h"

namespace proofline {
namespace {

// Times beyond this would overflow when two of them are subtracted; in ns it is 146 years.
constexpr std::int64_t kLatest = std::int64_t{1} << 62U;
// The process of an operation of which the export does not tell it.
constexpr std::uint64_t kNoProcess = std::numeric_limits<std::uint64_t>::max();

// The columns that tables of one kind have in common come first, those that a row needs before all.
enum OpColumn : std::uint8_t {
  kOpStart,
  kOpEnd,
  kOpDevice,
  kOpStream,
  kOpContext,
  kOpCorrelation,
  kOpProcess,
  kOpGraphNode,
  kOpOwn,  // those of each table
};
constexpr std::size_t kOpNeeded = 4;
#define OP_COLUMNS \
  "start", "end", "deviceId", "streamId", "contextId", "correlationId", "globalPid", "graphNodeId"

enum HostColumn : std::uint8_t { kHostStart, kHostEnd, kHostThread, kHostOwn };
#define HOST_COLUMNS "start", "end", "globalTid"

constexpr std::string_view kKernelColumns[] = {OP_COLUMNS,
                                               "demangledName",
                                               "shortName",
                                               "gridX",
                                               "gridY",
                                               "gridZ",
                                               "blockX",
                                               "blockY",
                                               "blockZ",
                                               "registersPerThread",
                                               "staticSharedMemory",
                                               "dynamicSharedMemory"};
constexpr std::string_view kCopyColumns[] = {OP_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind"};
constexpr std::string_view kSetColumns[] = {OP_COLUMNS, "bytes", "memKind"};
constexpr std::string_view kGraphColumns[] = {OP_COLUMNS, "graphId"};
constexpr std::string_view kCallColumns[] = {HOST_COLUMNS, "nameId", "correlationId"};
constexpr std::string_view kNvtxColumns[] = {HOST_COLUMNS, "eventType", "text", "textId",
                                             "domainId"};
constexpr std::string_view kSystemColumns[] = {HOST_COLUMNS, "nameId"};
constexpr std::string_view kOverheadColumns[] = {HOST_COLUMNS, "nameId", "overheadType"};
constexpr std::string_view kThreadNameColumns[] = {"globalTid", "nameId"};
#undef OP_COLUMNS
#undef HOST_COLUMNS

std::uint32_t narrow_number(const SqliteValue& value) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(value.as_integer(), 0, std::numeric_limits<std::uint32_t>::max()));
}

std::uint64_t positive(const SqliteValue& value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value.as_integer(), 0));
}

// CUDA counts correlations in 32 bits.
std::uint32_t correlation_of(const SqliteValue& value) {
  const std::int64_t id = value.as_integer();
  return id >= 0 && id <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(id)
                                                                    : 0;
}

// The end is never before the start.
bool read_times(const SqliteValue& start, const SqliteValue& end, std::int64_t& start_ns,
                std::int64_t& end_ns) {
  start_ns = start.as_integer();
  end_ns = end.as_integer();
  return start.is_integer() && end.is_integer() && start_ns > -kLatest && end_ns < kLatest &&
         start_ns <= end_ns;
}

CopyDirection direction_of(const SqliteValue& kind) {
  switch (kind.as_integer()) {
    case 1:   // host to device,
    case 3:   // to an array,
    case 11:  // of unified memory
      return CopyDirection::kHostToDevice;
    case 2:
    case 4:
    case 12: return CopyDirection::kDeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8:
    case 13: return CopyDirection::kDeviceToDevice;
    case 9: return CopyDirection::kHostToHost;
    case 10: return CopyDirection::kPeerToPeer;
    default: return CopyDirection::kUnknown;
  }
}

MemoryKind memory_of(const SqliteValue& kind) {
  if (!kind.is_integer()) return MemoryKind::kUnknown;
  switch (kind.as_integer()) {
    case 0: return MemoryKind::kPageable;
    case 1: return MemoryKind::kPinned;
    case 2:
    case 5: return MemoryKind::kDevice;  // 5: of a variable
    case 3: return MemoryKind::kArray;
    case 4:
    case 6: return MemoryKind::kManaged;
    default: return MemoryKind::kUnknown;
  }
}

std::int64_t number_or(const SqliteValue& value, std::int64_t otherwise) {
  return value.is_integer() ? value.as_integer() : otherwise;
}

std::uint64_t bytes_of(const SqliteValue& value) {
  return value.is_integer() && value.as_integer() >= 0
             ? static_cast<std::uint64_t>(value.as_integer())
             : kUnknownBytes;
}

}  // namespace

struct NsysEvents::Table {
  std::string_view name;
  std::span<const std::string_view> columns;
  std::size_t needed;  // the first `needed` columns must exist
  bool of_gpu;         // fills what belongs to the GPU's side
  bool (NsysEvents::*add)(SqliteRow);
};

Result<void> NsysEvents::read(SqliteDatabase& database) {
  const Table tables[] = {
      {"CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns, kOpNeeded, true, &NsysEvents::add_kernel},
      {"CUPTI_ACTIVITY_KIND_MEMCPY", kCopyColumns, kOpNeeded, true, &NsysEvents::add_copy},
      {"CUPTI_ACTIVITY_KIND_MEMSET", kSetColumns, kOpNeeded, true, &NsysEvents::add_set},
      {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kGraphColumns, kOpNeeded, true, &NsysEvents::add_graph},
      {"CUPTI_ACTIVITY_KIND_RUNTIME", kCallColumns, kHostOwn + 1, false, &NsysEvents::add_call},
      {"NVTX_EVENTS", kNvtxColumns, kHostOwn + 1, false, &NsysEvents::add_nvtx},
      {"OSRT_API", kSystemColumns, kHostOwn + 1, false, &NsysEvents::add_system_call},
      {"CUPTI_ACTIVITY_KIND_OVERHEAD", kOverheadColumns, kHostOwn, false,
       &NsysEvents::add_overhead},
      {"PROFILER_OVERHEAD", kOverheadColumns, kHostOwn, false, &NsysEvents::add_overhead},
      {"ThreadNames", kThreadNameColumns, 2, false, &NsysEvents::add_thread_name},
  };
  // What the GPU did and what the host did have nothing in common but the strings.
  std::array<SqliteScans, 2> groups;
  std::array<std::uint64_t, std::size(tables)> lost_rows{};
  for (std::size_t i = 0; i < std::size(tables); ++i) {
    SqliteScans& group = groups[tables[i].of_gpu ? 0 : 1];
    RETURN_IF_ERROR(add_scan(database, tables[i], lost_rows[i], group));
  }
  RETURN_IF_ERROR(database.scan(groups));
  RETURN_IF_ERROR(resolve_names(database));
  close_open_ranges();
  std::uint64_t lost_ops = 0;
  for (std::size_t i = 0; i < std::size(tables); ++i) {
    if (lost_rows[i] == 0) continue;
    lost_ops += tables[i].of_gpu ? lost_rows[i] : 0;
    timeline_.notes.push_back(
        {NoteKind::kLoss, std::string(tables[i].name),
         "rows have no name, no place or no time that can be: their end is before their start, or "
         "they are empty",
         lost_rows[i]});
  }
  lose_ops(lost_ops, "operation", timeline_);
  timeline_.shapes = shapes_.take_keys();
  return {};
}

Result<void> NsysEvents::add_scan(const SqliteDatabase& database, const Table& table,
                                  std::uint64_t& lost_rows, SqliteScans& scans) {
  const SqliteTable* found = database.find(table.name);
  if (found == nullptr) return {};
  if (!found->refusal.empty()) {
    return fail(ErrorKind::kInput, fmt::format("{} {}, which no export of Nsight Systems has",
                                               table.name, found->refusal));
  }
  SqliteScan scan{.table = found, .columns = {}, .row = {}, .expect = {}};
  for (const std::string_view column : table.columns) {
    scan.columns.push_back(found->find_column(column));
    if (scan.columns.back() || scan.columns.size() > table.needed) continue;
    return fail(ErrorKind::kInput,
                fmt::format("{} has no column {}: this version of Nsight Systems' export is not "
                            "known",
                            table.name, column));
  }
  scan.row = [this, add = table.add, &lost_rows](SqliteRow row) {
    if (!(this->*add)(row)) ++lost_rows;
  };
  // Growing by doubling would take twice the memory.
  if (table.of_gpu) {
    scan.expect = [this](std::uint64_t rows) { timeline_.ops.reserve(expected_ops_ += rows); };
  } else if (table.add == &NsysEvents::add_call) {
    scan.expect = [this](std::uint64_t rows) { timeline_.calls.reserve(rows); };
  } else {
    scan.expect = [this](std::uint64_t rows) {
      timeline_.ranges.reserve(expected_ranges_ += rows);
    };
  }
  scans.push_back(std::move(scan));
  return {};
}

bool NsysEvents::add_op(SqliteRow row, GpuOp op) {
  if (!read_times(row[kOpStart], row[kOpEnd], op.start_ns, op.end_ns)) return false;
  if (!row[kOpDevice].is_integer() || !row[kOpStream].is_integer()) return false;
  const SqliteValue& process = row[kOpProcess];
  op.stream = streams_.position(
      {process.is_integer() ? nsys_process(process.as_integer()) : kNoProcess,
       row[kOpDevice].as_integer(), row[kOpContext].as_integer(), row[kOpStream].as_integer()});
  op.correlation = correlation_of(row[kOpCorrelation]);
  op.in_graph = row[kOpGraphNode].as_integer() != 0;
  timeline_.ops.push_back(op);
  return true;
}

bool NsysEvents::add_kernel(SqliteRow row) {
  const SqliteRow own = row.subspan(kOpOwn);
  GpuOp op;
  if (!own[0].is_integer() && !own[1].is_integer()) return false;
  op.name = op_names_.kernel(number_or(own[0], -1), number_or(own[1], -1));
  LaunchShape shape;
  for (std::size_t i = 0; i < 3; ++i) {
    shape.grid[i] = positive(own[2 + i]);
    shape.block[i] = positive(own[5 + i]);
  }
  shape.registers = narrow_number(own[8]);
  shape.shared_bytes = positive(own[9]) + positive(own[10]);
  op.shape = shapes_.position(shape);
  return add_op(row, op);
}

bool NsysEvents::add_copy(SqliteRow row) {
  const SqliteRow own = row.subspan(kOpOwn);
  GpuOp op;
  op.work = GpuWork::kCopy;
  op.bytes = bytes_of(own[0]);
  op.direction = direction_of(own[1]);
  op.from = memory_of(own[2]);
  op.to = memory_of(own[3]);
  op.name = op_names_.copy(number_or(own[1], -1), number_or(own[2], -1), number_or(own[3], -1));
  return add_op(row, op);
}

bool NsysEvents::add_set(SqliteRow row) {
  const SqliteRow own = row.subspan(kOpOwn);
  GpuOp op;
  op.work = GpuWork::kSet;
  op.bytes = bytes_of(own[0]);
  op.to = memory_of(own[1]);
  op.name = op_names_.set(number_or(own[1], -1));
  return add_op(row, op);
}

bool NsysEvents::add_graph(SqliteRow row) {
  GpuOp op;
  op.work = GpuWork::kGraph;
  op.name = op_names_.graph(row[kOpOwn].as_integer());
  return add_op(row, op);
}

std::uint32_t NsysEvents::thread_of(const SqliteValue& global) {
  return threads_.position(global.as_integer());
}

bool NsysEvents::add_call(SqliteRow row) {
  ApiCall call;
  if (!read_times(row[kHostStart], row[kHostEnd], call.start_ns, call.end_ns)) return false;
  if (!row[kHostOwn].is_integer()) return false;
  call.name = host_names_.call(row[kHostOwn].as_integer());
  call.thread = thread_of(row[kHostThread]);
  call.correlation = correlation_of(row[kHostOwn + 1]);
  timeline_.calls.push_back(call);
  return true;
}

bool NsysEvents::add_range(SqliteRow row, std::uint32_t name, HostWork work) {
  HostRange range;
  range.work = work;
  range.name = name;
  range.thread = thread_of(row[kHostThread]);
  const bool is_open = row[kHostEnd].is_null();
  if (!read_times(row[kHostStart], is_open ? row[kHostStart] : row[kHostEnd], range.start_ns,
                  range.end_ns)) {
    return false;
  }
  if (is_open) open_ranges_.push_back(timeline_.ranges.size());
  timeline_.ranges.push_back(range);
  return true;
}

bool NsysEvents::add_nvtx(SqliteRow row) {
  constexpr std::int64_t kPushPop = 59;
  constexpr std::int64_t kStartEnd = 60;
  constexpr std::int64_t kDomain = 75;
  const SqliteRow own = row.subspan(kHostOwn);
  const std::int64_t type = own[0].as_integer();
  const SqliteValue& text = own[1];
  const SqliteValue& string = own[2];
  const std::uint32_t domain =
      host_names_.domain(nsys_process(row[kHostThread].as_integer()), own[3].as_integer());
  if (type == kDomain) {
    if (text.is_text()) {
      host_names_.name_domain(domain, text.as_text());
    } else if (string.is_integer()) {
      host_names_.name_domain(domain, string.as_integer());
    }
    return true;
  }
  if (type != kPushPop && type != kStartEnd) return own[0].is_integer();
  const std::uint32_t name = text.is_text() || !string.is_integer()
                                 ? host_names_.range(text.as_text(), domain)
                                 : host_names_.range(string.as_integer(), domain);
  return add_range(row, name, HostWork::kAnnotation);
}

bool NsysEvents::add_system_call(SqliteRow row) {
  if (!row[kHostOwn].is_integer()) return false;
  return add_range(row, host_names_.string(row[kHostOwn].as_integer()), HostWork::kSystem);
}

bool NsysEvents::add_overhead(SqliteRow row) {
  const SqliteValue& string = row[kHostOwn];
  const SqliteValue& type = row[kHostOwn + 1];
  return add_range(row,
                   string.is_integer() ? host_names_.string(string.as_integer())
                                       : host_names_.overhead(type.as_integer()),
                   HostWork::kOverhead);
}

bool NsysEvents::add_thread_name(SqliteRow row) {
  if (!row[0].is_integer() || !row[1].is_integer()) return false;
  thread_names_.emplace_back(row[0].as_integer(), host_names_.string(row[1].as_integer()));
  return true;
}

Result<void> NsysEvents::resolve_names(SqliteDatabase& database) {
  op_names_.want_strings();
  host_names_.want_strings();
  const SqliteTable* strings = database.find("StringIds");
  if (strings != nullptr && strings->refusal.empty()) {
    SqliteScan scan;
    scan.table = strings;
    scan.columns = {strings->find_column("id"), strings->find_column("value")};
    scan.row = [this](SqliteRow row) {
      if (!row[0].is_integer() || !row[1].is_text()) return;
      op_names_.answer(row[0].as_integer(), row[1].as_text());
      host_names_.answer(row[0].as_integer(), row[1].as_text());
    };
    RETURN_IF_ERROR(database.scan_group({std::move(scan)}));
  }
  InternedTexts names;
  const NsysNames::Resolved of_ops = op_names_.resolve(names);
  const NsysNames::Resolved of_host = host_names_.resolve(names);
  timeline_.names = names.take_keys();
  for (GpuOp& op : timeline_.ops) op.name = of_ops.positions[op.name];
  for (ApiCall& call : timeline_.calls) call.name = of_host.positions[call.name];
  for (HostRange& range : timeline_.ranges) {
    if (of_host.is_operator[range.name]) range.work = HostWork::kOperator;
    range.name = of_host.positions[range.name];
  }
  for (auto& [thread, name] : thread_names_) name = of_host.positions[name];
  if (of_ops.missing + of_host.missing > 0) {
    timeline_.notes.push_back({NoteKind::kLoss, "StringIds",
                               "names are missing: what they name is called by its number",
                               of_ops.missing + of_host.missing});
  }
  return {};
}

// A range without an end lasts as long as the recording.
void NsysEvents::close_open_ranges() {
  if (open_ranges_.empty()) return;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const GpuOp& op : timeline_.ops) last = std::max(last, op.end_ns);
  for (const ApiCall& call : timeline_.calls) last = std::max(last, call.end_ns);
  for (const HostRange& range : timeline_.ranges) last = std::max(last, range.end_ns);
  for (const std::size_t index : open_ranges_) timeline_.ranges[index].end_ns = last;
  timeline_.notes.push_back({NoteKind::kInfo, "NVTX_EVENTS",
                             "ranges were not ended: they count to the end of the recording",
                             open_ranges_.size()});
}

std::uint32_t NsysEvents::process_position(std::uint64_t process) {
  return processes_.position(process);
}

// Rows without a process (of hand-made or very old exports) belong to the only one that there is.
std::uint64_t NsysEvents::process_of_orphans() const {
  std::set<std::uint64_t> processes;
  for (const std::int64_t thread : threads_.keys()) processes.insert(nsys_process(thread));
  return processes.size() == 1 ? *processes.begin() : kNoProcess;
}

void NsysEvents::attribute(const NsysMachine& machine) {
  for (const std::int64_t global : threads_.keys()) {
    timeline_.threads.push_back(
        {.process = process_position(nsys_process(global)), .id = nsys_tid(global), .name = {}});
  }
  for (const auto& [global, name] : thread_names_) {
    const auto found = std::find(threads_.keys().begin(), threads_.keys().end(), global);
    if (found == threads_.keys().end()) continue;
    timeline_.threads[static_cast<std::size_t>(found - threads_.keys().begin())].name =
        timeline_.names[name];
  }
  const std::uint64_t orphans = process_of_orphans();
  bool has_orphans = false;
  for (const Stream& stream : streams_.keys()) {
    const bool is_orphan = stream.process == kNoProcess;
    has_orphans = has_orphans || is_orphan;
    timeline_.streams.push_back({.process = process_position(is_orphan ? orphans : stream.process),
                                 .device = 0,
                                 .context = static_cast<std::uint32_t>(stream.context),
                                 .id = static_cast<std::uint64_t>(stream.stream)});
  }
  if (has_orphans && orphans == kNoProcess) {
    timeline_.notes.push_back({NoteKind::kInfo, "",
                               "the export does not say which process its GPU work belongs to, so "
                               "no call can be found for it"});
  }
  for (const std::uint64_t process : processes_.keys()) {
    const auto name = machine.process_names.find(process);
    timeline_.processes.push_back(
        {.id = process,
         .pid = nsys_pid(process),
         .name = name == machine.process_names.end() ? std::string() : name->second});
  }
  attribute_devices(machine);
}

// Two processes may give one number to different GPUs (CUDA_VISIBLE_DEVICES). Where the export
// tells them apart its own numbers of the GPUs count; where it does not, each process keeps its
// own.
void NsysEvents::attribute_devices(const NsysMachine& machine) {
  struct Place {
    std::int64_t number = 0;             // as the process counts
    std::optional<std::int64_t> gpu;     // as nsys counts
    std::optional<std::uint32_t> owner;  // the process, where the number alone does not tell

    bool operator<(const Place& other) const {
      return std::tie(number, gpu, owner) < std::tie(other.number, other.gpu, other.owner);
    }
  };
  std::vector<Place> places;
  std::map<std::int64_t, std::set<std::optional<std::int64_t>>> gpus_by_number;
  std::map<std::int64_t, std::set<std::uint32_t>> processes_by_number;
  for (std::size_t i = 0; i < timeline_.streams.size(); ++i) {
    Place& place = places.emplace_back();
    place.number = streams_.keys()[i].device;
    const std::uint32_t process = timeline_.streams[i].process;
    const auto gpu = machine.gpu_of.find({timeline_.processes[process].pid, place.number});
    if (gpu != machine.gpu_of.end()) place.gpu = gpu->second;
    gpus_by_number[place.number].insert(place.gpu);
    processes_by_number[place.number].insert(process);
  }
  bool by_gpu = false;
  std::uint64_t apart = 0;
  for (const auto& [number, gpus] : gpus_by_number) {
    if (!gpus.contains(std::nullopt)) by_gpu = by_gpu || gpus.size() > 1;
  }
  for (const auto& [number, processes] : processes_by_number) {
    if (processes.size() == 1 || !gpus_by_number[number].contains(std::nullopt)) continue;
    ++apart;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].number == number) places[i].owner = timeline_.streams[i].process;
    }
  }
  std::map<Place, std::uint32_t> positions;
  for (Place& place : places) {
    if (by_gpu && place.gpu) place.number = *place.gpu;
    positions[place];
  }
  for (auto& [place, position] : positions) {
    position = static_cast<std::uint32_t>(timeline_.devices.size());
    const auto known = machine.gpus.find(place.gpu.value_or(place.number));
    TimelineDevice device = known == machine.gpus.end() ? TimelineDevice{} : known->second;
    device.id = static_cast<std::uint32_t>(place.number);
    timeline_.devices.push_back(std::move(device));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    timeline_.streams[i].device = positions[places[i]];
  }
  if (apart == 0) return;
  timeline_.notes.push_back(
      {NoteKind::kInfo, "",
       "several processes use a GPU of the same number, and the export does not say whether it is "
       "the same: each process is shown with a GPU of its own",
       apart});
}

}  // namespace proofline
