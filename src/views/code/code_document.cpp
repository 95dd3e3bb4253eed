// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_document.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "views/code/function_screen.h"
#include "views/code/function_table.h"
#include "views/code/verdict_points.h"
#include "views/notes.h"

namespace proofline {
namespace {

// Each of so few functions gets a screen; of more there is only the table, unless all are asked
// for.
constexpr std::size_t kFewFunctions = 3;

}  // namespace

Document compose_code(const CodeReport& report, const CodeParts& parts) {
  Document document;
  std::string source = fmt::format("{}: {}", report.path, report.format);
  if (!report.producer.empty()) source += ", " + report.producer;
  document.blocks.emplace_back(Paragraph{std::move(source)});
  const std::size_t count = report.functions.size();
  if (count > 1) add_functions(report, document);
  const bool screens = parts.all || count <= kFewFunctions;
  if (screens) {
    for (const FunctionReport& function : report.functions) {
      add_function_screen(report, function, parts.all, document);
    }
  } else {
    add_failed_verdicts(report, document);
  }
  for (const Note& note : report.notes) {
    document.blocks.emplace_back(Callout{note.kind == NoteKind::kLoss, note_text(note)});
  }
  return document;
}

}  // namespace proofline
