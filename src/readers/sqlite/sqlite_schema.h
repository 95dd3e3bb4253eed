// SPDX-License-Identifier: Apache-2.0
//
// What a database says of its tables: rows of sqlite_schema, whose SQL is looked at for the names
// of columns and never run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

struct SqliteTable {
  std::string name;
  std::vector<std::string> columns;
  // The column that is a row's number ("INTEGER PRIMARY KEY") and not kept in the row itself.
  std::optional<std::size_t> row_number;
  std::uint32_t root_page = 0;
  // Why it is nothing that can be read as a plain table: "is a view"; "" where it can.
  std::string_view refusal;

  std::optional<std::size_t> find_column(std::string_view column) const;
};

// A row of sqlite_schema. Nothing of indexes and triggers.
std::optional<SqliteTable> parse_sqlite_schema(std::string_view type, std::string_view name,
                                               std::int64_t root_page, std::string_view sql);

}  // namespace proofline
