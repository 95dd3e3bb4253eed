// SPDX-License-Identifier: Apache-2.0
//
// The events of an Nsight Systems export: rows of its tables to a timeline. Columns are found by
// name, since every version of nsys inserts some; a table that is missing was not collected.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/interned.h"
#include "base/result.h"
#include "model/timeline/timeline.h"
#include "readers/sqlite/sqlite_database.h"
#include "readers/timeline/launch_shape_hash.h"
#include "readers/timeline/nsys_names.h"

namespace proofline {

// What nsys packs into globalTid and globalPid: hardware, virtual machine, process, thread.
inline std::uint64_t nsys_process(std::int64_t global) {
  return static_cast<std::uint64_t>(global) >> 24U;
}
inline std::uint64_t nsys_pid(std::uint64_t process) { return process & 0xffffffU; }
inline std::uint64_t nsys_tid(std::int64_t global) {
  return static_cast<std::uint64_t>(global) & 0xffffffU;
}

// What the tables about the machine say; each may be missing.
struct NsysMachine {
  std::map<std::int64_t, TimelineDevice> gpus;  // by nsys' number of the GPU
  // Which GPU a process calls by this number.
  std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t> gpu_of;
  std::map<std::uint64_t, std::string> process_names;
};

class NsysEvents {
 public:
  explicit NsysEvents(Timeline& timeline) : timeline_(timeline) {}

  // Reads all tables with events, and the strings that they name.
  Result<void> read(SqliteDatabase& database);
  // Says which process, thread, stream and GPU each event belongs to.
  void attribute(const NsysMachine& machine);

 private:
  struct Table;
  struct Stream {
    std::uint64_t process = 0;
    std::int64_t device = 0;
    std::int64_t context = 0;
    std::int64_t stream = 0;

    friend bool operator==(const Stream&, const Stream&) = default;
  };
  struct StreamHash {
    std::size_t operator()(const Stream& stream) const {
      return static_cast<std::size_t>(hash_of(
          {stream.process, static_cast<std::uint64_t>(stream.device),
           static_cast<std::uint64_t>(stream.context), static_cast<std::uint64_t>(stream.stream)}));
    }
  };

  Result<void> add_scan(const SqliteDatabase& database, const Table& table,
                        std::uint64_t& lost_rows, SqliteScans& scans);
  // Each says whether it could use the row.
  bool add_kernel(SqliteRow row);
  bool add_copy(SqliteRow row);
  bool add_set(SqliteRow row);
  bool add_graph(SqliteRow row);
  bool add_call(SqliteRow row);
  bool add_nvtx(SqliteRow row);
  bool add_system_call(SqliteRow row);
  bool add_overhead(SqliteRow row);
  bool add_thread_name(SqliteRow row);

  bool add_op(SqliteRow row, GpuOp op);
  bool add_range(SqliteRow row, std::uint32_t name, HostWork work);
  std::uint32_t thread_of(const SqliteValue& global);
  Result<void> resolve_names(SqliteDatabase& database);
  void close_open_ranges();
  std::uint32_t process_position(std::uint64_t process);
  std::uint64_t process_of_orphans() const;
  void attribute_devices(const NsysMachine& machine);

  Timeline& timeline_;
  // Of the GPU's side.
  NsysNames op_names_;
  Interned<Stream, StreamHash> streams_;
  Interned<LaunchShape, LaunchShapeHash> shapes_;
  std::uint64_t expected_ops_ = 0;
  // Of the host's side.
  NsysNames host_names_;
  Interned<std::int64_t> threads_;  // by globalTid
  std::vector<std::pair<std::int64_t, std::uint32_t>> thread_names_;
  std::vector<std::size_t> open_ranges_;
  std::uint64_t expected_ranges_ = 0;
  Interned<std::uint64_t> processes_;  // of both
};

}  // namespace proofline
