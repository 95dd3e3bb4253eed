// SPDX-License-Identifier: Apache-2.0
//
// A quoted field may hold line ends, so a lost quote could swallow the rest of the file. Within
// quotes a quote is doubled, which means that a line that starts with "12","345" cannot be inside a
// field: there the damaged row ends and the next begins.
#include "readers/ncu/csv_rows.h"

#include <algorithm>

#include "base/characters.h"
#include "readers/ncu/ncu_printed.h"

namespace proofline {
namespace {

// A full-set report has 2300 columns.
constexpr std::size_t kMaxFields = 1U << 18U;

std::string_view without_mark(std::string_view line) {
  return line.substr(byte_order_mark_size(line));
}

bool is_summary_header(std::string_view line) {
  return line.starts_with("\"Process ID\",") || line.starts_with("Process ID,");
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

bool is_csv_header(std::string_view line) {
  line = without_mark(line);
  if (line.starts_with("\"ID\",\"Process ID\"") || line.starts_with("ID,Process ID,")) {
    return line.find("Kernel Name") != std::string_view::npos;
  }
  return is_summary_header(line) && line.find("Kernel Name") != std::string_view::npos &&
         line.find("Metric Name") != std::string_view::npos &&
         line.find("Average") != std::string_view::npos;
}

bool has_csv_header(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (is_csv_header(text.substr(start, end - start))) return true;
    start = end + 1;
  }
  return false;
}

CsvRows::CsvRows(std::string_view text) : text_(text) {}

std::string_view CsvRows::line_at(std::size_t start) const {
  const std::size_t end = text_.find('\n', start);
  return text_.substr(start, end == std::string_view::npos ? end : end - start);
}

bool CsvRows::next() {
  line_ += count_lines(text_.substr(row_.begin, row_.end - row_.begin));
  if (here_ >= text_.size()) return false;
  row_.fields.clear();
  unescaped_.clear();
  row_.begin = here_;
  row_.line = line_;
  const char first = text_[here_];
  const bool may_be_header = first == '"' || first == 'I' || first == 'P' || first == '\xef';
  const std::string_view line = may_be_header ? line_at(here_) : std::string_view{};
  if (may_be_header && is_csv_header(line)) {
    const std::string_view header = without_mark(line);
    in_table_ = true;
    quoted_ = header.front() == '"';
    two_ids_ = !is_summary_header(header);
    here_ += line.size() - header.size();
    row_.kind = CsvRowKind::kHeader;
    parse_fields();
  } else if (in_table_ && row_start(here_) != Match::kNo) {
    row_.kind = CsvRowKind::kRow;
    parse_fields();
  } else {
    skip_other_line();
  }
  row_.end = here_;
  return true;
}

void CsvRows::skip_other_line() {
  row_.kind = CsvRowKind::kOther;
  const std::size_t end = text_.find('\n', here_);
  here_ = end == std::string_view::npos ? text_.size() : end + 1;
}

// A whole number, or nothing as in the row of units.
CsvRows::Match CsvRows::match_id(std::size_t& at) const {
  const auto take = [&](char c) {
    if (at >= text_.size()) return Match::kCut;
    if (text_[at] != c) return Match::kNo;
    ++at;
    return Match::kYes;
  };
  if (quoted_) {
    if (const Match open = take('"'); open != Match::kYes) return open;
  }
  while (at < text_.size() && is_digit(text_[at])) ++at;
  if (quoted_) {
    if (const Match close = take('"'); close != Match::kYes) return close;
  }
  return take(',');
}

CsvRows::Match CsvRows::row_start(std::size_t at) const {
  const Match first = match_id(at);
  return first == Match::kYes && two_ids_ ? match_id(at) : first;
}

// Stricter than row_start: here a wrong yes would tear a whole row apart.
bool CsvRows::begins_row(std::size_t at) const {
  const std::size_t digit = at + (quoted_ ? 1 : 0);
  return digit < text_.size() && is_digit(text_[digit]) && row_start(at) == Match::kYes;
}

void CsvRows::parse_fields() {
  const std::size_t limit = row_.begin + kMaxLineBytes;
  for (;;) {
    const bool whole = here_ < text_.size() && text_[here_] == '"' ? parse_quoted_field()
                                                                   : (parse_plain_field(), true);
    if (here_ > limit || row_.fields.size() > kMaxFields) {
      row_.kind = CsvRowKind::kTooLong;
      row_.fields.clear();
      const std::size_t end = text_.find('\n', here_ - 1);
      here_ = end == std::string_view::npos ? text_.size() : end + 1;
      return;
    }
    if (!whole) {
      if (row_.kind == CsvRowKind::kRow) row_.kind = CsvRowKind::kCut;
      return;
    }
    if (here_ >= text_.size()) {
      // Fields of this table are quoted, so nothing after the last comma is no field.
      if (quoted_ && text_.back() == ',') row_.fields.pop_back();
      return;
    }
    const char end = text_[here_++];
    if (end == '\n') return;
  }
}

void CsvRows::parse_plain_field() {
  const std::size_t end = std::min(text_.find_first_of(",\n", here_), text_.size());
  std::string_view field = text_.substr(here_, end - here_);
  if (!field.empty() && field.back() == '\r') field.remove_suffix(1);
  row_.fields.push_back(field);
  here_ = end;
}

// False if the field is never closed; reading then continues at here_.
bool CsvRows::parse_quoted_field() {
  const std::size_t start = here_ + 1;
  std::string* unescaped = nullptr;
  for (std::size_t from = start;;) {
    const std::size_t quote = std::min(text_.find('"', from), text_.size());
    for (std::size_t line = text_.substr(0, quote).find('\n', from); line != std::string_view::npos;
         line = text_.substr(0, quote).find('\n', line + 1)) {
      if (!begins_row(line + 1)) continue;
      here_ = line + 1;
      return false;
    }
    if (quote == text_.size()) {
      here_ = quote;
      return false;
    }
    const bool doubled = quote + 1 < text_.size() && text_[quote + 1] == '"';
    if (doubled || unescaped != nullptr) {
      if (unescaped == nullptr) unescaped = &unescaped_.emplace_back();
      unescaped->append(text_.substr(from, quote - from + (doubled ? 1 : 0)));
    }
    if (!doubled) {
      row_.fields.push_back(unescaped != nullptr ? std::string_view(*unescaped)
                                                 : text_.substr(start, quote - start));
      here_ = std::min(text_.find_first_of(",\n", quote + 1), text_.size());
      return true;
    }
    from = quote + 2;
  }
}

}  // namespace proofline
