// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of the line tables in cubins. Whatever the bytes are, reading them must neither
// crash nor hang, and what comes out must be safe to look things up in.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/code/line_table.h"
#include "promise.h"
#include "readers/code/cubin_lines.h"

namespace {

using namespace proofline;

constexpr std::size_t kMaxRows = 1U << 14U;

void check_row(const LineTable& table, std::size_t index) {
  const LineTable::Row& row = table.rows[index];
  require(row.file == LineTable::kNone || row.file < table.files.size(),
          "every row's file is there");
  require(row.call == LineTable::kNone || row.call < index, "calls lead to earlier rows");
}

void check(const LineTable& table) {
  require(table.rows.size() <= kMaxRows, "no more rows than allowed");
  require(table.rows.empty() != table.missing.empty(), "a table without rows says why");
  for (const LineTable::File& file : table.files) {
    require(file.folder == LineTable::kNone || file.folder < table.folders.size(),
            "every file's folder is there");
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) check_row(table, i);
  for (const LineTable::Function& function : table.functions) {
    for (const LineTable::Stretch& stretch : function.stretches) {
      require(stretch.count > 1 && stretch.first + std::size_t{stretch.count} <= table.rows.size(),
              "a function's rows are there");
      for (std::uint32_t i = stretch.first + 1; i < stretch.first + stretch.count; ++i) {
        require(table.rows[i - 1].offset <= table.rows[i].offset, "rows are in order");
      }
      const LineTable::Row* row = table.row(function, table.rows[stretch.first].offset);
      require(row == nullptr || row->line != 0, "a row that is found has a line");
    }
    require(table.function(function.name) != nullptr, "functions are found by name");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(read_cubin_lines({reinterpret_cast<const char*>(data), size}, kMaxRows).table);
  return 0;
}
