// SPDX-License-Identifier: Apache-2.0
#include "readers/sqlite/sqlite_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/characters.h"
#include "base/file_piece.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/sqlite/sqlite_library.h"
#include "readers/sqlite/sqlite_pages.h"

namespace proofline {
namespace {

// The first bytes of a journal or write-ahead log next to the database, which a writer keeps while
// it works or leaves when it is killed; "" where there is none.
std::string beside(const Input& input, const char* suffix, std::size_t bytes) {
  return input.name() == "-" ? "" : read_piece(input.name() + suffix, 0, bytes);
}

// Of a rollback journal that still has to be played back; one that was used up has zeros.
constexpr std::string_view kHotJournal = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

}  // namespace

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(Input& input) {
  ASSIGN_OR_RETURN(const std::uint64_t size, input.make_seekable());
  ASSIGN_OR_RETURN(const SqliteHeader header, read_sqlite_header(input));
  if (beside(input, "-journal", kHotJournal.size()) == kHotJournal) {
    return fail(ErrorKind::kInput,
                fmt::format("{} is still being written, or its writer was killed: {} lies beside "
                            "it; export it again",
                            quote(input.name()), quote(input.name() + "-journal")));
  }
  const bool has_log = !beside(input, "-wal", 1).empty();
  if (has_log || !header.can_be_walked) return open_sqlite_library(input, size, has_log);
  return open_sqlite_pages(input, header, size);
}

const SqliteTable* SqliteDatabase::find(std::string_view name) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const SqliteTable& table) {
    return equal_but_case(table.name, name);
  });
  return found == tables_.end() ? nullptr : &*found;
}

}  // namespace proofline
