// SPDX-License-Identifier: Apache-2.0
//
// The tables and bars of a document as comma-separated values, in the manner of ncu: every field in
// double quotes, titles first. Two tables are a blank line apart.
//
//   "ID","Kernel Name","gpu__time_duration.sum"
//   "","","ns"
//   "0","copy(float4 *, const float4 *)","12352"
//
//   "Share of peak","Share"
//   "dram","0.861"
//
// All else of a result, notes included, is not for the programs that read this.

#include <fmt/format.h>

#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"
#include "views/view.h"

namespace proofline {
namespace {

void write_field(const Cell& cell, Output& output) {
  if (!cell.number) {
    output.write(csv_text_field(cell.text));
    return;
  }
  output.put('"');
  output.write(cell.text);
  output.put('"');
}

void write_row(const std::vector<Cell>& row, Output& output) {
  std::string_view separator;
  for (const Cell& cell : row) {
    output.write(separator);
    write_field(cell, output);
    separator = ",";
  }
  output.put('\n');
}

void write_table(const Table& table, Output& output) {
  std::string_view separator;
  for (const TableColumn& column : table.columns) {
    output.write(separator);
    output.write(csv_text_field(column.title));
    separator = ",";
  }
  output.put('\n');
  for (const std::vector<Cell>& row : table.rows) write_row(row, output);
  if (!table.next_row) return;
  while (const auto row = table.next_row()) {
    // The reader is gone; the rest can be gigabytes.
    if (output.error() != 0) return;
    write_row(*row, output);
  }
}

Table as_table(const BarGroup& group) {
  Table table{{{group.title}, {"Share", Align::kRight}}, {}};
  for (const Bar& bar : group.bars) {
    table.rows.push_back({{bar.label}, {fmt::format("{:.6g}", bar.share), true}});
  }
  return table;
}

void render_csv(const Presentation& presentation, const ViewOptions& /*options*/, Output& output) {
  const Document document = presentation.rows ? presentation.rows() : presentation.document();
  bool first = true;
  const auto write = [&](const Table& table) {
    if (!first) output.put('\n');
    first = false;
    write_table(table, output);
  };
  for (const Block& block : document.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) write(*table);
    if (const auto* bars = std::get_if<Bars>(&block)) {
      for (const BarGroup& group : bars->groups) write(as_table(group));
    }
  }
}

}  // namespace

View csv() {
  return {"csv", "The tables as comma-separated values, like ncu's", Form::kRows, render_csv};
}

}  // namespace proofline
