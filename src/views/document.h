// SPDX-License-Identifier: Apache-2.0
//
// The neutral document that every text view walks: what there is to say, without a word on how it
// looks. Strings are raw; each view escapes them for its medium.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace proofline {

struct Heading {
  std::string text;
};

struct Paragraph {
  std::string text;
};

enum class Align { kLeft, kRight };

struct TableColumn {
  std::string title;
  Align align = Align::kLeft;
  // May be shortened in the middle when the table is wider than the terminal (kernel names).
  bool elastic = false;
};

// Numbers are formatted by whoever composes; text cells are a stranger's words.
struct Cell {
  std::string text;
  bool number = false;
};

struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<Cell>> rows;
};

// "name  value" lines.
struct Properties {
  std::vector<std::pair<std::string, std::string>> rows;
};

// A note: something to know about the result above or below it.
struct Callout {
  bool loss = false;
  std::string text;
};

using Block = std::variant<Heading, Paragraph, Table, Properties, Callout>;

struct Document {
  std::vector<Block> blocks;
};

}  // namespace proofline
