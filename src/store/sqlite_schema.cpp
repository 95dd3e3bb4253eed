// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_schema.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "base/propagate.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

constexpr int kApplicationId = 0x50724c6e;  // "PrLn"

Result<int> read_number(SqliteSession& session, const std::string& sql) {
  ASSIGN_OR_RETURN(const auto rows, session.query(sql));
  const std::string& text = rows.front().front();
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<std::size_t> read_version(SqliteSession& session, const std::string& path,
                                 std::size_t newest) {
  const auto tables = read_number(session, "SELECT count(*) FROM sqlite_schema");
  RETURN_IF_ERROR(tables);
  ASSIGN_OR_RETURN(const auto application, read_number(session, "PRAGMA application_id"));
  const auto version = read_number(session, "PRAGMA user_version");
  RETURN_IF_ERROR(version);
  if (*tables == 0 && application == 0 && *version == 0) return 0;
  if (application != kApplicationId || *version < 1) {
    return fail(ErrorKind::kStorage,
                fmt::format("{} is a database of another program, not a journal", quote(path)));
  }
  if (static_cast<std::size_t>(*version) > newest) {
    return fail(ErrorKind::kStorage,
                fmt::format("{} was written by a newer version of proofline (its tables have "
                            "version {}, this program knows {}): use that one",
                            quote(path), *version, newest));
  }
  return static_cast<std::size_t>(*version);
}

// All of it from one moment: another process may be making the tables.
Result<std::size_t> read_settled_version(SqliteSession& session, const std::string& path,
                                         std::size_t newest) {
  RETURN_IF_ERROR(session.run("BEGIN"));
  auto version = read_version(session, path, newest);
  if (auto ended = session.run("COMMIT"); version && !ended) {
    return tl::make_unexpected(ended.error());
  }
  return version;
}

// Whole and on the disk before anything is changed.
Result<void> back_up(SqliteSession& session, const std::string& path, std::size_t version) {
  const std::string copy = fmt::format("{}.v{}.backup", path, version);
  const UniqueFd file(::open(copy.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.is_open()) {
    const auto copied = session.query("VACUUM INTO $1", {{copy}});
    RETURN_IF_ERROR(copied);
    if (::fsync(file.get()) == 0) return {};
  }
  return fail(ErrorKind::kStorage,
              fmt::format("cannot copy the journal to {} before it is changed: {}", quote(copy),
                          std::generic_category().message(errno)));
}

Result<void> run_steps(SqliteSession& session, const std::string& path,
                       const std::vector<std::string>& steps) {
  // Another process may have been quicker.
  ASSIGN_OR_RETURN(const auto version, read_version(session, path, steps.size()));
  for (std::size_t i = version; i < steps.size(); ++i) {
    if (Result<void> done = session.run(steps[i]); !done) return done;
  }
  return session.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                 kApplicationId, steps.size()));
}

}  // namespace

const std::vector<std::string>& journal_schema() {
  static const std::vector<std::string> kSteps = {
      "CREATE TABLE chains (chain TEXT PRIMARY KEY, own INTEGER NOT NULL,"
      " sequence INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;"
      "CREATE TABLE entries (chain TEXT NOT NULL, sequence INTEGER NOT NULL,"
      " id TEXT NOT NULL UNIQUE, attempt TEXT NOT NULL, kind TEXT NOT NULL, written TEXT NOT NULL,"
      " body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,"
      " PRIMARY KEY (chain, sequence)) STRICT;"
      "CREATE INDEX entries_of_attempt ON entries (attempt);"
      "INSERT INTO chains VALUES (lower(hex(randomblob(16))), TRUE, 0, '" +
      std::string(kNoHash) + "');"};
  return kSteps;
}

Result<void> bring_to_schema(SqliteSession& session, const std::string& path, bool read_only,
                             bool create, const std::vector<std::string>& steps) {
  const auto version = read_settled_version(session, path, steps.size());
  RETURN_IF_ERROR(version);
  if (*version == steps.size()) return {};
  // The same as no journal: the process that created it was killed before the first entry.
  if (*version == 0 && !create) {
    return fail(
        ErrorKind::kInput,
        fmt::format("{} is empty, not a journal: the first entry makes it one", quote(path)));
  }
  if (read_only) {
    return fail(ErrorKind::kStorage,
                fmt::format("{} has tables of version {} instead of {}, and may not be written: "
                            "open it once where it may be",
                            quote(path), *version, steps.size()));
  }
  Result<void> done;
  if (*version > 0) done = back_up(session, path, *version);
  if (!done) return done;
  done = session.run("BEGIN IMMEDIATE")
             .and_then([&] { return run_steps(session, path, steps); })
             .and_then([&] { return session.run("COMMIT"); });
  if (!done) static_cast<void>(session.run("ROLLBACK"));
  return done;
}

}  // namespace proofline
