// SPDX-License-Identifier: Apache-2.0
//
// The tables of a stranger's SQLite database, to be read from front to back and by nothing else:
// no query, view, trigger, index or function of the file is ever run. Usually the pages are walked
// by ourselves (sqlite_pages.h), which takes a fifth of the library's time for tables of millions
// of rows and survives damage; where that cannot be done, SQLite reads them (sqlite_library.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/note.h"
#include "readers/sqlite/sqlite_schema.h"

namespace proofline {

inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

// Small, since millions of rows are made of them. A text lives as long as its row.
class SqliteValue {
 public:
  SqliteValue() = default;
  static SqliteValue integer(std::int64_t value) {
    SqliteValue made(Kind::kInteger);
    made.integer_ = value;
    return made;
  }
  static SqliteValue text(std::string_view value) {
    SqliteValue made(Kind::kText);
    made.size_ = static_cast<std::uint32_t>(value.size());
    made.text_ = value.data();
    return made;
  }
  // A floating-point number or a blob, which no table that we read has.
  static SqliteValue other() { return SqliteValue(Kind::kOther); }

  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_integer() const { return kind_ == Kind::kInteger; }
  bool is_text() const { return kind_ == Kind::kText; }
  std::int64_t as_integer() const { return is_integer() ? integer_ : 0; }
  std::string_view as_text() const {
    return is_text() ? std::string_view(text_, size_) : std::string_view();
  }

 private:
  enum class Kind : std::uint8_t { kNull, kInteger, kText, kOther };
  explicit SqliteValue(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::kNull;
  std::uint32_t size_ = 0;
  union {
    std::int64_t integer_ = 0;
    const char* text_;
  };
};

using SqliteRow = std::span<const SqliteValue>;  // holds until the call returns

// What is wanted of one table.
struct SqliteScan {
  const SqliteTable* table = nullptr;
  // By position; without a value, a column that the table does not have, which reads as null.
  std::vector<std::optional<std::size_t>> columns;
  std::function<void(SqliteRow)> row;  // for each row, in no certain order
  // Before the first row: about how many will come. May be empty.
  std::function<void(std::uint64_t)> expect;
};

using SqliteScans = std::vector<SqliteScan>;

class SqliteDatabase {
 public:
  // Makes the input seekable. kInput where it is no database that can be read at all.
  static Result<std::unique_ptr<SqliteDatabase>> open(Input& input);

  virtual ~SqliteDatabase() = default;

  const std::vector<SqliteTable>& tables() const { return tables_; }
  // Null where there is none of this name; case counts for nothing, as in SQL.
  const SqliteTable* find(std::string_view name) const;

  // Reads the tables of each group in one pass over the file. Groups are read side by side where
  // that is possible, so what their rows are added to has to be apart. Damaged pages
  // are skipped and reported by notes().
  virtual Result<void> scan(std::span<const SqliteScans> groups) = 0;
  Result<void> scan_group(const SqliteScans& group) {
    return scan(std::span<const SqliteScans>(&group, 1));
  }
  // What was lost so far.
  virtual std::vector<Note> notes() const = 0;

 protected:
  std::vector<SqliteTable> tables_;
};

}  // namespace proofline
