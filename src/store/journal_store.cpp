// SPDX-License-Identifier: Apache-2.0
//
// Tells a path from a connection string. A file whose name looks like the latter is given as
// "./host=x".
#include "store/journal_store.h"

#include <string_view>

#include "store/postgres_store.h"
#include "store/sqlite_store.h"

namespace proofline {
namespace {

bool is_connection_string(std::string_view where) {
  if (where.starts_with("postgresql://") || where.starts_with("postgres://")) return true;
  const std::size_t keyword = where.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  return keyword != 0 && keyword != std::string_view::npos && where[keyword] == '=';
}

}  // namespace

Result<std::unique_ptr<JournalStore>> open_journal(const std::string& where,
                                                   const StoreOptions& options) {
  return is_connection_string(where) ? open_postgres_journal(where, options)
                                     : open_sqlite_journal(where, options);
}

Result<std::string> journal_server(const std::string& where) {
  if (!is_connection_string(where)) return std::string();
  return postgres_journal_name(where);
}

}  // namespace proofline
