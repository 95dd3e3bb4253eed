// SPDX-License-Identifier: Apache-2.0
//
// Databases made from SQL by SQLite itself, and small exports of Nsight Systems as its versions
// write them.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace proofline::test_support {

class SqliteBuilder {
 public:
  explicit SqliteBuilder(const std::string& path = ":memory:") {
    sqlite3* opened = nullptr;
    if (sqlite3_open(path.c_str(), &opened) != SQLITE_OK) throw std::runtime_error("no database");
    database_.reset(opened);
  }

  SqliteBuilder& sql(const std::string& statements) {
    char* message = nullptr;
    if (sqlite3_exec(database_.get(), statements.c_str(), nullptr, nullptr, &message) !=
        SQLITE_OK) {
      throw std::runtime_error(message == nullptr ? "bad SQL" : message);
    }
    return *this;
  }

  // The first number that a query gives.
  std::int64_t number(const std::string& query) const {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_.get(), query.c_str(), -1, &statement, nullptr);
    const bool has_row = statement != nullptr && sqlite3_step(statement) == SQLITE_ROW;
    const std::int64_t value = has_row ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return value;
  }

  sqlite3* handle() const { return database_.get(); }

  // The file's bytes.
  std::string bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* copy = sqlite3_serialize(database_.get(), "main", &size, 0);
    if (copy == nullptr) throw std::runtime_error("cannot be serialised");
    std::string text(reinterpret_cast<const char*>(copy), static_cast<std::size_t>(size));
    sqlite3_free(copy);
    return text;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// What nsys packs into one number.
inline std::string nsys_global(unsigned pid, unsigned tid = 0) {
  return std::to_string((std::uint64_t{1} << 48U) + (std::uint64_t{pid} << 24U) + tid);
}

// The ages of the export's schema: 2021, 2024 and 2026.
enum class NsysAge { k2, k3_11, k3_25 };

// Tables without rows. Columns come and go with the age, as they did.
inline std::string nsys_tables(NsysAge age) {
  const std::string green = age == NsysAge::k2 ? "" : "greenContextId INTEGER, ";
  const std::string place =
      "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
      "contextId INTEGER NOT NULL, " +
      green + "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, ";
  std::string sql =
      "CREATE TABLE StringIds (\n    -- Consolidation of repetitive string values.\n\n"
      "    id INTEGER NOT NULL PRIMARY KEY, -- ID reference value.\n    value TEXT NOT NULL);"
      "CREATE TABLE " +
      std::string(age == NsysAge::k2 ? "EXPORT_META_DATA" : "META_DATA_EXPORT") +
      " (name TEXT NOT NULL, value TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" +
      place +
      "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, registersPerThread INTEGER NOT "
      "NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX "
      "INTEGER "
      "NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT "
      "NULL, dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (" +
      place +
      "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (" +
      place +
      "value INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
      "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT "
      "NULL, "
      "returnValue INTEGER NOT NULL);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
      "text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);"
      "CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, "
      "nameId "
      "INTEGER NOT NULL);"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT, smCount INTEGER, computeMajor "
      "INTEGER, computeMinor INTEGER);"
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
      "CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER NOT NULL, text TEXT NOT NULL);"
      "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
      "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, globalTid INTEGER);";
  if (age == NsysAge::k3_25) {
    sql +=
        "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (" + place +
        "graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, "
        "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, "
        "overheadType INTEGER NOT NULL);"
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER "
        "NOT NULL);";
  }
  return sql;
}

// One process with two kernels, a copy, a set, their calls, and what its thread did besides.
inline std::string nsys_rows(NsysAge age) {
  const std::string place =
      "(start, end, deviceId, contextId, streamId, correlationId, globalPid, ";
  const std::string process = nsys_global(77);
  const std::string thread = nsys_global(77, 78);
  return "INSERT INTO StringIds VALUES (1, 'void add<float>(float*)'), (2, 'add'), "
         "(3, 'cudaLaunchKernel_v7000'), (4, 'cudaMemcpyAsync_ptsz_v3020'), (5, 'cuMemAlloc_v2'), "
         "(6, 'step'), (7, 'poll'), (8, 'main thread'), (9, 'nobody asks for this');"
         "INSERT INTO " +
         std::string(age == NsysAge::k2 ? "EXPORT_META_DATA" : "META_DATA_EXPORT") +
         " VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.1');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL " +
         place +
         "demangledName, shortName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, "
         "blockZ, "
         "staticSharedMemory, dynamicSharedMemory, graphNodeId) VALUES "
         "(1000, 1500, 0, 1, 7, 100, " +
         process +
         ", 1, 2, 32, 10, 1, 1, 256, 1, 1, 64, 1024, NULL), "
         "(3000000000, 3000000300, 0, 1, 7, 101, " +
         process +
         ", 1, 2, 32, 10, 1, 1, 256, 1, 1, 64, 1024, 5);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY " +
         place + "bytes, copyKind, srcKind, dstKind) VALUES (2000, 2600, 0, 1, 8, 102, " + process +
         ", 4096, 1, 0, 2);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET " +
         place +
         "value, bytes, memKind) VALUES "
         "(2700, 2700, 0, 1, 7, 103, " +
         process +
         ", 0, 16, 2);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900, 950, 0, " +
         thread +
         ", 100, 3, 0), "
         "(1900, 1950, 0, " +
         thread + ", 102, 4, 0), (100, 400, 1, " + thread +
         ", 99, 5, 0);"
         "INSERT INTO NVTX_EVENTS VALUES (50, 3000001000, 59, 'aten::mul, seq = 4, op_id = 9', " +
         thread + ", NULL, NULL, 0), (60, 70, 59, NULL, " + thread +
         ", NULL, 6, 0), "
         "(61, NULL, 34, 'a mark', " +
         thread +
         ", NULL, NULL, 0), "
         "(62, NULL, 75, 'NCCL', " +
         thread +
         ", NULL, NULL, 3), "
         "(63, 65, 60, 'ncclAllReduce', " +
         thread +
         ", NULL, NULL, 3);"
         "INSERT INTO OSRT_API VALUES (10, 20, " +
         thread +
         ", 7);"
         "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 132, 9, 0);"
         "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"
         "INSERT INTO PROCESSES VALUES (" +
         process +
         ", 77, 'python');"
         "INSERT INTO ThreadNames VALUES (8, " +
         thread + ");";
}

inline std::string nsys_export(NsysAge age) {
  return SqliteBuilder().sql("PRAGMA page_size = 512;" + nsys_tables(age) + nsys_rows(age)).bytes();
}

}  // namespace proofline::test_support
