// SPDX-License-Identifier: Apache-2.0
//
// The neutral document that every text view walks: what there is to say, without a word on how it
// looks. Strings are raw; each view escapes them for its medium.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace proofline {

struct Heading {
  std::string text;
  bool title = false;  // of the whole document
};

struct Paragraph {
  std::string text;
};

// Whether something is good or bad to hear. A view may show it by a colour, and then by a sign too:
// the words beside it say the same.
enum class Tone { kNone, kGood, kNeutral, kWarning, kBad };

enum class Align { kLeft, kRight };

struct TableColumn {
  std::string title;
  Align align = Align::kLeft;
  // May be shortened in the middle when the table is wider than the terminal (kernel names).
  bool elastic = false;
  // Left out where the table is still wider than the terminal; the last such column first.
  bool dispensable = false;
  // Holds names of kernels, which are shortened in a file too where they are very long.
  bool names = false;
  // Elastic as well, but of words, whose start says most: cut at the end.
  bool prose = false;
};

// Numbers are formatted by the composer; text cells are a stranger's words.
struct Cell {
  std::string text;
  bool number = false;
  Tone tone = Tone::kNone;
};

struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<Cell>> rows;
  // Makes the rows after these one by one, nothing after the last, for what would take too much
  // memory at once: ncu's raw page, thousands of launches by thousands of metrics. For views of
  // rows; refers to what it was made of.
  std::function<std::optional<std::vector<Cell>>()> next_row = {};
};

// "name  value" lines; without a name, the value continues with the one above.
struct Properties {
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<Tone> tones = {};  // of the names, as far as there are any
};

// A note: something to know about the result above or below it.
struct Callout {
  bool loss = false;
  std::string text;
};

// A point that stands out, with what belongs to it below: a verdict, or one of several findings.
struct Point {
  struct Line {
    std::string label;  // "next"; "" none
    std::string text;
  };

  std::string marker;  // "1."; "" none
  std::string title;
  std::string remark;  // beside the title: "high, gain 40 to 60 %"
  std::vector<Line> lines;
  Tone tone = Tone::kNone;         // of the title
  Tone remark_tone = Tone::kNone;  // of the remark
};

struct Points {
  std::vector<Point> points;
};

// One labelled bar: a share of a whole, and the same in words.
struct Bar {
  std::string label;
  double share = 0;            // drawn between 0 and 1
  std::string text;            // "86.1 %"
  std::optional<double> mark;  // a threshold on the same scale
};

struct BarGroup {
  std::string title;
  std::vector<Bar> bars;
  std::string caption;  // what there is to add in words; "" nothing
};

// Groups of bars that are looked at together: side by side where there is room.
struct Bars {
  std::vector<BarGroup> groups;
};

using Block = std::variant<Heading, Paragraph, Table, Properties, Callout, Points, Bars>;

struct Document {
  std::vector<Block> blocks;
};

// One after the other.
inline void append(Document from, Document& to) {
  std::move(from.blocks.begin(), from.blocks.end(), std::back_inserter(to.blocks));
}

}  // namespace proofline
