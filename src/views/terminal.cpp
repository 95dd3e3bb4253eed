// SPDX-License-Identifier: Apache-2.0
//
// For people at a terminal, and for the files they redirect it to: plain ASCII layout, columns
// aligned by what characters really occupy. On a terminal, text wraps at its width and the elastic
// columns of a table are shortened to fit; elsewhere nothing is shortened.
//
//   Kernels
//
//   ID  Kernel                              Grid  Duration  DRAM %
//   --  ----------------------------------  ----  --------  ------
//    0  void copy<float4...const float4 *)  4096  12.35 us    86.1
//    1  void gemm<1...__half, 3>)#712632ed  132    1.20 ms    12.0
//    2  void gemm<1...__half, 3>)#3339c926  132    1.31 ms    11.4
//
//   Device  NVIDIA H200
//   Driver  575.57.08
//
//   note: the clocks were not locked
//   loss: 2 of 29 launches could not be read
//
// "#712632ed" is the hash of a name that would otherwise look like another one. A note says what to
// know about the result, a loss what is missing from it.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "views/view.h"

namespace proofline {
namespace {

// Longer lines of prose are hard to read, however wide the terminal is.
constexpr std::size_t kMaxProseWidth = 100;
// An elastic column keeps this much: an ellipsis and a hash that tells names apart.
constexpr std::size_t kMinElasticWidth = 18;
// A longer cell sticks out instead of padding every other row: one hostile name of 10 MB must not
// make each row that long.
constexpr std::size_t kMaxPadding = 200;
constexpr std::string_view kColumnGap = "  ";

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kReset = "\x1b[0m";

void write_line(std::string_view line, Output& output) {
  output.write(line.substr(0, line.find_last_not_of(' ') + 1));
  output.put('\n');
}

void append_padded(std::string& line, std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::size_t padding = width > used ? width - used : 0;
  if (align == Align::kRight) line.append(padding, ' ');
  line += text;
  if (align == Align::kLeft) line.append(padding, ' ');
}

// A table's cells, escaped; the titles are row 0.
using Grid = std::vector<std::vector<std::string>>;

Grid escaped_cells(const Table& table) {
  Grid grid(1);
  for (const TableColumn& column : table.columns) grid[0].push_back(escape_terminal(column.title));
  for (const std::vector<Cell>& row : table.rows) {
    CHECK(row.size() == table.columns.size(), "every row has a cell for each column");
    grid.emplace_back();
    for (const Cell& cell : row) grid.back().push_back(escape_terminal(cell.text));
  }
  return grid;
}

// Takes from the widest elastic columns until the table fits or none can give more.
void shrink(std::vector<std::size_t>& widths, const std::vector<TableColumn>& columns,
            std::size_t available) {
  std::size_t total = kColumnGap.size() * (widths.size() - 1);
  for (std::size_t c = 0; c < widths.size(); ++c) {
    // None needs more than the whole terminal, so that few steps are left for the loop below.
    if (columns[c].elastic) widths[c] = std::min(widths[c], std::max(available, kMinElasticWidth));
    total += widths[c];
  }
  while (total > available) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const bool can_give = columns[c].elastic && widths[c] > kMinElasticWidth;
      if (can_give && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    }
    if (widest == nullptr) return;
    --*widest;
    --total;
  }
}

// Shortens the cells of one column. Different texts that would look the same get their hash.
void elide_column(Grid& grid, std::size_t column, std::size_t width) {
  std::unordered_map<std::string, std::set<std::string>> hashes;  // of all that look like the key
  for (const std::vector<std::string>& row : grid)
    hashes[elide_middle(row[column], width)].insert(short_hash(row[column]));
  for (std::vector<std::string>& row : grid) {
    std::string elided = elide_middle(row[column], width);
    if (elided == row[column]) continue;
    if (hashes[elided].size() > 1) {
      const std::string mark = "#" + short_hash(row[column]);
      elided = elide_middle(row[column], width - mark.size()) + mark;
    }
    row[column] = std::move(elided);
  }
}

class TerminalWriter {
 public:
  TerminalWriter(const ViewOptions& options, Output& output) : options_(options), output_(output) {}

  void operator()(const Heading& heading) {
    write_line(styled(kBold, escape_terminal(heading.text)), output_);
  }

  void operator()(const Paragraph& paragraph) { write_prose("", paragraph.text, {}); }

  void operator()(const Callout& callout) {
    write_prose(callout.loss ? "loss: " : "note: ", callout.text, kYellow);
  }

  void operator()(const Properties& properties) {
    std::vector<std::string> names;
    std::size_t width = 0;
    for (const auto& [name, value] : properties.rows) {
      names.push_back(escape_terminal(name));
      width = std::max(width, std::min(display_width(names.back()), kMaxPadding));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string line;
      append_padded(line, names[i], width, Align::kLeft);
      line.append(kColumnGap).append(escape_terminal(properties.rows[i].second));
      write_line(line, output_);
    }
  }

  void operator()(const Table& table) {
    if (table.columns.empty()) return;
    Grid grid = escaped_cells(table);
    const std::vector<std::size_t> widths = fit(grid, table.columns);
    write_row(grid[0], widths, table.columns);
    std::vector<std::string> rule(widths.size());
    for (std::size_t c = 0; c < rule.size(); ++c) rule[c].assign(widths[c], '-');
    write_row(rule, widths, table.columns);
    for (std::size_t r = 1; r < grid.size(); ++r) write_row(grid[r], widths, table.columns);
  }

 private:
  std::string styled(std::string_view style, std::string text) const {
    if (!options_.colour || style.empty()) return text;
    return std::string(style).append(text).append(kReset);
  }

  // The label, then the text; where that wraps it stays right of the label.
  void write_prose(std::string_view label, std::string_view raw, std::string_view style) {
    const std::string text = escape_terminal(raw);
    const std::size_t limit = options_.width == 0 ? display_width(text) + label.size()
                                                  : std::min(options_.width, kMaxProseWidth);
    std::string line = styled(style, std::string(label));
    std::size_t used = label.size();
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find(' ', start), text.size());
      const std::string_view word = std::string_view(text).substr(start, end - start);
      const std::size_t width = display_width(word);
      if (used + width > limit && used > label.size()) {
        write_line(line, output_);
        line.assign(label.size(), ' ');
        used = label.size();
      }
      line.append(word) += ' ';
      used += width + 1;
      start = end + 1;
    }
    write_line(line, output_);
  }

  // The width of each column, with the cells of elastic ones shortened to theirs.
  std::vector<std::size_t> fit(Grid& grid, const std::vector<TableColumn>& columns) const {
    std::vector<std::size_t> natural(columns.size());
    for (const std::vector<std::string>& row : grid) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        natural[c] = std::max(natural[c], display_width(row[c]));
    }
    std::vector<std::size_t> widths = natural;
    if (options_.width != 0) {
      shrink(widths, columns, options_.width);
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (widths[c] < natural[c]) elide_column(grid, c, widths[c]);
    }
    for (std::size_t& width : widths) width = std::min(width, kMaxPadding);
    return widths;
  }

  void write_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                 const std::vector<TableColumn>& columns) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c != 0) line += kColumnGap;
      append_padded(line, cells[c], widths[c], columns[c].align);
    }
    write_line(line, output_);
  }

  const ViewOptions& options_;
  Output& output_;
};

// Blocks are a blank line apart, except that notes stand together.
bool stand_together(const Block& above, const Block& below) {
  return std::holds_alternative<Callout>(above) && std::holds_alternative<Callout>(below);
}

void render(const Presentation& presentation, const ViewOptions& options, Output& output) {
  const Document document = presentation.document();
  TerminalWriter writer(options, output);
  const Block* above = nullptr;
  for (const Block& block : document.blocks) {
    if (above != nullptr && !stand_together(*above, block)) output.put('\n');
    std::visit(writer, block);
    above = &block;
  }
}

}  // namespace

View terminal() { return {"terminal", "For people: aligned tables, colour on a terminal", render}; }

}  // namespace proofline
