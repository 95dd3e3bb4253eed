// SPDX-License-Identifier: Apache-2.0
//
// A view turns a finished result into text for one medium. Each is one file in media/ that
// defines `View <stem>()`; `--format <name>` and `list views` take it from there. Nothing is
// computed here: text views walk the Document, the JSON view writes the result itself.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/output.h"
#include "model/note.h"
#include "views/document.h"

namespace proofline {

// What a view takes of a result.
enum class Form {
  kDocument,  // for people
  kRows,      // tables and nothing else, for programs
  kResult,    // the result itself
};

// The forms of one result; a view asks only for the one it takes.
struct Presentation {
  std::function<Document()> document;
  std::function<void(JsonWriter&)> json;
  // The tables that programs read where they are not those of the document: one row for each thing,
  // nothing rounded or shortened.
  std::function<Document()> rows = {};
  // What the document says beside its tables and rows have no place for: the result in a line, and
  // the notes on it.
  std::string headline = {};
  std::vector<Note> notes = {};
};

struct ViewOptions {
  std::size_t width = 0;  // columns of the terminal; 0 = not a terminal, do not shorten
  bool colour = false;
  bool unicode = false;  // bars and signs beyond ASCII
};

struct View {
  std::string_view name;     // "terminal"
  std::string_view summary;  // one line for `list views`
  Form form;
  void (*render)(const Presentation& presentation, const ViewOptions& options, Output& output);
};

std::span<const View> views();
const View* find_view(std::string_view name);

// A document as Markdown, for a file.
std::string markdown_text(const Document& document);

}  // namespace proofline
