// SPDX-License-Identifier: Apache-2.0
#include "readers/sqlite/sqlite_library.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::string_view kLogSuffix = "-wal";

// What SQLite takes for a file: one of the inputs, read by position.
struct ReadOnlyFile {
  sqlite3_file base;
  Input* input;
  sqlite3_int64 size;
  bool immutable;
};

ReadOnlyFile& as_file(sqlite3_file* file) { return *reinterpret_cast<ReadOnlyFile*>(file); }

// SQLite asks for these; there is nothing to do, or nothing that may be done.
int refuse_write(sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; }
int refuse_truncate(sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; }
int do_nothing(sqlite3_file*) { return SQLITE_OK; }
int do_nothing_with(sqlite3_file*, int) { return SQLITE_OK; }
int know_no_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 0; }

int read_bytes(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  const auto wanted = static_cast<std::size_t>(size);
  const auto got = as_file(file).input->read_at(static_cast<std::uint64_t>(offset),
                                                static_cast<char*>(to), wanted);
  if (!got) return SQLITE_IOERR_READ;
  if (*got == wanted) return SQLITE_OK;
  std::memset(static_cast<char*>(to) + *got, 0, wanted - *got);
  return SQLITE_IOERR_SHORT_READ;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = as_file(file).size;
  return SQLITE_OK;
}

int no_lock_is_held(sqlite3_file*, int* held) {
  *held = 0;
  return SQLITE_OK;
}

int characteristics(sqlite3_file* file) {
  return as_file(file).immutable ? SQLITE_IOCAP_IMMUTABLE : 0;
}

constexpr sqlite3_io_methods kMethods = {
    1,
    do_nothing,  // xClose: inputs are ours
    read_bytes,
    refuse_write,
    refuse_truncate,
    do_nothing_with,  // xSync
    file_size,
    do_nothing_with,  // xLock: we are the only reader of this file system
    do_nothing_with,  // xUnlock
    no_lock_is_held,
    know_no_control,
    sector_size,
    characteristics,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

// A file system that consists of one database and its log.
class ReadOnlyFiles {
 public:
  ReadOnlyFiles(Input& input, std::uint64_t size)
      : database_(input), size_(size), name_(fmt::format("proofline-{}", fmt::ptr(this))) {
    vfs_.iVersion = 1;
    vfs_.szOsFile = sizeof(ReadOnlyFile);
    vfs_.mxPathname = 64;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.xOpen = open_file;
    vfs_.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_OK; };
    vfs_.xAccess = exists;
    vfs_.xFullPathname = [](sqlite3_vfs*, const char* path, int room, char* out) {
      sqlite3_snprintf(room, out, "%s", path);
      return SQLITE_OK;
    };
    vfs_.xRandomness = [](sqlite3_vfs*, int count, char* out) {
      std::memset(out, 0, static_cast<std::size_t>(count));
      return count;
    };
    vfs_.xSleep = [](sqlite3_vfs*, int) { return 0; };
    vfs_.xCurrentTime = [](sqlite3_vfs*, double* time) {
      *time = 0;
      return SQLITE_OK;
    };
    vfs_.xGetLastError = [](sqlite3_vfs*, int, char*) { return 0; };
    sqlite3_vfs_register(&vfs_, 0);
  }
  ~ReadOnlyFiles() { sqlite3_vfs_unregister(&vfs_); }
  ReadOnlyFiles(const ReadOnlyFiles&) = delete;
  ReadOnlyFiles& operator=(const ReadOnlyFiles&) = delete;

  Result<void> open_log(const std::string& path) {
    auto log = Input::open(path);
    RETURN_IF_ERROR(log);
    log_ = std::make_unique<Input>(std::move(*log));
    ASSIGN_OR_RETURN(log_size_, log_->make_seekable());
    return {};
  }
  Result<void> finish() { return log_ ? log_->finish() : Result<void>{}; }
  std::uint64_t bytes() const { return size_ + log_size_; }
  const char* name() const { return name_.c_str(); }

 private:
  static int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* out, int flags,
                       int* out_flags) {
    auto& files = *static_cast<ReadOnlyFiles*>(vfs->pAppData);
    const bool is_log = name != nullptr && std::string_view(name).ends_with(kLogSuffix);
    const bool is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    out->pMethods = nullptr;
    if (!is_database && !(is_log && files.log_)) return SQLITE_CANTOPEN;
    auto& file = as_file(out);
    file.input = is_log ? files.log_.get() : &files.database_;
    file.size = static_cast<sqlite3_int64>(is_log ? files.log_size_ : files.size_);
    file.immutable = !files.log_;
    file.base.pMethods = &kMethods;
    if (out_flags != nullptr) *out_flags = SQLITE_OPEN_READONLY;
    return SQLITE_OK;
  }

  static int exists(sqlite3_vfs* vfs, const char* name, int, int* result) {
    const auto& files = *static_cast<ReadOnlyFiles*>(vfs->pAppData);
    *result = files.log_ && std::string_view(name).ends_with(kLogSuffix) ? 1 : 0;
    return SQLITE_OK;
  }

  Input& database_;
  std::uint64_t size_;
  std::unique_ptr<Input> log_;
  std::uint64_t log_size_ = 0;
  std::string name_;
  sqlite3_vfs vfs_{};
};

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using PreparedStatement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

SqliteValue value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER: return SqliteValue::integer(sqlite3_column_int64(statement, column));
    case SQLITE_TEXT: {
      const unsigned char* text = sqlite3_column_text(statement, column);
      if (text == nullptr) return SqliteValue::other();
      const int size = sqlite3_column_bytes(statement, column);
      return SqliteValue::text(
          {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)});
    }
    default: return SqliteValue::other();
  }
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

class SqliteLibrary : public SqliteDatabase {
 public:
  SqliteLibrary(Input& input, std::uint64_t size) : input_(input), files_(input, size) {}

  Result<void> open(bool has_log) {
    if (has_log) RETURN_IF_ERROR(files_.open_log(input_.name() + std::string(kLogSuffix)));
    most_rows_ = files_.bytes() / kLeastRowBytes;
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2("database", &opened, SQLITE_OPEN_READONLY, files_.name());
    database_.reset(opened);
    if (code != SQLITE_OK) return failure();
    for (const int what : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                           SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_WRITABLE_SCHEMA,
                           SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION}) {
      sqlite3_db_config(opened, what, 0, nullptr);
    }
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    // Without memory that several processes share, a log can be read only by one that is alone.
    sqlite3_exec(opened, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON;", nullptr,
                 nullptr, nullptr);
    return read_schema();
  }

  Result<void> scan(std::span<const SqliteScans> groups) override {
    for (const SqliteScans& scans : groups) {
      for (const SqliteScan& scan : scans) RETURN_IF_ERROR(read_table(scan));
    }
    return files_.finish();
  }

  std::vector<Note> notes() const override { return notes_; }

 private:
  // The least that a row takes in a file: more rows than that, and pages are met again and again.
  static constexpr std::uint64_t kLeastRowBytes = 4;

  tl::unexpected<Error> failure() const {
    return fail(ErrorKind::kInput,
                fmt::format("{}: SQLite cannot read it: {}", quote(input_.name()),
                            escape_terminal(sqlite3_errmsg(database_.get()))));
  }

  PreparedStatement prepare(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr);
    return PreparedStatement(statement);
  }

  Result<void> read_schema() {
    const PreparedStatement rows = prepare("SELECT type, name, rootpage, sql FROM sqlite_schema");
    if (!rows) return failure();
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) {
      auto table = parse_sqlite_schema(
          value_of(rows.get(), 0).as_text(), value_of(rows.get(), 1).as_text(),
          value_of(rows.get(), 2).as_integer(), value_of(rows.get(), 3).as_text());
      if (table) tables_.push_back(std::move(*table));
    }
    if (code != SQLITE_DONE) return failure();
    return {};
  }

  Result<void> read_table(const SqliteScan& scan) {
    std::string columns;
    for (const auto& column : scan.columns) {
      if (!columns.empty()) columns += ", ";
      columns += column ? quoted_name(scan.table->columns[*column]) : "NULL";
    }
    // By no index: one of the file's need not agree with its table.
    const PreparedStatement rows = prepare(
        fmt::format("SELECT {} FROM main.{} NOT INDEXED", columns, quoted_name(scan.table->name)));
    if (!rows) return failure();
    std::vector<SqliteValue> values(scan.columns.size());
    std::uint64_t count = 0;
    int code = SQLITE_ROW;
    while (count < most_rows_ && (code = sqlite3_step(rows.get())) == SQLITE_ROW) {
      ++count;
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = value_of(rows.get(), static_cast<int>(i));
      }
      scan.row(values);
    }
    if (code == SQLITE_DONE) return {};
    // The rows after the damage are lost; their number is unknown.
    notes_.push_back({NoteKind::kLoss, escape_terminal(scan.table->name),
                      code == SQLITE_ROW
                          ? "the table's pages are in several places at once"
                          : fmt::format("the rest of the table is lost: {}",
                                        escape_terminal(sqlite3_errmsg(database_.get())))});
    return {};
  }

  Input& input_;
  ReadOnlyFiles files_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::uint64_t most_rows_ = 0;
  std::vector<Note> notes_;
};

}  // namespace

Result<std::unique_ptr<SqliteDatabase>> open_sqlite_library(Input& input, std::uint64_t size,
                                                            bool has_log) {
  auto library = std::make_unique<SqliteLibrary>(input, size);
  RETURN_IF_ERROR(library->open(has_log));
  return library;
}

}  // namespace proofline
