// SPDX-License-Identifier: Apache-2.0
//
// Reads tables through SQLite, for databases that sqlite_pages.h does not know: texts in UTF-16,
// or a write-ahead log next to the file. SQLite gets at both through a file system of ours
// that can only read, so nothing is written and no other file is touched.
#pragma once

#include <cstdint>
#include <memory>

#include "base/input.h"
#include "base/result.h"
#include "readers/sqlite/sqlite_database.h"

namespace proofline {

Result<std::unique_ptr<SqliteDatabase>> open_sqlite_library(Input& input, std::uint64_t size,
                                                            bool has_log);

}  // namespace proofline
