// SPDX-License-Identifier: Apache-2.0
//
// Exports of Nsight Systems: each age of the schema, what may be missing, what strangers' databases
// try, and damage. Where the corpus is at hand, its files agree with SQLite's own sums over them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/timeline/timeline.h"
#include "readers/format.h"
#include "support/effort.h"
#include "support/sqlite_builder.h"
#include "support/temp_dir.h"

namespace proofline {
Format nsys_sqlite();
}

namespace proofline::nsys_sqlite_test {
namespace {

namespace fs = std::filesystem;
using namespace test_support;

Result<Timeline> read(std::string_view bytes) {
  auto input = Input::from_memory(bytes, "export");
  return nsys_sqlite().read_timeline(*input);
}

Result<Timeline> read_file(const std::string& path) {
  auto input = Input::open(path);
  if (!input) return tl::make_unexpected(input.error());
  return nsys_sqlite().read_timeline(*input);
}

std::string built(const std::string& sql) {
  return SqliteBuilder().sql("PRAGMA page_size = 512;" + sql).bytes();
}

// A usual export with something more, or something else.
std::string built_upon(const std::string& sql, NsysAge age = NsysAge::k3_25) {
  return built(nsys_tables(age) + nsys_rows(age) + sql);
}

std::uint64_t losses(const Timeline& timeline) {
  std::uint64_t count = 0;
  for (const Note& note : timeline.notes) count += note.kind == NoteKind::kLoss ? note.count : 0;
  return count;
}

bool has_note(const Timeline& timeline, std::string_view words) {
  return std::any_of(timeline.notes.begin(), timeline.notes.end(),
                     [&](const Note& note) { return note.what.find(words) != std::string::npos; });
}

const GpuOp* find_op(const Timeline& timeline, std::int64_t start_ns) {
  for (const GpuOp& op : timeline.ops) {
    if (op.start_ns == start_ns) return &op;
  }
  return nullptr;
}

std::string call_at(const Timeline& timeline, std::int64_t start_ns) {
  for (const ApiCall& call : timeline.calls) {
    if (call.start_ns == start_ns) return timeline.names[call.name];
  }
  return "";
}

const HostRange* find_range(const Timeline& timeline, std::string_view name) {
  for (const HostRange& range : timeline.ranges) {
    if (timeline.names[range.name] == name) return &range;
  }
  return nullptr;
}

// What nsys_rows holds, whatever the age and the way that it was read.
void expect_the_usual(const Timeline& timeline) {
  EXPECT_EQ(losses(timeline), 0U);
  EXPECT_EQ(timeline.format, "nsys-sqlite");
  EXPECT_EQ(timeline.producer, "nsys 2025.1.1");
  EXPECT_EQ(timeline.unix_ns, 1'700'000'000'000'000'000);
  ASSERT_EQ(timeline.ops.size(), 4U);
  ASSERT_EQ(timeline.calls.size(), 3U);
  const GpuOp* kernel = find_op(timeline, 3'000'000'000);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->end_ns, 3'000'000'300);
  EXPECT_EQ(kernel->correlation, 101U);
  EXPECT_TRUE(kernel->in_graph);
  EXPECT_EQ(timeline.names[kernel->name], "void add<float>(float*)");
  const LaunchShape& shape = timeline.shapes[kernel->shape];
  EXPECT_EQ(shape.grid, (Dim3{10, 1, 1}));
  EXPECT_EQ(shape.block, (Dim3{256, 1, 1}));
  EXPECT_EQ(shape.registers, 32U);
  EXPECT_EQ(shape.shared_bytes, 1088U);
  EXPECT_FALSE(find_op(timeline, 1000)->in_graph);
  const GpuOp* copy = find_op(timeline, 2000);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->work, GpuWork::kCopy);
  EXPECT_EQ(copy->bytes, 4096U);
  EXPECT_EQ(copy->direction, CopyDirection::kHostToDevice);
  EXPECT_EQ(copy->from, MemoryKind::kPageable);
  EXPECT_EQ(copy->to, MemoryKind::kDevice);
  EXPECT_EQ(timeline.names[copy->name], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(find_op(timeline, 2700)->work, GpuWork::kSet);
  EXPECT_EQ(call_at(timeline, 900), "cudaLaunchKernel");
  EXPECT_EQ(call_at(timeline, 1900), "cudaMemcpyAsync");
  EXPECT_EQ(call_at(timeline, 100), "cuMemAlloc_v2");
  ASSERT_EQ(timeline.devices.size(), 1U);
  EXPECT_EQ(timeline.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(timeline.devices[0].compute_capability, "9.0");
  EXPECT_EQ(timeline.devices[0].multiprocessors, 132U);
  ASSERT_EQ(timeline.streams.size(), 2U);
  ASSERT_EQ(timeline.processes.size(), 1U);
  EXPECT_EQ(timeline.processes[0].pid, 77U);
  EXPECT_EQ(timeline.processes[0].name, "python");
  ASSERT_EQ(timeline.threads.size(), 1U);
  EXPECT_EQ(timeline.threads[0].id, 78U);
  EXPECT_EQ(timeline.threads[0].name, "main thread");
  for (const std::string& name : timeline.names) EXPECT_NE(name, "nobody asks for this");
}

TEST(NsysSqlite, ReadsEveryAgeOfTheSchema) {
  for (const NsysAge age : {NsysAge::k2, NsysAge::k3_11, NsysAge::k3_25}) {
    SCOPED_TRACE(static_cast<int>(age));
    const std::string bytes = nsys_export(age);
    EXPECT_TRUE(nsys_sqlite().sniff(std::string_view(bytes).substr(0, kSniffBytes)));
    const auto timeline = read(bytes);
    ASSERT_TRUE(timeline) << timeline.error().message;
    expect_the_usual(*timeline);
  }
}

TEST(NsysSqlite, RangesHaveTheNamesThatPeopleGave) {
  const auto timeline = read(nsys_export(NsysAge::k3_25));
  ASSERT_TRUE(timeline);
  ASSERT_EQ(timeline->ranges.size(), 4U);
  ASSERT_NE(find_range(*timeline, "aten::mul"), nullptr);
  EXPECT_EQ(find_range(*timeline, "aten::mul")->work, HostWork::kOperator);
  ASSERT_NE(find_range(*timeline, "step"), nullptr);
  EXPECT_EQ(find_range(*timeline, "step")->work, HostWork::kAnnotation);
  EXPECT_NE(find_range(*timeline, "NCCL:ncclAllReduce"), nullptr);
  ASSERT_NE(find_range(*timeline, "poll"), nullptr);
  EXPECT_EQ(find_range(*timeline, "poll")->work, HostWork::kSystem);
}

TEST(NsysSqlite, ARangeThatNobodyEndedLastsToTheEnd) {
  const auto timeline = read(built_upon("INSERT INTO NVTX_EVENTS VALUES (500, NULL, 59, 'open', " +
                                        nsys_global(77, 78) + ", NULL, NULL, 0);"));
  ASSERT_TRUE(timeline);
  ASSERT_NE(find_range(*timeline, "open"), nullptr);
  EXPECT_EQ(find_range(*timeline, "open")->end_ns, 3'000'001'000);
  EXPECT_TRUE(has_note(*timeline, "were not ended"));
}

TEST(NsysSqlite, GraphsAreWorkAndOverheadsAreTold) {
  const auto timeline = read(built_upon(
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, graphId, graphExecId) VALUES (5000, 6000, 0, 1, 7, 104, " +
      nsys_global(77) +
      ", 3, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (1, 2, 0, " +
      nsys_global(77, 78) + ", 100, NULL, 8);"));
  ASSERT_TRUE(timeline);
  const GpuOp* graph = find_op(*timeline, 5000);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->work, GpuWork::kGraph);
  EXPECT_EQ(timeline->names[graph->name], "CUDA graph 3");
  EXPECT_TRUE(has_note(*timeline, "--cuda-graph-trace=node"));
  ASSERT_NE(find_range(*timeline, "Command Buffer Full"), nullptr);
  EXPECT_EQ(find_range(*timeline, "Command Buffer Full")->work, HostWork::kOverhead);
}

TEST(NsysSqlite, WarningsOfNsysAreNotesAndMayMeanLoss) {
  const auto timeline =
      read(built_upon("INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 'hello'), (2, 'odd'), (3, 'odd'), "
                      "(2, 'Not all CUDA events might have been collected.');"));
  ASSERT_TRUE(timeline);
  EXPECT_TRUE(timeline->partial);
  EXPECT_FALSE(has_note(*timeline, "hello"));
  for (const Note& note : timeline->notes) {
    if (note.what == "nsys: odd") {
      EXPECT_EQ(note.count, 2U);
    }
  }
  EXPECT_TRUE(has_note(*timeline, "nsys: odd"));
}

// A second process that calls its GPU by the number 0 too.
constexpr std::string_view kSecondProcess =
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
    "correlationId, globalPid, demangledName, shortName, registersPerThread, gridX, gridY, gridZ, "
    "blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory) VALUES (10, 20, 0, 1, 7, "
    "100, "
    "{}, 1, 2, 32, 1, 1, 1, 1, 1, 1, 0, 0);";

std::string second_process() {
  std::string sql(kSecondProcess);
  return sql.replace(sql.find("{}"), 2, nsys_global(99));
}

TEST(NsysSqlite, ProcessesWithOneNumberForTwoGpusAreToldApart) {
  const auto timeline =
      read(built_upon(second_process() +
                      "INSERT INTO TARGET_INFO_GPU VALUES (1, 'other', 1, 8, 0);"
                      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 77), (1, 0, 99);"));
  ASSERT_TRUE(timeline);
  ASSERT_EQ(timeline->devices.size(), 2U);
  EXPECT_EQ(timeline->devices[1].id, 1U);
  EXPECT_EQ(timeline->devices[1].name, "other");
  EXPECT_EQ(timeline->streams[find_op(*timeline, 10)->stream].device, 1U);
}

TEST(NsysSqlite, ProcessesOnOneGpuShareIt) {
  const auto timeline = read(built_upon(
      second_process() + "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 77), (0, 0, 99);"));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->devices.size(), 1U);
  EXPECT_EQ(timeline->processes.size(), 2U);
}

TEST(NsysSqlite, ProcessesStayApartWhereNobodyKnows) {
  const auto timeline = read(built_upon(second_process()));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->devices.size(), 2U);
  EXPECT_TRUE(has_note(*timeline, "each process is shown with a GPU of its own"));
}

TEST(NsysSqlite, AnyTableMayBeMissing) {
  for (const std::string_view table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "OSRT_API", "TARGET_INFO_GPU", "PROCESSES",
        "TARGET_INFO_SESSION_START_TIME", "DIAGNOSTIC_EVENT", "ThreadNames", "META_DATA_EXPORT"}) {
    SCOPED_TRACE(table);
    const auto timeline = read(built_upon("DROP TABLE " + std::string(table) + ";"));
    ASSERT_TRUE(timeline) << timeline.error().message;
    EXPECT_EQ(losses(*timeline), 0U);
    EXPECT_EQ(has_note(*timeline, "not in this export"),
              table.ends_with("KERNEL") || table.ends_with("RUNTIME"));
  }
}

TEST(NsysSqlite, NamesThatAreMissingAreCounted) {
  const auto timeline = read(built_upon("DELETE FROM StringIds WHERE id = 3;"));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(losses(*timeline), 1U);
  EXPECT_EQ(call_at(*timeline, 900), "[string 3]");
  // A trimmed export has no full names.
  const auto trimmed = read(built_upon("DELETE FROM StringIds WHERE id = 1;"));
  ASSERT_TRUE(trimmed);
  EXPECT_EQ(trimmed->names[find_op(*trimmed, 1000)->name], "add");
}

TEST(NsysSqlite, WorkWithoutAProcessBelongsToTheOnlyOne) {
  const auto timeline = read(built_upon("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = NULL;"));
  ASSERT_TRUE(timeline);
  ASSERT_EQ(timeline->processes.size(), 1U);
  EXPECT_EQ(timeline->processes[timeline->streams[find_op(*timeline, 1000)->stream].process].pid,
            77U);
}

std::string refusal(std::string_view bytes) {
  const auto timeline = read(bytes);
  return timeline ? "" : timeline.error().message;
}

TEST(NsysSqlite, AColumnThatIsGoneIsNamed) {
  EXPECT_EQ(refusal(built_upon("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME start TO begin;")),
            "\"export\": CUPTI_ACTIVITY_KIND_KERNEL has no column start: this version of Nsight "
            "Systems' export is not known");
}

TEST(NsysSqlite, ViewsAndTheirKindAreRefused) {
  const std::string drop = "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;";
  EXPECT_EQ(refusal(built_upon(
                drop + "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS "
                       "(SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT start FROM n;")),
            "\"export\": CUPTI_ACTIVITY_KIND_KERNEL is a view, which no export of Nsight Systems "
            "has");
  EXPECT_NE(
      refusal(built_upon(drop +
                         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER PRIMARY KEY, "
                         "end INTEGER, deviceId INTEGER, streamId INTEGER) WITHOUT ROWID;"))
          .find("without row numbers"),
      std::string::npos);
  EXPECT_NE(
      refusal(built_upon(drop +
                         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER "
                         "AS (start + 1), deviceId INTEGER, streamId INTEGER);"))
          .find("computed columns"),
      std::string::npos);
}

TEST(NsysSqlite, TriggersAndIndexesAreNotLookedAt) {
  const auto timeline =
      read(built_upon("CREATE INDEX i ON CUPTI_ACTIVITY_KIND_KERNEL(start);"
                      "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM "
                      "CUPTI_ACTIVITY_KIND_KERNEL; END;"));
  ASSERT_TRUE(timeline);
  expect_the_usual(*timeline);
}

TEST(NsysSqlite, ColumnsThatWereAddedLaterReadAsNull) {
  const auto timeline =
      read(built_upon("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN \"end of all\" INTEGER;"));
  ASSERT_TRUE(timeline);
  expect_the_usual(*timeline);
}

TEST(NsysSqlite, RowsThatCannotBeAreCounted) {
  const std::string kernel =
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
      "demangledName, shortName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, "
      "staticSharedMemory, dynamicSharedMemory) VALUES ";
  const std::string rest = ", 0, 1, 7, 1, 2, 1, 1, 1, 1, 1, 1, 1, 0, 0)";
  const auto timeline = read(built_upon(kernel + "('soon', 20" + rest + ", (20, 10" + rest +
                                        ", (-9223372036854775807, 9223372036854775807" + rest +
                                        ", (1.5, 2.5" + rest + ", (x'00', 3" + rest + ";"));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->ops.size(), 4U);
  EXPECT_EQ(losses(*timeline), 5U);
  EXPECT_EQ(timeline->ops_missing, "5 operations could not be read");
}

TEST(NsysSqlite, OtherDatabasesAreNotExports) {
  const std::string other = built(
      "CREATE TABLE entries (id INTEGER, body TEXT);"
      "INSERT INTO entries VALUES (1, 'CUPTI_ACTIVITY_KIND_KERNEL');");
  EXPECT_FALSE(nsys_sqlite().sniff(other));
  EXPECT_EQ(identify(other), nullptr);
  const std::string strings = built("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);");
  EXPECT_TRUE(nsys_sqlite().sniff(strings));
  EXPECT_NE(refusal(strings).find("no export of Nsight Systems can be found in it"),
            std::string::npos);
}

// Rows of all sizes, in trees of several levels, with texts that take several pages.
std::string tall_export(std::string_view pragma = "PRAGMA page_size = 512;") {
  return SqliteBuilder()
      .sql(std::string(pragma) + nsys_tables(NsysAge::k3_25) + nsys_rows(NsysAge::k3_25) +
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT "
           "INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 10000 + i * i, 10007 + i * i * 3, 0, " +
           nsys_global(77, 79) +
           ", 1000 + i, 3, 0 FROM n;"
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT "
           "INTO NVTX_EVENTS SELECT i, i + 5, 59, printf('%.*c', i * 20, 'x'), " +
           nsys_global(77, 79) + ", NULL, NULL, 0 FROM n;")
      .bytes();
}

void expect_tall(const Timeline& timeline) {
  EXPECT_EQ(losses(timeline), 0U);
  ASSERT_EQ(timeline.calls.size(), 5003U);
  std::int64_t sum = 0;
  for (const ApiCall& call : timeline.calls) sum += call.end_ns - call.start_ns;
  // Of i: 2 i^2 + 7; and of the three others.
  EXPECT_EQ(sum, 2 * (5000LL * 5001 * 10001 / 6) + 5000LL * 7 + 50 + 50 + 300);
  std::size_t longest = 0;
  for (const std::string& name : timeline.names) longest = std::max(longest, name.size());
  EXPECT_EQ(longest, 4000U);
}

TEST(NsysSqlite, TallTreesAndLongTextsAreReadWhole) {
  for (const char* pragma :
       {"PRAGMA page_size = 512;", "PRAGMA page_size = 4096;", "PRAGMA page_size = 65536;",
        "PRAGMA encoding = 'UTF-16le';", "PRAGMA encoding = 'UTF-16be';"}) {
    SCOPED_TRACE(pragma);
    const auto timeline = read(tall_export(pragma));
    ASSERT_TRUE(timeline) << timeline.error().message;
    expect_tall(*timeline);
  }
}

TEST(NsysSqlite, AFileIsReadWhereItLies) {
  const TempDir folder;
  const std::string path = folder.write("export", tall_export());
  const auto timeline = read_file(path);
  ASSERT_TRUE(timeline) << timeline.error().message;
  expect_tall(*timeline);
  EXPECT_EQ(timeline->path, path);
}

TEST(NsysSqlite, AWriteAheadLogBesideItCounts) {
  const TempDir folder;
  const std::string path = folder.path("export");
  SqliteBuilder writer(path);
  writer.sql("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" +
             nsys_tables(NsysAge::k3_25) + nsys_rows(NsysAge::k3_25));
  ASSERT_GT(fs::file_size(path + "-wal"), 0U);
  const auto size = fs::file_size(path);
  const auto timeline = read_file(path);
  ASSERT_TRUE(timeline) << timeline.error().message;
  expect_the_usual(*timeline);
  EXPECT_EQ(fs::file_size(path), size);
}

TEST(NsysSqlite, AnExportThatIsBeingWrittenIsRefused) {
  const TempDir folder;
  const std::string path = folder.path("export");
  SqliteBuilder writer(path);
  writer.sql(
      nsys_tables(NsysAge::k3_25) + "PRAGMA cache_size = 1; BEGIN IMMEDIATE;" +
      nsys_rows(NsysAge::k3_25) +
      "PRAGMA cache_spill = ON; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
      "n WHERE i < 20000) INSERT INTO ThreadNames SELECT i, i FROM n;");
  const auto timeline = read_file(path);
  ASSERT_FALSE(timeline);
  EXPECT_NE(timeline.error().message.find("is still being written"), std::string::npos);
}

// Neither a crash nor a hang, and what is missing is told.
TEST(NsysSqlite, CutFilesAreToldFromWholeOnes) {
  const std::string whole = nsys_export(NsysAge::k3_25);
  const std::size_t step = effort<std::size_t>(1, 61, 509);
  for (std::size_t size = 0; size < whole.size(); size += step) {
    const auto timeline = read(std::string_view(whole).substr(0, size));
    if (timeline) {
      EXPECT_GT(losses(*timeline), 0U) << size;
    }
  }
}

TEST(NsysSqlite, FlippedBytesDoNoHarm) {
  const std::string whole = nsys_export(NsysAge::k3_25);
  const std::size_t step = effort<std::size_t>(1, 17, 101);
  for (std::size_t at = 0; at < whole.size(); at += step) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto timeline = read(damaged);
      if (!timeline) continue;
      for (const GpuOp& op : timeline->ops) {
        ASSERT_LT(op.name, timeline->names.size()) << at;
        ASSERT_LE(op.start_ns, op.end_ns) << at;
      }
    }
  }
}

std::uint32_t root_of(const std::string& bytes, std::string_view table) {
  SqliteBuilder database;
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), copy);
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  sqlite3_deserialize(database.handle(), "main", copy, size, size,
                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
  return static_cast<std::uint32_t>(database.number(
      "SELECT rootpage FROM sqlite_schema WHERE name = '" + std::string(table) + "'"));
}

void write_page_number(std::string& bytes, std::size_t at, std::uint32_t page) {
  for (int i = 3; i >= 0; --i, page >>= 8U) bytes[at + i] = static_cast<char>(page & 0xffU);
}

TEST(NsysSqlite, PagesThatLeadBackEndTheWalk) {
  const std::string whole = tall_export();
  const std::uint32_t root = root_of(whole, "CUPTI_ACTIVITY_KIND_RUNTIME");
  const std::size_t page_at = (root - 1) * std::size_t{512};
  ASSERT_EQ(whole[page_at], 5);  // no leaf
  for (const std::uint32_t target : {root, std::uint32_t{1}, std::uint32_t{0}, 0xffffffffU}) {
    std::string damaged = whole;
    write_page_number(damaged, page_at + 8, target);  // its last child
    const auto timeline = read(damaged);
    ASSERT_TRUE(timeline) << timeline.error().message;
    EXPECT_GT(losses(*timeline), 0U);
    EXPECT_LT(timeline->calls.size(), 5003U);
  }
}

TEST(NsysSqlite, PagesThatAreInTwoPlacesAreReadOnce) {
  std::string damaged = tall_export();
  const std::uint32_t calls = root_of(damaged, "CUPTI_ACTIVITY_KIND_RUNTIME");
  const std::uint32_t ranges = root_of(damaged, "NVTX_EVENTS");
  // The last child of the ranges' tree is that of the calls' tree.
  const std::string child = damaged.substr((calls - 1) * std::size_t{512} + 8, 4);
  damaged.replace((ranges - 1) * std::size_t{512} + 8, 4, child);
  const auto timeline = read(damaged);
  ASSERT_TRUE(timeline);
  EXPECT_GT(losses(*timeline), 0U);
  EXPECT_LE(timeline->calls.size() + timeline->ranges.size(), 5003U + 204U);
}

TEST(NsysSqlite, TheCorpusAgreesWithSqlite) {
  const char* corpus = std::getenv("PROOFLINE_CORPUS");
  if (corpus == nullptr || *corpus == '\0') {
    GTEST_SKIP() << "PROOFLINE_CORPUS is not set: no real files to try";
  }
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() != ".sqlite") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const auto timeline = read_file(entry.path().string());
    ASSERT_TRUE(timeline) << timeline.error().message;
    ++files;
    EXPECT_EQ(losses(*timeline), 0U);
    const TempDir folder;  // SQLite wants to lock what it opens
    fs::copy_file(entry.path(), folder.path("copy"));
    const SqliteBuilder truth(folder.path("copy"));
    const auto table = [&](std::string_view name, std::string_view what) {
      const std::int64_t value =
          truth.number("SELECT " + std::string(what) + " FROM " + std::string(name));
      return std::max<std::int64_t>(value, 0);  // -1: there is no such table
    };
    constexpr std::pair<GpuWork, std::string_view> kTables[] = {
        {GpuWork::kKernel, "CUPTI_ACTIVITY_KIND_KERNEL"},
        {GpuWork::kCopy, "CUPTI_ACTIVITY_KIND_MEMCPY"},
        {GpuWork::kSet, "CUPTI_ACTIVITY_KIND_MEMSET"},
        {GpuWork::kGraph, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"},
    };
    for (const auto& [work, name] : kTables) {
      std::int64_t count = 0;
      std::int64_t sum = 0;
      std::int64_t bytes = 0;
      for (const GpuOp& op : timeline->ops) {
        if (op.work != work) continue;
        ++count;
        sum += op.end_ns - op.start_ns;
        bytes += static_cast<std::int64_t>(op.bytes);
      }
      EXPECT_EQ(count, table(name, "count(*)")) << name;
      EXPECT_EQ(sum, table(name, "sum(\"end\" - start)")) << name;
      if (work == GpuWork::kCopy) {
        EXPECT_EQ(bytes, table(name, "sum(bytes)")) << name;
      }
    }
    std::int64_t sum = 0;
    for (const ApiCall& call : timeline->calls) sum += call.end_ns - call.start_ns;
    EXPECT_EQ(static_cast<std::int64_t>(timeline->calls.size()),
              table("CUPTI_ACTIVITY_KIND_RUNTIME", "count(*)"));
    EXPECT_EQ(sum, table("CUPTI_ACTIVITY_KIND_RUNTIME", "sum(\"end\" - start)"));
  }
  EXPECT_GE(files, 12U);
}

}  // namespace
}  // namespace proofline::nsys_sqlite_test
