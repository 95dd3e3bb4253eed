// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_session.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "store/lock_holder.h"

namespace proofline {
namespace {

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

bool bind(sqlite3_stmt* statement, const std::vector<SqlParameter>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& value = parameters[i].value;
    const int index = sqlite3_bind_parameter_index(statement, fmt::format("${}", i + 1).c_str());
    if (sqlite3_bind_text64(statement, index, value.data(), value.size(), SQLITE_STATIC,
                            SQLITE_UTF8) != SQLITE_OK) {
      return false;
    }
  }
  return true;
}

SqlRow current_row(sqlite3_stmt* statement) {
  SqlRow row;
  const int columns = sqlite3_column_count(statement);
  row.reserve(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    const void* bytes = sqlite3_column_blob(statement, i);
    const int size = sqlite3_column_bytes(statement, i);
    row.emplace_back(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  return row;
}

}  // namespace

Result<std::unique_ptr<SqliteSession>> SqliteSession::open(const std::string& path, bool read_only,
                                                           std::chrono::milliseconds patience) {
  std::unique_ptr<SqliteSession> session(new SqliteSession(path, patience));
  const int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (sqlite3_open_v2(path.c_str(), &session->handle_, flags, nullptr) != SQLITE_OK) {
    return session->failure();
  }
  RETURN_IF_ERROR(session->set_up(read_only));
  return session;
}

// A rollback journal, not a write-ahead log: SQLite before 3.51.3, and so Debian 12's 3.40.1, can
// corrupt a file in WAL mode when one process resets the log while another begins to write. EXTRA
// also syncs the folder after the journal is deleted; without that, a power cut could bring the
// journal back, and with it undo an entry that we had acknowledged.
Result<void> SqliteSession::set_up(bool read_only) {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, static_cast<int>(patience_.count()));
  for (const int what : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW}) {
    sqlite3_db_config(handle_, what, 0, nullptr);
  }
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  Result<void> safe = run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;");
  if (!safe || read_only) return safe;
  const auto mode = query("PRAGMA journal_mode = DELETE");
  RETURN_IF_ERROR(mode);
  if (mode->front().front() != "delete") {
    return fail(ErrorKind::kStorage,
                fmt::format("{} cannot be used with a rollback journal: SQLite "
                            "keeps it in mode {}",
                            quote(path_), quote(mode->front().front())));
  }
  return run("PRAGMA synchronous = EXTRA;");
}

Result<std::vector<SqlRow>> SqliteSession::query(const std::string& sql,
                                                 const std::vector<SqlParameter>& parameters) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(handle_, sql.c_str(), -1, &prepared, nullptr);
  const Statement statement(prepared);
  if (code != SQLITE_OK || !bind(prepared, parameters)) return failure();
  std::vector<SqlRow> rows;
  int step = sqlite3_step(prepared);
  for (; step == SQLITE_ROW; step = sqlite3_step(prepared)) rows.push_back(current_row(prepared));
  if (step != SQLITE_DONE) return failure();
  return rows;
}

Result<void> SqliteSession::run(const std::string& script) {
  if (sqlite3_exec(handle_, script.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure();
  }
  return {};
}

bool SqliteSession::is_unsure() const { return (sqlite3_errcode(handle_) & 0xff) == SQLITE_IOERR; }

tl::unexpected<Error> SqliteSession::failure() const {
  const std::string name = quote(path_);
  const int code = sqlite3_extended_errcode(handle_);
  const std::string said = fmt::format("{} (SQLite error {})", sqlite3_errmsg(handle_), code);
  switch (code & 0xff) {
    case SQLITE_BUSY:
      return fail(
          ErrorKind::kStorage,
          fmt::format("{} is in use by {}, for longer than {} ms: try again when it is done", name,
                      lock_holder(path_), patience_.count()));
    case SQLITE_FULL:
      return fail(ErrorKind::kStorage,
                  fmt::format("the disk is full, nothing was written to {}: make room, then try "
                              "again",
                              name));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fail(ErrorKind::kStorage,
                  fmt::format("{} is damaged or not a journal: {}. It was left as it is; to save "
                              "what can be read: sqlite3 OLD .recover | sqlite3 NEW",
                              name, said));
    case SQLITE_READONLY:
      return fail(ErrorKind::kStorage,
                  fmt::format("{} cannot be written: {}; where a write to it was interrupted, it "
                              "must be opened once by someone who may write it",
                              name, said));
    case SQLITE_CANTOPEN:
      return fail(ErrorKind::kStorage, fmt::format("cannot open {}: {}", name, said));
    default: return fail(ErrorKind::kStorage, fmt::format("cannot use {}: {}", name, said));
  }
}

}  // namespace proofline
