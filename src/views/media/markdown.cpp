// SPDX-License-Identifier: Apache-2.0
//
// GitHub's Markdown, for a pull request or an issue:
//
//   ## kernel 0: copy<float4>
//
//   **Memory bound at dram: ...**
//
//   1. **uncoalesced-global** (high, gain 40 to 60 %)
//      - A quarter of each sector is used.
//      - next: let consecutive threads read consecutive addresses
//
//   | Share of peak |   |   |
//   |:--|--:|:--|
//   | dram | 86.1 % | █████████████████ |
//
//   > **note:** the clocks were not locked
//
// A stranger's text cannot make structure, links, mentions or the annotations of a CI system: what
// Markdown would read as more than itself is escaped.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/characters.h"
#include "base/text.h"
#include "views/quantity.h"
#include "views/view.h"

namespace proofline {
namespace {

char at(std::string_view text, std::size_t position) {
  return position < text.size() ? text[position] : ' ';
}

// Underscores between letters are themselves; at the edge of a word they would emphasise.
bool is_edge_underscore(std::string_view text, std::size_t position) {
  const std::size_t before = text.find_last_not_of('_', position);
  const std::size_t after = text.find_first_not_of('_', position);
  return before == std::string_view::npos || after == std::string_view::npos ||
         !is_alphanumeric(text[before]) || !is_alphanumeric(text[after]);
}

bool needs_backslash(std::string_view text, std::size_t position) {
  constexpr std::string_view kAlways = "\\`*[]<>|~&$";
  const char c = text[position];
  if (kAlways.find(c) != std::string_view::npos) return true;
  if (c == '_') return is_edge_underscore(text, position);
  // Addresses would become links.
  if (c == ':') return text.substr(position).starts_with("://");
  if (c == '.') return position >= 3 && text.substr(position - 3, 3) == "www";
  // A heading's end.
  return c == '#' && position + 1 == text.size();
}

// Where in the text a list, a heading, a quotation, a rule or a CI system's command starts.
std::size_t find_line_start_mark(std::string_view text) {
  constexpr std::string_view kMarks = "#+-=:";
  if (text.empty()) return std::string_view::npos;
  if (kMarks.find(text.front()) != std::string_view::npos) return 0;
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::string_view::npos;
  const bool is_item = (text[digits] == '.' || text[digits] == ')') && at(text, digits + 1) == ' ';
  return is_item ? digits : std::string_view::npos;
}

std::string escape(std::string_view raw) {
  const std::string visible = escape_terminal(raw);
  const std::string_view text = trim(visible);
  const std::size_t mark = find_line_start_mark(text);
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == mark || needs_backslash(text, i)) escaped += '\\';
    escaped += text[i];
    // A report must not mention users (@name); a backslash does not prevent it.
    if (text[i] == '@' && is_alphanumeric(at(text, i + 1))) escaped += "<!-- -->";
  }
  return escaped;
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(Output& output) : output_(output) {}

  void operator()(const Heading& heading) {
    line((heading.title ? "# " : "## ") + escape(heading.text));
  }

  void operator()(const Paragraph& paragraph) { line(escape(paragraph.text)); }

  void operator()(const Callout& callout) {
    line(fmt::format("> **{}:** {}", callout.loss ? "loss" : "note", escape(callout.text)));
  }

  void operator()(const Properties& properties) {
    for (const auto& [name, value] : properties.rows) {
      // Without a name it continues with the one above.
      line(name.empty() ? "  " + escape(value)
                        : fmt::format("- {}: {}", escape(name), escape(value)));
    }
  }

  void operator()(const Table& table) {
    if (table.columns.empty()) return;
    std::string titles = "|";
    std::string rule = "|";
    for (const TableColumn& column : table.columns) {
      titles += fmt::format(" {} |", escape(column.title));
      rule += column.align == Align::kRight ? "--:|" : ":--|";
    }
    line(titles);
    line(rule);
    for (const std::vector<Cell>& row : table.rows) {
      std::string cells = "|";
      for (const Cell& cell : row) cells += fmt::format(" {} |", escape(cell.text));
      line(cells);
    }
  }

  void operator()(const Points& points) {
    bool first = true;
    for (const Point& point : points.points) {
      if (point.marker.empty()) {
        if (!first) line("");
        write_lead(point);
      } else {
        write_item(point);
      }
      first = false;
    }
  }

  void operator()(const Bars& bars) {
    bool first = true;
    for (const BarGroup& group : bars.groups) {
      if (!first) line("");
      first = false;
      line(fmt::format("| {} | | |", escape(group.title)));
      line("|:--|--:|:--|");
      for (const Bar& bar : group.bars) {
        line(fmt::format("| {} | {} | {} |", escape(bar.label), escape(bar.text), drawn_bar(bar)));
      }
      if (group.caption.empty()) continue;
      line("");
      line(escape(group.caption));
    }
  }

 private:
  void line(std::string_view text) {
    output_.write(text.substr(0, text.find_last_not_of(' ') + 1));
    output_.put('\n');
  }

  static std::string title_of(const Point& point) {
    std::string title = fmt::format("**{}**", escape(point.title));
    if (!point.remark.empty()) title += fmt::format(" ({})", escape(point.remark));
    return title;
  }

  static std::string text_of(const Point::Line& line) {
    if (line.label.empty()) return escape(line.text);
    return fmt::format("{}: {}", escape(line.label), escape(line.text));
  }

  void write_lead(const Point& point) {
    line(title_of(point));
    for (const Point::Line& below : point.lines) {
      line("");
      line(text_of(below));
    }
  }

  // The marker is ours, such as "1.", and makes the list.
  void write_item(const Point& point) {
    line(fmt::format("{} {}", point.marker, title_of(point)));
    const std::string indent(point.marker.size() + 1, ' ');
    for (const Point::Line& below : point.lines) {
      line(fmt::format("{}- {}", indent, text_of(below)));
    }
  }

  static std::string drawn_bar(const Bar& bar) {
    constexpr double kColumns = 20;
    const auto columns =
        static_cast<std::size_t>(std::lround(std::clamp(bar.share, 0.0, 1.0) * kColumns));
    std::string drawn;
    for (std::size_t i = 0; i < columns; ++i) drawn += "\u2588";
    if (bar.mark) drawn += fmt::format(" (threshold {})", share_text(*bar.mark));
    return drawn;
  }

  Output& output_;
};

void render_markdown(const Presentation& presentation, const ViewOptions& /*options*/,
                     Output& output) {
  const Document document = presentation.document();
  MarkdownWriter writer(output);
  bool first = true;
  for (const Block& block : document.blocks) {
    if (!first) output.put('\n');
    first = false;
    std::visit(writer, block);
  }
}

}  // namespace

View markdown() {
  return {"markdown", "For a pull request or an issue, in GitHub's style", Form::kDocument,
          render_markdown};
}

}  // namespace proofline
