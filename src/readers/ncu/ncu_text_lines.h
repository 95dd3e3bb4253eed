// SPDX-License-Identifier: Apache-2.0
//
// Single lines of what ncu prints: its kind and its fields. All functions take
// one line without its end and look at nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/profile/profile.h"

namespace proofline {

// `[525] program@127.0.0.1`
struct ProcessLine {
  std::uint32_t pid = 0;
  std::string_view name;
  std::string_view host;
};
std::optional<ProcessLine> parse_process_line(std::string_view line);

// `scale(float *) (40, 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 9.0`, of older versions
// `scale(float*), 2020-Oct-28 10:36:31, Context 1, Stream 7`, of summaries `..., Invocations 10`
// below a line `Device 0, CC 8.6`, which has no name.
struct KernelLine {
  std::string_view name;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::optional<std::uint32_t> context;
  std::optional<std::uint32_t> stream;
  std::optional<std::uint32_t> device;
  std::string_view compute_capability;
  std::optional<std::uint32_t> invocations;
};
std::optional<KernelLine> parse_kernel_line(std::string_view line);

// The name in "Section: NAME"; nullopt for other lines.
std::optional<std::string_view> parse_section_line(std::string_view line);

// The rule of a table: runs of dashes with a space between, one for each column.
struct TableRule {
  struct Column {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  static constexpr std::size_t kMaxColumns = 5;
  std::array<Column, kMaxColumns> columns;
  std::size_t count = 0;

  // Tables of metrics have name, unit and value; those of summaries minimum, maximum, average.
  bool may_hold_metrics() const { return count == 3 || count == kMaxColumns; }
  std::size_t width() const { return columns[count - 1].end; }
};
std::optional<TableRule> parse_table_rule(std::string_view line);

// "Metric Name  Metric Unit  Metric Value", or with Minimum, Maximum, Average.
bool is_table_title(std::string_view line);

struct TableCells {
  std::string_view name;
  std::string_view unit;
  std::array<std::string_view, 3> values;  // the value, or minimum, maximum and average
};
// Cuts the line at the columns, or at its words where it does not keep to them.
TableCells parse_table_row(std::string_view line, const TableRule& rule);

// `OPT   Est. Speedup: 12.5%`: the code and where the text begins.
struct RuleLine {
  std::string_view code;
  std::string_view text;
  std::size_t indent = 0;
};
std::optional<RuleLine> parse_rule_line(std::string_view line);

// "==PROF== ", "==WARNING== ", "==ERROR== "
bool is_progress_line(std::string_view line);

// Pasted into a comment or a mail, every line begins with "// " or "> ".
std::string_view without_margin(std::string_view line);

std::size_t indent_of(std::string_view line);

}  // namespace proofline
