// SPDX-License-Identifier: Apache-2.0
//
// For people at a terminal, and for the files they redirect it to: columns aligned by what
// characters really occupy. On a terminal no line is wider than it: text wraps, tables are made to
// fit; elsewhere nothing is shortened. Bars and signs are plain ASCII where the terminal has no
// Unicode.
//
//   Kernels
//
//   ID  Kernel                              Grid  Duration  DRAM %
//   --  ----------------------------------  ----  --------  ------
//    0  void copy<float4...const float4 *)  4096  12.35 us    86.1
//    1  void gemm<1...8, __half...rams, 3>  132    1.20 ms    12.0
//    2  void gemm<1...6, __half...rams, 3>  132    1.31 ms    11.4
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
// A note says what to know about the result, a loss what is missing from it. In colour a severity
// or a verdict has a sign beside it: "x high", "+ KEEP".

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"
#include "views/layout/prose.h"
#include "views/layout/table_fit.h"
#include "views/view.h"

namespace proofline {
namespace {

// Longer lines of prose are hard to read, however wide the terminal is.
constexpr std::size_t kMaxProseWidth = 100;
// Names of properties take no more of a narrow terminal: the values are what is read.
constexpr std::size_t kLeastValueWidth = 24;
// Shorter bars say little, longer ones nothing more.
constexpr std::size_t kMinBarWidth = 10;
constexpr std::size_t kMaxBarWidth = 24;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kYellow = "\x1b[33m";

std::string_view style_of(Tone tone) {
  switch (tone) {
    case Tone::kNone: return "";
    case Tone::kGood: return "\x1b[32m";
    case Tone::kNeutral: return "\x1b[36m";
    case Tone::kWarning: return "\x1b[33m";
    case Tone::kBad: return "\x1b[31m";
  }
  return "";
}

std::string_view sign_of(Tone tone, bool unicode) {
  switch (tone) {
    case Tone::kNone: return "";
    case Tone::kGood: return unicode ? "\u2713" : "+";
    case Tone::kNeutral: return unicode ? "\u2022" : "=";
    case Tone::kWarning: return unicode ? "\u25b2" : "!";
    case Tone::kBad: return unicode ? "\u2717" : "x";
  }
  return "";
}

void append_padded(std::string& line, std::string_view text, std::size_t width, Align align,
                   std::string_view style = {}) {
  const std::size_t used = display_width(text);
  const std::size_t padding = width > used ? width - used : 0;
  if (align == Align::kRight) line.append(padding, ' ');
  line += style;
  line += text;
  if (!style.empty()) line += kResetStyle;
  if (align == Align::kLeft) line.append(padding, ' ');
}

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

std::string drawn_bar(const Bar& bar, std::size_t width, bool unicode) {
  const std::size_t filled = bar_place(bar.share, width);
  const std::size_t mark =
      bar.mark ? std::min(bar_place(*bar.mark, width), width - 1) : std::string::npos;
  std::string drawn;
  for (std::size_t i = 0; i < width; ++i) {
    if (i == mark) {
      drawn += unicode ? "\u2502" : "|";
    } else if (i < filled) {
      drawn += unicode ? "\u2588" : "#";
    } else {
      drawn += unicode ? "\u2591" : ".";
    }
  }
  return drawn;
}

class TerminalWriter {
 public:
  TerminalWriter(const ViewOptions& options, Output& output) : options_(options), output_(output) {}

  void operator()(const Heading& heading) {
    std::string text = escape_terminal(heading.text);
    if (options_.width != 0) text = elide_middle(text, options_.width);
    write_line(styled(kBold, std::move(text)), output_);
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
      const std::string_view bold = options_.colour ? kBold : "";
      prose.add(signed_text(point.tone, escape_terminal(point.title)),
                point.tone == Tone::kNone ? bold : style(point.tone));
      if (!point.remark.empty()) {
        prose.add(" ", "");
        prose.add(signed_text(point.remark_tone, escape_terminal(point.remark)),
                  style(point.remark_tone));
      }
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
    const std::size_t most =
        options_.width > 2 * kLeastValueWidth ? options_.width - kLeastValueWidth : kMaxPadding;
    for (std::size_t i = 0; i < properties.rows.size(); ++i) {
      const Tone tone = tone_of(properties, i);
      names.push_back(signed_text(tone, escape_terminal(properties.rows[i].first)));
      if (options_.width != 0) names.back() = elide_middle(names.back(), most);
      width = std::max(width, std::min(display_width(names.back()), kMaxPadding));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string label;
      append_padded(label, names[i], width, Align::kLeft, style(tone_of(properties, i)));
      label += kColumnGap;
      Prose prose(std::max(width, display_width(names[i])) + kColumnGap.size(), value_limit(),
                  output_);
      prose.label(label);
      prose.add(escape_terminal(properties.rows[i].second), {});
      prose.finish();
    }
  }

  void operator()(const Table& table) {
    if (table.columns.empty()) return;
    bool first = true;
    for (const FittedTable& part : fit_table(with_signs(table), options_.width)) {
      if (!first) output_.put('\n');
      first = false;
      write_row(part, 0);
      std::string rule;
      for (std::size_t c = 0; c < part.widths.size(); ++c) {
        if (c != 0) rule += kColumnGap;
        for (std::size_t i = 0; i < part.widths[c]; ++i) rule += options_.unicode ? "\u2500" : "-";
      }
      write_line(rule, output_);
      for (std::size_t r = 1; r < part.rows.size(); ++r) write_row(part, r);
    }
  }

 private:
  std::string styled(std::string_view style, std::string text) const {
    if (!options_.colour || style.empty()) return text;
    return std::string(style).append(text).append(kResetStyle);
  }

  std::string_view style(Tone tone) const { return options_.colour ? style_of(tone) : ""; }

  // The sign goes with the colour, which must not be alone, or with a terminal that can show it.
  std::string signed_text(Tone tone, std::string text) const {
    const bool shown = tone != Tone::kNone && (options_.colour || options_.unicode);
    if (!shown) return text;
    return std::string(sign_of(tone, options_.unicode)).append(" ").append(text);
  }

  // Only what has a tone; of other tables this is a copy, which those for people are small enough
  // for.
  Table with_signs(Table table) const {
    for (std::vector<Cell>& row : table.rows) {
      for (Cell& cell : row) cell.text = signed_text(cell.tone, std::move(cell.text));
    }
    return table;
  }

  static Tone tone_of(const Properties& properties, std::size_t row) {
    return row < properties.tones.size() ? properties.tones[row] : Tone::kNone;
  }

  // Values may be as wide as the terminal: paths and commands read better in one line.
  std::size_t value_limit() const {
    return options_.width == 0 ? std::string::npos : options_.width;
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
        line.append(kColumnGap)
            .append(drawn_bar(groups[g].bars[r], bar_width, options_.unicode))
            .append(kColumnGap);
        append_padded(line, columns[g].texts[r], columns[g].text_width, Align::kRight);
      }
      write_line(line, output_);
    }
  }

  void write_row(const FittedTable& table, std::size_t row) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c != 0) line += kColumnGap;
      append_padded(line, table.rows[row][c], table.widths[c], table.columns[c].align,
                    style(table.tones[row][c]));
    }
    write_line(line, output_);
  }

  const ViewOptions& options_;
  Output& output_;
};

// Blocks are a blank line apart, except that notes are together and a verdict right below its
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
