// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_schema.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "store/entries/entry_identity.h"

namespace proofline {
namespace {

constexpr int kVersion = 1;

// Reads the catalogue itself: to_regclass() may answer from a cache that does not know yet what
// another client has just made.
Result<bool> exists(SqlSession& session, const std::string& what) {
  ASSIGN_OR_RETURN(const auto found,
                   session.query(fmt::format(
                       "SELECT CASE WHEN EXISTS (SELECT 1 FROM {}) THEN 'yes' END", what)));
  return found.front().front() == "yes";
}

// 0 where there are no tables.
Result<int> read_version(SqlSession& session) {
  const Result<bool> made =
      exists(session, "pg_tables WHERE schemaname = 'proofline' AND tablename = 'schema_version'");
  RETURN_IF_ERROR(made);
  if (!*made) return 0;
  ASSIGN_OR_RETURN(const auto rows,
                   session.query("SELECT CAST(max(version) AS TEXT) FROM schema_version"));
  const std::string& text = rows.front().front();
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

// Names and hashes compare by bytes in any collation. A body is BYTEA: it may hold bytes that TEXT
// does not allow.
std::vector<std::pair<std::string, std::vector<SqlParameter>>> table_statements() {
  return {
      {"CREATE TABLE schema_version (version integer NOT NULL)", {}},
      {"CREATE TABLE chains (chain text COLLATE \"C\" PRIMARY KEY, own boolean NOT NULL,"
       " sequence bigint NOT NULL, hash text NOT NULL)",
       {}},
      {"CREATE UNIQUE INDEX one_own_chain ON chains (own) WHERE own", {}},
      {"CREATE TABLE entries (chain text COLLATE \"C\" NOT NULL, sequence bigint NOT NULL,"
       " id text COLLATE \"C\" NOT NULL UNIQUE, attempt text COLLATE \"C\" NOT NULL,"
       " kind text COLLATE \"C\" NOT NULL, written text NOT NULL, body bytea NOT NULL,"
       " previous text NOT NULL, hash text NOT NULL, PRIMARY KEY (chain, sequence))",
       {}},
      {"CREATE INDEX entries_of_attempt ON entries (attempt)", {}},
      {"INSERT INTO chains VALUES ($1, TRUE, 0, $2)", {{new_entry_id()}, {std::string(kNoHash)}}},
      {"INSERT INTO schema_version VALUES (CAST($1 AS integer))", {{std::to_string(kVersion)}}},
  };
}

Result<void> create_tables(SqlSession& session) {
  // Where an administrator made the schema for us, we may not be allowed to.
  ASSIGN_OR_RETURN(const bool has_schema,
                   exists(session, "pg_namespace WHERE nspname = 'proofline'"));
  if (!has_schema) {
    RETURN_IF_ERROR(session.query("CREATE SCHEMA proofline"));
  }
  for (const auto& [sql, parameters] : table_statements()) {
    RETURN_IF_ERROR(session.query(sql, parameters));
  }
  return {};
}

// One client makes them; the others wait for it and then find them made.
Result<void> create_once(SqlSession& session) {
  RETURN_IF_ERROR(session.query("SELECT pg_advisory_xact_lock(hashtext('proofline schema'))"));
  ASSIGN_OR_RETURN(const int version, read_version(session));
  return version == 0 ? create_tables(session) : Result<void>();
}

Result<void> create_in_transaction(SqlSession& session) {
  RETURN_IF_ERROR(session.query("BEGIN"));
  Result<void> made = create_once(session);
  const auto ended = session.query(made ? "COMMIT" : "ROLLBACK");
  if (made && !ended) return tl::make_unexpected(ended.error());
  return made;
}

}  // namespace

Result<void> prepare_postgres_schema(SqlSession& session, const std::string& where, bool create) {
  const Result<int> version = read_version(session);
  RETURN_IF_ERROR(version);
  if (*version > kVersion) {
    return fail(ErrorKind::kStorage,
                fmt::format("the journal in {} was written by a newer version of proofline (its "
                            "tables have version {}, this program knows {}): use that one",
                            where, *version, kVersion));
  }
  if (*version > 0) return {};
  if (create) return create_in_transaction(session);
  return fail(ErrorKind::kStorage, where + " holds no journal: the first entry makes its tables");
}

}  // namespace proofline
