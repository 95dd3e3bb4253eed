// SPDX-License-Identifier: Apache-2.0
//
// The tables of a document as comma-separated values, in the manner of ncu: every field in double
// quotes, titles first. Two tables are a blank line apart.
//
//   "ID","Kernel Name","gpu__time_duration.sum"
//   "","","ns"
//   "0","copy(float4 *, const float4 *)","12352"
//
// All else of the document, notes included, is not for the programs that read this.

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

void write_table(const Table& table, Output& output) {
  std::string_view separator;
  for (const TableColumn& column : table.columns) {
    output.write(separator);
    output.write(csv_text_field(column.title));
    separator = ",";
  }
  output.put('\n');
  for (const std::vector<Cell>& row : table.rows) {
    separator = "";
    for (const Cell& cell : row) {
      output.write(separator);
      write_field(cell, output);
      separator = ",";
    }
    output.put('\n');
  }
}

void render(const Presentation& presentation, const ViewOptions& /*options*/, Output& output) {
  const Document document = presentation.document();
  bool first = true;
  for (const Block& block : document.blocks) {
    const auto* table = std::get_if<Table>(&block);
    if (table == nullptr) continue;
    if (!first) output.put('\n');
    first = false;
    write_table(*table, output);
  }
}

}  // namespace

View csv() { return {"csv", "The tables as comma-separated values, like ncu's", render}; }

}  // namespace proofline
