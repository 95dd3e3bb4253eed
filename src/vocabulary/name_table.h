// SPDX-License-Identifier: Apache-2.0
//
// A table of metric names that is compiled in: sorted and front coded by scripts/front_coding.py,
// so that thousands of names take little room. Rows are "NNrest data": NN characters of the row
// above, then the rest of the name. The first line, "@ ...", says what the data mean.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace proofline {

struct NamedRow {
  std::string_view name;  // in NameTable::names
  std::string_view data;
};

struct NameTable {
  std::vector<std::string_view> legend;  // the words of the first line
  std::vector<NamedRow> rows;            // by name
  std::vector<std::unique_ptr<char[]>> names;

  // Null where there is none.
  const NamedRow* find(std::string_view name) const;
  // The rows whose name begins so.
  std::span<const NamedRow> with_prefix(std::string_view prefix) const;
};

// The text of the table, in order; it must outlive the result.
NameTable read_name_table(std::span<const std::string_view> chunks);

}  // namespace proofline
