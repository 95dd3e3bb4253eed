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
//   1. uncoalesced-global  high, gain 40 to 60 %
//      A quarter of each sector is used.
//      next: let consecutive threads read consecutive addresses
//
//   Share of peak (| = threshold)  Warps wait for
//   dram  ##########|##..  86.1 %  long_scoreboard  #########......  63 %
//   l2    ######.........    42 %  barrier          ##.............  12 %
//
//   note: the clocks were not locked
//   loss: 2 of 29 launches could not be read
//
// "#712632ed" is the hash of a name that would otherwise look like another one. A note says what to
// know about the result, a loss what is missing from it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
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
// Shorter bars say little, longer ones nothing more.
constexpr std::size_t kMinBarWidth = 10;
constexpr std::size_t kMaxBarWidth = 24;

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

std::vector<std::size_t> natural_widths(const Grid& grid) {
  std::vector<std::size_t> widths(grid[0].size());
  for (const std::vector<std::string>& row : grid) {
    for (std::size_t c = 0; c < widths.size(); ++c)
      widths[c] = std::max(widths[c], display_width(row[c]));
  }
  return widths;
}

// Leaves out what is dispensable, from the right, until the rest can be made to fit.
void drop_columns(Grid& grid, std::vector<TableColumn>& columns, std::size_t available) {
  std::vector<std::size_t> least = natural_widths(grid);
  std::size_t total = kColumnGap.size() * (columns.size() - 1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].elastic) least[c] = std::min(least[c], kMinElasticWidth);
    total += least[c];
  }
  for (std::size_t c = columns.size(); c-- > 0 && total > available;) {
    if (!columns[c].dispensable) continue;
    total -= least[c] + kColumnGap.size();
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (std::vector<std::string>& row : grid)
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
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

// Words fill one line after the other; where one is full, the next starts below the text.
class Prose {
 public:
  Prose(std::size_t indent, std::size_t limit, Output& output)
      : indent_(indent), limit_(limit), output_(output) {}

  // What stands before the text; as wide as the indent.
  void label(std::string_view styled_label) { line_ = styled_label; }

  // Of escaped text; a style is switched off at the end of each line.
  void add(std::string_view text, std::string_view style) {
    line_ += style;
    for (std::size_t start = 0; start < text.size();) {
      std::size_t end = std::min(text.find(' ', start), text.size());
      // A number stays with its per cent.
      if (text.substr(end).starts_with(" %")) end = std::min(text.find(' ', end + 1), text.size());
      add_word(text.substr(start, end - start), style);
      start = end + 1;
    }
    if (!style.empty()) line_ += kReset;
  }

  void finish() { write_line(line_, output_); }

 private:
  void add_word(std::string_view word, std::string_view style) {
    const std::size_t width = display_width(word);
    // Of two spaces the second one is an empty word, which may stand beyond the end.
    if (!empty_ && !word.empty() && used_ + 1 + width > limit_) {
      if (!style.empty()) line_ += kReset;
      write_line(line_, output_);
      line_.assign(indent_, ' ').append(style);
      used_ = indent_;
    } else if (!empty_) {
      line_ += ' ';
      ++used_;
    }
    line_ += word;
    used_ += width;
    empty_ = false;
  }

  std::size_t indent_;
  std::size_t limit_;
  Output& output_;
  std::string line_;
  std::size_t used_ = indent_;
  bool empty_ = true;
};

// The bars of a group, escaped, with the widths they need.
struct BarColumn {
  std::string title;
  std::vector<std::string> labels;
  std::vector<std::string> texts;
  std::size_t label_width = 0;
  std::size_t text_width = 0;

  std::size_t width(std::size_t bar) const {
    return label_width + text_width + bar + 2 * kColumnGap.size();
  }
};

BarColumn bar_column(const BarGroup& group) {
  constexpr std::size_t kWidestLabel = 24;
  BarColumn column{escape_terminal(group.title), {}, {}};
  bool marked = false;
  for (const Bar& bar : group.bars) {
    column.labels.push_back(elide_middle(escape_terminal(bar.label), kWidestLabel));
    column.texts.push_back(escape_terminal(bar.text));
    column.label_width = std::max(column.label_width, display_width(column.labels.back()));
    column.text_width = std::max(column.text_width, display_width(column.texts.back()));
    marked = marked || bar.mark.has_value();
  }
  if (marked) column.title += " (| = threshold)";
  return column;
}

// The place on a bar of that many columns.
std::size_t bar_place(double share, std::size_t width) {
  return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * double(width)));
}

std::string drawn_bar(const Bar& bar, std::size_t width) {
  std::string drawn(bar_place(bar.share, width), '#');
  drawn.resize(width, '.');
  if (bar.mark) drawn[std::min(bar_place(*bar.mark, width), width - 1)] = '|';
  return drawn;
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

  void operator()(const Points& points) {
    for (const Point& point : points.points) {
      const std::string marker = point.marker.empty() ? "" : escape_terminal(point.marker) + " ";
      const std::size_t indent = display_width(marker);
      Prose prose(indent, prose_limit(), output_);
      prose.label(marker);
      prose.add(escape_terminal(point.title), options_.colour ? kBold : "");
      if (!point.remark.empty()) prose.add(" " + escape_terminal(point.remark), "");
      prose.finish();
      for (const Point::Line& line : point.lines) {
        std::string label(indent, ' ');
        if (!line.label.empty()) label += escape_terminal(line.label) + ": ";
        write_prose(label, line.text, {});
      }
    }
  }

  void operator()(const Bars& bars) {
    std::vector<BarColumn> columns;
    std::size_t fixed = 0;
    for (const BarGroup& group : bars.groups) {
      columns.push_back(bar_column(group));
      fixed += columns.back().width(0) + (columns.size() > 1 ? kColumnGap.size() : 0);
    }
    const std::size_t limit = std::min(prose_limit(), kMaxProseWidth);
    const std::size_t bar =
        limit > fixed ? (limit - fixed) / std::max<std::size_t>(columns.size(), 1) : 0;
    if (bar >= kMinBarWidth) {
      write_bars(bars.groups, columns, std::min(bar, kMaxBarWidth));
    } else {
      for (std::size_t g = 0; g < columns.size(); ++g) {
        const std::size_t other = columns[g].width(0);
        write_bars({&bars.groups[g], 1}, {&columns[g], 1},
                   std::clamp(limit > other ? limit - other : 0, kMinBarWidth, kMaxBarWidth));
      }
    }
    for (const BarGroup& group : bars.groups) {
      if (!group.caption.empty()) write_prose("", group.caption, {});
    }
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
    std::vector<TableColumn> columns = table.columns;
    Grid grid = escaped_cells(table);
    if (options_.width != 0) drop_columns(grid, columns, options_.width);
    const std::vector<std::size_t> widths = fit(grid, columns);
    write_row(grid[0], widths, columns);
    std::vector<std::string> rule(widths.size());
    for (std::size_t c = 0; c < rule.size(); ++c) rule[c].assign(widths[c], '-');
    write_row(rule, widths, columns);
    for (std::size_t r = 1; r < grid.size(); ++r) write_row(grid[r], widths, columns);
  }

 private:
  std::string styled(std::string_view style, std::string text) const {
    if (!options_.colour || style.empty()) return text;
    return std::string(style).append(text).append(kReset);
  }

  std::size_t prose_limit() const {
    return options_.width == 0 ? std::string::npos : std::min(options_.width, kMaxProseWidth);
  }

  // The label, then the text; where that wraps it stays right of the label.
  void write_prose(std::string_view label, std::string_view raw, std::string_view style) {
    Prose prose(display_width(label), prose_limit(), output_);
    prose.label(styled(style, std::string(label)));
    prose.add(escape_terminal(raw), {});
    prose.finish();
  }

  // Columns side by side; a group with fewer bars than another leaves the rest of its own empty.
  void write_bars(std::span<const BarGroup> groups, std::span<const BarColumn> columns,
                  std::size_t bar_width) {
    std::size_t rows = 0;
    std::string titles;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      rows = std::max(rows, groups[g].bars.size());
      if (g != 0) titles += kColumnGap;
      append_padded(titles, columns[g].title, columns[g].width(bar_width), Align::kLeft);
    }
    titles.resize(titles.find_last_not_of(' ') + 1);
    write_line(styled(kBold, titles), output_);
    for (std::size_t r = 0; r < rows; ++r) {
      std::string line;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (g != 0) line += kColumnGap;
        if (r >= groups[g].bars.size()) {
          line.append(columns[g].width(bar_width), ' ');
          continue;
        }
        append_padded(line, columns[g].labels[r], columns[g].label_width, Align::kLeft);
        line.append(kColumnGap).append(drawn_bar(groups[g].bars[r], bar_width)).append(kColumnGap);
        append_padded(line, columns[g].texts[r], columns[g].text_width, Align::kRight);
      }
      write_line(line, output_);
    }
  }

  // The width of each column, with the cells of elastic ones shortened to theirs.
  std::vector<std::size_t> fit(Grid& grid, const std::vector<TableColumn>& columns) const {
    const std::vector<std::size_t> natural = natural_widths(grid);
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

// Blocks are a blank line apart, except that notes stand together and a verdict right below its
// heading.
bool stand_together(const Block& above, const Block& below) {
  const bool notes =
      std::holds_alternative<Callout>(above) && std::holds_alternative<Callout>(below);
  return notes || (std::holds_alternative<Heading>(above) && std::holds_alternative<Points>(below));
}

void render_terminal(const Presentation& presentation, const ViewOptions& options, Output& output) {
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

View terminal() {
  return {"terminal", "For people: aligned tables, colour on a terminal", Form::kDocument,
          render_terminal};
}

}  // namespace proofline
