// SPDX-License-Identifier: Apache-2.0
//
// Exports of Nsight Systems (nsys export -t sqlite), from 2021 on: an SQLite database with a table
// for each kind of event, and tables about the machine and the export itself.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/sqlite/sqlite_database.h"
#include "readers/timeline/nsys_events.h"

namespace proofline {
namespace {

constexpr std::string_view kActivityPrefix = "CUPTI_ACTIVITY_KIND_";
constexpr std::string_view kStrings = "StringIds";
constexpr std::string_view kExport = "META_DATA_EXPORT";
constexpr std::string_view kOldExport = "EXPORT_META_DATA";  // schema 2.x
// The newest of which we know that it is as here.
constexpr int kKnownSchema = 3;

bool is_name_of_export(std::string_view table) {
  return table.starts_with(kActivityPrefix) || table == kStrings || table == kExport ||
         table == kOldExport;
}

// The file holds each CREATE TABLE as text. nsys creates the table of strings among the first; our
// own databases have none of that name.
bool sniff_nsys_sqlite(std::string_view prefix) {
  constexpr std::string_view kCreate = "CREATE TABLE ";
  if (!prefix.starts_with(kSqliteMagic)) return false;
  for (std::size_t at = prefix.find(kCreate); at != prefix.npos; at = prefix.find(kCreate, at)) {
    at += kCreate.size();
    std::string_view name = prefix.substr(at, 64);
    if (name.starts_with('"')) name.remove_prefix(1);
    if (is_name_of_export(name.substr(0, name.find_first_of(" (\"\n")))) return true;
  }
  return false;
}

class NsysReader {
 public:
  explicit NsysReader(SqliteDatabase& database) : database_(database) {}

  Result<void> read() {
    RETURN_IF_ERROR(read_machine());
    NsysEvents events(timeline_);
    RETURN_IF_ERROR(events.read(database_));
    events.attribute(machine_);
    note_what_is_missing();
    for (Note& note : database_.notes()) {
      timeline_.ops_missing = "pages of the file are damaged or missing";
      timeline_.notes.push_back(std::move(note));
    }
    return {};
  }

  Timeline take() { return std::move(timeline_); }

 private:
  // The small tables; each may be missing, and so may be each of their columns.
  Result<void> read_machine() {
    SqliteScans scans;
    for (const std::string_view table : {kExport, kOldExport}) {
      add(scans, table, {"name", "value"},
          [this](SqliteRow row) { read_export(row[0].as_text(), row[1].as_text()); });
    }
    add(scans, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [this](SqliteRow row) {
      if (row[0].is_integer()) timeline_.unix_ns = row[0].as_integer();
    });
    add(scans, "TARGET_INFO_GPU", {"id", "name", "computeMajor", "computeMinor", "smCount"},
        [this](SqliteRow row) { read_gpu(row); });
    add(scans, "TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}, [this](SqliteRow row) {
      if (!row[2].is_integer()) return;
      machine_.gpu_of[{static_cast<std::uint64_t>(row[0].as_integer()), row[1].as_integer()}] =
          row[2].as_integer();
    });
    add(scans, "PROCESSES", {"globalPid", "name"}, [this](SqliteRow row) {
      machine_.process_names[nsys_process(row[0].as_integer())] = row[1].as_text();
    });
    std::map<std::string, std::uint64_t> warnings;
    add(scans, "DIAGNOSTIC_EVENT", {"severity", "text"}, [&](SqliteRow row) {
      constexpr std::int64_t kWarning = 2;
      if (row[0].as_integer() >= kWarning) ++warnings[std::string(row[1].as_text())];
    });
    RETURN_IF_ERROR(database_.scan_group(scans));
    for (const auto& [text, count] : warnings) {
      if (text.starts_with("Not all CUDA events might have been collected")) {
        timeline_.partial = true;
      }
      timeline_.notes.push_back({NoteKind::kInfo, "", "nsys: " + escape_terminal(text), count});
    }
    return {};
  }

  void add(SqliteScans& scans, std::string_view name,
           std::initializer_list<std::string_view> columns, std::function<void(SqliteRow)> row) {
    const SqliteTable* table = database_.find(name);
    if (table == nullptr || !table->refusal.empty()) return;
    SqliteScan scan{.table = table, .columns = {}, .row = std::move(row), .expect = {}};
    for (const std::string_view column : columns)
      scan.columns.push_back(table->find_column(column));
    scans.push_back(std::move(scan));
  }

  void read_export(std::string_view name, std::string_view value) {
    if (name.ends_with("PRODUCT_VERSION")) {
      timeline_.producer = fmt::format("nsys {}", value);
    } else if (name.ends_with("SCHEMA_VERSION_MAJOR") && parse_number(value) > kKnownSchema) {
      timeline_.notes.push_back(
          {NoteKind::kInfo, "",
           fmt::format("the export's schema is {}, newer than {}, the last that was tried; please "
                       "report what is wrong",
                       escape_terminal(value), kKnownSchema)});
    }
  }

  static int parse_number(std::string_view text) {
    int number = 0;
    for (const char c : text.substr(0, 4)) {
      if (!is_digit(c)) break;
      number = 10 * number + (c - '0');
    }
    return number;
  }

  void read_gpu(SqliteRow row) {
    TimelineDevice gpu;
    gpu.name = row[1].as_text();
    if (row[2].is_integer() && row[3].is_integer()) {
      gpu.compute_capability = fmt::format("{}.{}", row[2].as_integer(), row[3].as_integer());
    }
    gpu.multiprocessors = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        row[4].as_integer(), 0, std::numeric_limits<std::uint32_t>::max()));
    machine_.gpus[row[0].as_integer()] = std::move(gpu);
  }

  void note_what_is_missing() {
    const auto is_graph = [](const GpuOp& op) { return op.work == GpuWork::kGraph; };
    const auto graphs = static_cast<std::uint64_t>(
        std::count_if(timeline_.ops.begin(), timeline_.ops.end(), is_graph));
    if (graphs > 0) {
      timeline_.notes.push_back({NoteKind::kInfo, "",
                                 "graph launches are one piece each: record with nsys profile "
                                 "--cuda-graph-trace=node to see the kernels inside",
                                 graphs});
    }
    for (const std::string_view table :
         {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"}) {
      if (database_.find(table) != nullptr) continue;
      timeline_.notes.push_back({NoteKind::kInfo, std::string(table),
                                 "not in this export: nsys makes the table when the first such "
                                 "event is recorded"});
    }
  }

  SqliteDatabase& database_;
  Timeline timeline_;
  NsysMachine machine_;
};

Result<Timeline> read_nsys_sqlite(Input& input) {
  ASSIGN_OR_RETURN(const auto database, SqliteDatabase::open(input));
  const bool is_export = std::any_of(database->tables().begin(), database->tables().end(),
                                     [](const SqliteTable& table) {
                                       return table.name.starts_with(kActivityPrefix) ||
                                              table.name == kExport || table.name == kOldExport;
                                     });
  if (!is_export) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: no export of Nsight Systems can be found in it: it has neither a "
                            "table {}* nor {}{}",
                            quote(input.name()), kActivityPrefix, kExport,
                            database->notes().empty() ? "" : ", and its pages are damaged"));
  }
  NsysReader reader(*database);
  auto read = reader.read();
  if (!read) {
    return fail(read.error().kind,
                fmt::format("{}: {}", quote(input.name()), read.error().message));
  }
  RETURN_IF_ERROR(input.finish());
  Timeline timeline = reader.take();
  timeline.path = input.name();
  timeline.format = "nsys-sqlite";
  if (const auto damage = input.damage()) {
    timeline.notes.push_back({NoteKind::kLoss, "", damage->message});
  }
  return timeline;
}

}  // namespace

Format nsys_sqlite() {
  return {.name = "nsys-sqlite",
          .what = "an SQLite export of Nsight Systems",
          .summary = "Nsight Systems timelines, as nsys export -t sqlite writes them (2021 on)",
          .sniff = sniff_nsys_sqlite,
          .read_timeline = read_nsys_sqlite};
}

}  // namespace proofline
