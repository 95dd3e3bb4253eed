// SPDX-License-Identifier: Apache-2.0
//
// The rows of ncu's CSV tables in a text that may hold anything else too: the profiled program's
// output before, between and after them, other tables, or a row that is cut off. Each byte belongs
// to exactly one row or one piece of other text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

enum class CsvRowKind {
  kHeader,
  kRow,
  kCut,      // a row that ends within a field; the fields before that one are whole
  kTooLong,  // more than kMaxLineBytes; no fields
  kOther,    // a line that belongs to no table
};

struct CsvRow {
  CsvRowKind kind = CsvRowKind::kOther;
  std::size_t begin = 0;
  std::size_t end = 0;  // after the line's end
  std::uint64_t line = 1;
  std::vector<std::string_view> fields;  // valid until the next row
};

class CsvRows {
 public:
  explicit CsvRows(std::string_view text);

  bool next();  // false at the end
  const CsvRow& row() const { return row_; }

 private:
  enum class Match { kNo, kYes, kCut };

  void parse_fields();
  bool parse_quoted_field();
  void parse_plain_field();
  void skip_other_line();
  std::string_view line_at(std::size_t start) const;
  Match row_start(std::size_t at) const;
  Match match_id(std::size_t& at) const;
  bool begins_row(std::size_t at) const;

  std::string_view text_;
  std::size_t here_ = 0;
  std::uint64_t line_ = 1;
  bool in_table_ = false;
  bool quoted_ = true;   // how the table writes its fields
  bool two_ids_ = true;  // rows begin with launch and process; those of a summary with the process
  CsvRow row_;
  std::deque<std::string> unescaped_;
};

// Whether the line is the header of one of ncu's tables.
bool is_csv_header(std::string_view line);

}  // namespace proofline
