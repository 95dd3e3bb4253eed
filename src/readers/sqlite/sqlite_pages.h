// SPDX-License-Identifier: Apache-2.0
//
// Reads tables by walking the b-trees of a database file ourselves. Only leaves hold rows, so the
// pages above them are read first to learn which pages these are; then all leaves of all wanted
// tables are read in the order of the file, in pieces. No page
// is read twice in a scan, so time is linear in the size of the file even where pages form cycles.
//
// A table b-tree, as https://www.sqlite.org/fileformat2.html has it:
//
//   page       type (1 byte), first free block (2), cells (2), start of their content (2), free
//              bytes (1), above leaves the last child (4); then the offset of each cell (2 each);
//              page 1 has the file's header of 100 bytes before all that
//   inner cell child page (4), largest row number below it (varint)
//   leaf cell  size of the row (varint), its number (varint), the row or its beginning, and where
//              it goes on (4): pages that begin with the number of the next
//   row        size of this list (varint), type of each value (varints), values, big-endian
#pragma once

#include <cstdint>
#include <memory>

#include "base/input.h"
#include "base/result.h"
#include "readers/sqlite/sqlite_database.h"

namespace proofline {

struct SqliteHeader {
  std::uint32_t page_size = 0;
  std::uint32_t usable_size = 0;  // of a page, without what extensions keep at its end
  std::uint32_t pages = 0;        // as the header claims; 0: an old writer did not say
  bool can_be_walked = false;     // UTF-8, and no write-ahead log
};

// kInput where these are not the first bytes of a database.
Result<SqliteHeader> read_sqlite_header(Input& input);

Result<std::unique_ptr<SqliteDatabase>> open_sqlite_pages(Input& input, const SqliteHeader& header,
                                                          std::uint64_t size);

}  // namespace proofline
