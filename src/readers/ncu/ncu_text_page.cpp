// SPDX-License-Identifier: Apache-2.0
//
// A line is looked at in this order: progress of ncu, structure (process, kernel, section), table,
// rule text. A table ends with its closing rule; where that is missing, with the next element.
#include "readers/ncu/ncu_text_page.h"

#include <algorithm>

#include "base/text.h"

namespace proofline {
namespace {

constexpr std::string_view kLongLine = "line is longer than 16 MiB and was left out";
constexpr std::string_view kCutTable =
    "the text ends within a table; the rows after it are missing";
constexpr std::string_view kCutPage =
    "the text ends within what ncu prints of a kernel; what follows is missing";
constexpr std::string_view kCutTextRow = "the text ends within a row; the row was left out";
constexpr std::string_view kOpenTable = "table has no closing line; rows of it may be missing";
constexpr std::string_view kEmptyKernel = "kernel has no tables below it and was left out";

// Headings between the rooflines of a chart; the roofline's own label is the line above.
bool is_roofline_part(std::string_view text) {
  return text == "Peak Work" || text == "Peak Traffic" || text == "Achieved Work" ||
         text == "Achieved Traffic";
}

}  // namespace

void TextPage::read() {
  for (std::size_t at = byte_order_mark_size(text_); at < text_.size();) {
    const std::size_t end = text_.find('\n', at);
    line_ended_ = end != std::string_view::npos;
    const std::size_t next = line_ended_ ? end + 1 : text_.size();
    std::string_view line = text_.substr(at, (line_ended_ ? end : next) - at);
    ++line_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.size() > kMaxLineBytes) {
      sink_.note(NoteKind::kLoss, line_, kLongLine);
    } else if (read_line(without_margin(line))) {
      used_ += next - at;
    }
    at = next;
  }
  end_input();
}

bool TextPage::read_line(std::string_view line) {
  const std::size_t indent = indent_of(line);
  const std::string_view text = line.substr(indent);
  if (text.empty()) {
    if (!line_ended_) return false;
    open_text_ = false;
    const bool in_table = table_ != Table::kNone;
    end_block();
    return in_table;
  }
  // The rest of a long value; there are many of them where instances are printed.
  const bool continues = row_.open && indent > rule_.columns[0].end;
  if (continues) return read_row(line);
  if (is_progress_line(text)) return false;
  if (read_structure(text)) {
    open_text_ = false;
    cut_line_ = !line_ended_;
    return true;
  }
  if (const auto rule = text.front() == '-' ? parse_table_rule(line) : std::nullopt) {
    return read_table_rule(line, *rule);
  }
  if (table_ != Table::kNone) return read_table_line(line);
  if (is_table_title(text)) {
    end_block();
    table_ = Table::kTitle;
    return true;
  }
  return read_other(line);
}

bool TextPage::read_structure(std::string_view text) {
  if (const auto process = parse_process_line(text)) {
    end_block();
    drop_pending();
    begin_section({});
    sections_.clear();
    kernel_open_ = false;
    sink_.process(*process);
    return true;
  }
  if (const auto kernel = parse_kernel_line(text)) {
    end_block();
    begin_kernel(*kernel);
    return true;
  }
  if (const auto section = parse_section_line(text)) {
    end_block();
    begin_section(*section);
    return true;
  }
  return false;
}

void TextPage::begin_kernel(const KernelLine& line) {
  begin_section({});
  sections_.clear();
  if (line.name.empty()) {
    device_ = line;
    return;
  }
  drop_pending();
  pending_ = line;
  pending_line_ = line_;
  kernel_open_ = false;
  if (line.invocations) {
    if (!pending_->device) pending_->device = device_.device;
    if (line.compute_capability.empty()) pending_->compute_capability = device_.compute_capability;
  }
}

void TextPage::drop_pending() {
  if (pending_) sink_.note(NoteKind::kLoss, pending_line_, kEmptyKernel);
  pending_.reset();
}

// A section that a kernel has already is the next kernel's, whose line was not pasted.
void TextPage::begin_section(std::string_view name) {
  section_ = name;
  body_.clear();
  in_body_ = false;
  empty_section_ = !name.empty();
  if (name.empty()) return;
  if (!sections_.emplace(name).second) {
    sections_.clear();
    sections_.emplace(name);
    kernel_open_ = false;
  }
}

void TextPage::begin_values() {
  if (kernel_open_) return;
  kernel_open_ = true;
  sink_.kernel(pending_.value_or(KernelLine{}));
  pending_.reset();
}

bool TextPage::read_table_rule(std::string_view line, const TableRule& rule) {
  end_rule();
  empty_section_ = false;
  open_text_ = false;
  switch (table_) {
    case Table::kNone:
      if (rule.count == 2) {  // between two rule texts
        open_text_ = padded_width_ > 0;
        return false;
      }
      rule_ = rule;
      table_ = rule.may_hold_metrics() ? Table::kOpened : Table::kForeign;
      raw_ = false;
      return rule.may_hold_metrics();
    case Table::kTitle:
    case Table::kTitled:
      if (!rule.may_hold_metrics()) return read_table_line(line);
      rule_ = rule;
      raw_ = table_ == Table::kTitle;
      table_ = Table::kRows;
      return true;
    case Table::kOpened:
    case Table::kRows:
      end_row();
      table_ = Table::kNone;
      return true;
    case Table::kForeign: return false;
  }
  return false;
}

bool TextPage::read_table_line(std::string_view line) {
  if (table_ == Table::kForeign) return false;
  if (table_ == Table::kTitle) {
    table_ = Table::kNone;
    return read_other(line);
  }
  if (table_ == Table::kOpened && is_table_title(line)) {
    table_ = Table::kTitled;
    return true;
  }
  // Versions up to 2022.1 print no title; but then a first row with neither unit nor number, or in
  // five columns, is the title of another kind of table.
  if (table_ == Table::kOpened) {
    const TableCells cells = parse_table_row(line, rule_);
    const bool number = !std::holds_alternative<std::monostate>(parse_number(cells.values[0])) ||
                        !std::holds_alternative<std::monostate>(
                            parse_number(cells.values[0], 0, DecimalMark::kComma));
    if (rule_.count != 3 || (!number && !is_unit(cells.unit) && !cells.unit.empty())) {
      table_ = Table::kForeign;
      return false;
    }
  }
  table_ = Table::kRows;
  return read_row(line);
}

bool TextPage::read_row(std::string_view line) {
  const TableCells cells = parse_table_row(line, rule_);
  const std::size_t values = rule_.count - 2;
  const auto fills = [](std::string_view text, const TableRule::Column& column) {
    return text.size() >= column.end - column.begin;
  };
  const auto& value_column = rule_.columns[1 + values];
  // Values are flush right, so a whole row reaches the right edge.
  const bool cut = !line_ended_ && line.size() < rule_.width();
  if (row_.open && cells.name.empty() && cells.unit.empty()) {
    // A long value continues in the next line; one without spaces is broken anywhere.
    std::string& value = row_.values[values - 1];
    if (!row_.value_fills_column) value += ' ';
    value += cells.values[values - 1];
    row_.value_fills_column = fills(cells.values[values - 1], value_column);
    row_.cut = cut;
    return true;
  }
  if (row_.open && row_.name_fills_column && cells.unit.empty() && cells.values[0].empty()) {
    row_.name += cells.name;
    row_.name_fills_column = fills(cells.name, rule_.columns[0]);
    row_.cut = cut;
    return true;
  }
  end_row();
  if (cells.name.empty()) return false;
  row_.open = true;
  row_.cut = cut;
  row_.name = cells.name;
  row_.unit = cells.unit;
  for (std::size_t i = 0; i < values; ++i) row_.values[i] = cells.values[i];
  row_.name_fills_column = fills(cells.name, rule_.columns[0]);
  row_.value_fills_column = fills(cells.values[values - 1], value_column);
  return true;
}

void TextPage::end_row() {
  if (!row_.open) return;
  row_.open = false;
  if (row_.cut) {
    sink_.note(NoteKind::kLoss, line_, kCutTextRow);
    return;
  }
  begin_values();
  if (rule_.count == 3) {
    sink_.metric({section_, body_, row_.name, row_.unit, row_.values[0], {}, {}});
  } else {
    sink_.metric(
        {section_, body_, row_.name, row_.unit, row_.values[2], row_.values[0], row_.values[1]});
  }
}

void TextPage::see_rule_text(std::string_view line) {
  if (line.back() == ' ' && line_ended_) padded_width_ = line.size();
  empty_section_ = false;
  open_text_ = padded_width_ > 0;
  cut_line_ = false;
}

bool TextPage::read_other(std::string_view line) {
  cut_line_ = !line_ended_ && indent_of(line) > 0;
  if (section_.empty()) return false;
  if (const auto rule = parse_rule_line(line)) {
    see_rule_text(line);
    end_rule();
    advice_code_ = rule->code;
    advice_ = rule->text;
    advice_indent_ = rule->indent;
    return sink_.wants_rules();
  }
  if (!advice_code_.empty() && indent_of(line) > advice_indent_) {
    see_rule_text(line);
    if (!advice_.empty()) advice_ += ' ';
    advice_ += trim(line);
    return sink_.wants_rules();
  }
  end_rule();
  constexpr std::string_view kTableName = "Table Name : ";
  const std::string_view text = trim(line);
  if (text.substr(0, kTableName.size()) == kTableName) {
    in_body_ = true;
    body_ = text.substr(kTableName.size());
    return true;
  }
  const bool description = text.substr(0, 17) == "Table Description";
  if (!in_body_ || description || is_roofline_part(text)) return false;
  body_ = text;
  return true;
}

void TextPage::end_rule() {
  if (advice_code_.empty()) return;
  begin_values();
  if (sink_.wants_rules()) sink_.rule(section_, advice_code_, advice_);
  advice_code_.clear();
  advice_.clear();
}

void TextPage::end_block() {
  end_row();
  end_rule();
  if (table_ == Table::kRows && !raw_) sink_.note(NoteKind::kInfo, line_, kOpenTable);
  table_ = Table::kNone;
}

void TextPage::end_input() {
  // A raw page has no closing line, but an empty one after each table.
  const bool cut = table_ == Table::kRows || table_ == Table::kTitle || table_ == Table::kOpened ||
                   table_ == Table::kTitled || (table_ == Table::kForeign && !line_ended_);
  if (cut) {
    end_row();
    table_ = Table::kNone;
    sink_.note(NoteKind::kLoss, line_, kCutTable);
  } else if (cut_line_ || open_text_ || empty_section_) {
    sink_.note(NoteKind::kLoss, line_, kCutPage);
  }
  end_block();
  drop_pending();
}

}  // namespace proofline
