// SPDX-License-Identifier: Apache-2.0
//
// Hand-written matching: kernel names are a stranger's text, so each function takes time linear in
// its line and gives up on what it does not understand.
#include "readers/ncu/ncu_text_lines.h"

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"
#include "base/units.h"
#include "readers/ncu/ncu_printed.h"

namespace proofline {
namespace {

// "2020-Oct-28 10:36:31"
bool is_date(std::string_view text) {
  return text.size() == 20 && is_digit(text[0]) && text[4] == '-' && text[8] == '-' &&
         text[11] == ' ' && text[14] == ':' && text[17] == ':';
}

// One of the items after a kernel's name; false if it is none.
bool take_item(std::string_view item, KernelLine& line) {
  const std::size_t space = item.find(' ');
  const std::string_view word = item.substr(0, space);
  const std::string_view rest = space == std::string_view::npos ? "" : item.substr(space + 1);
  const auto number = parse_u32(rest);
  if (word == "CC" && rest.find('.') != std::string_view::npos) {
    line.compute_capability = rest;
    return true;
  }
  if (!number) return is_date(item);
  if (word == "Context") {
    line.context = number;
  } else if (word == "Stream") {
    line.stream = number;
  } else if (word == "Device") {
    line.device = number;
  } else if (word == "Invocations") {
    line.invocations = number;
  } else {
    return false;
  }
  return true;
}

// "... (40, 1, 1)x(128, 1, 1)" at the end of the name.
void take_dimensions(KernelLine& line) {
  const std::string_view text = line.name;
  const std::size_t middle = text.rfind(")x(");
  if (middle == std::string_view::npos) return;
  const std::size_t open = text.rfind('(', middle);
  if (open == std::string_view::npos) return;
  const auto grid = parse_dim3(text.substr(open, middle + 1 - open));
  const auto block = parse_dim3(text.substr(middle + 2));
  if (!grid || !block) return;
  line.grid = grid;
  line.block = block;
  line.name = trim(text.substr(0, open));
}

bool keeps_to_columns(std::string_view line, const TableRule& rule) {
  if (indent_of(line) < rule.columns[0].begin) return false;
  for (std::size_t i = 0; i < rule.count; ++i) {
    const std::size_t gap = rule.columns[i].end;
    if (gap < line.size() && line[gap] != ' ' && line[gap] != '\t') return false;
  }
  return true;
}

std::string_view cell(std::string_view line, const TableRule::Column& column) {
  if (column.begin >= line.size()) return {};
  return trim(line.substr(column.begin, column.end - column.begin));
}

std::string_view take_last_word(std::string_view& line) {
  const std::size_t space = line.find_last_of(" \t");
  const std::string_view word = space == std::string_view::npos ? line : line.substr(space + 1);
  line = trim(line.substr(0, line.size() - word.size()));
  return word;
}

}  // namespace

std::size_t indent_of(std::string_view line) {
  std::size_t indent = 0;
  while (indent < line.size() && (line[indent] == ' ' || line[indent] == '\t')) ++indent;
  return indent;
}

std::string_view without_margin(std::string_view line) {
  if (line.starts_with("//")) {
    line.remove_prefix(2);
    if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  } else if (line.starts_with("> ")) {
    line.remove_prefix(2);
  }
  return line;
}

bool is_progress_line(std::string_view line) {
  line = trim(line);
  return line.starts_with("==PROF== ") || line.starts_with("==WARNING== ") ||
         line.starts_with("==ERROR== ");
}

std::optional<ProcessLine> parse_process_line(std::string_view line) {
  line = trim(line);
  if (line.empty() || line.front() != '[') return std::nullopt;
  const std::size_t close = line.find("] ");
  if (close == std::string_view::npos) return std::nullopt;
  const auto pid = parse_u32(line.substr(1, close - 1));
  const std::string_view rest = line.substr(close + 2);
  const std::size_t at = rest.rfind('@');
  if (!pid || at == std::string_view::npos) return std::nullopt;
  return ProcessLine{*pid, rest.substr(0, at), rest.substr(at + 1)};
}

std::optional<KernelLine> parse_kernel_line(std::string_view line) {
  KernelLine kernel;
  std::string_view rest = trim(line);
  while (!rest.empty()) {
    const std::size_t comma = rest.rfind(", ");
    const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 2;
    if (!take_item(rest.substr(begin), kernel)) break;
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(0, comma);
  }
  kernel.name = rest;
  if (!rest.empty() && rest.back() == ')') take_dimensions(kernel);
  const bool found = kernel.context || kernel.invocations || kernel.grid ||
                     (kernel.device && !kernel.compute_capability.empty());
  return found ? std::optional(kernel) : std::nullopt;
}

std::optional<std::string_view> parse_section_line(std::string_view line) {
  constexpr std::string_view kStart = "Section: ";
  line = trim(line);
  if (!line.starts_with(kStart)) return std::nullopt;
  return trim(line.substr(kStart.size()));
}

std::optional<TableRule> parse_table_rule(std::string_view line) {
  TableRule rule;
  std::size_t at = indent_of(line);
  if (at == line.size() || line[at] != '-') return std::nullopt;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find_first_not_of('-', at), line.size());
    // Shorter runs are an underlined word or a list.
    if (end - at < 3) return std::nullopt;
    if (rule.count < TableRule::kMaxColumns) rule.columns[rule.count] = {at, end};
    ++rule.count;
    at = std::min(line.find_first_not_of(" \t\r", end), line.size());
    if (at < line.size() && (at == end || line[at] != '-')) return std::nullopt;
  }
  // More columns than any table of metrics has; which ones does not matter.
  if (rule.count > TableRule::kMaxColumns) rule.count = 1;
  return rule;
}

bool is_table_title(std::string_view line) {
  return trim(line).starts_with("Metric Name") &&
         line.find("Metric Unit") != std::string_view::npos;
}

TableCells parse_table_row(std::string_view line, const TableRule& rule) {
  TableCells cells;
  const std::size_t values = rule.count - 2;
  if (keeps_to_columns(line, rule)) {
    cells.name = cell(line, rule.columns[0]);
    cells.unit = cell(line, rule.columns[1]);
    for (std::size_t i = 0; i < values; ++i) cells.values[i] = cell(line, rule.columns[2 + i]);
    return cells;
  }
  std::string_view rest = trim(line.substr(0, line.find(" <-")));
  for (std::size_t i = values; i-- > 0;) cells.values[i] = take_last_word(rest);
  std::string_view name = rest;
  const std::string_view unit = take_last_word(name);
  if (is_unit(unit) && !name.empty()) {
    cells.unit = unit;
    rest = name;
  }
  cells.name = rest;
  return cells;
}

std::optional<RuleLine> parse_rule_line(std::string_view line) {
  const std::size_t indent = indent_of(line);
  const std::string_view text = line.substr(indent);
  const std::size_t end = text.find("  ");
  if (end == std::string_view::npos || end > 3) return std::nullopt;
  const std::string_view code = text.substr(0, end);
  if (!rule_kind(code)) return std::nullopt;
  return RuleLine{code, trim(text.substr(end)), indent};
}

}  // namespace proofline
