// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_document.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/option.h"
#include "views/code/function_screen.h"
#include "views/code/function_table.h"
#include "views/code/verdict_points.h"
#include "views/notes.h"

namespace proofline {
namespace {

// Each of so few functions gets a screen; of more there is only the table, and the screen of the
// one that was sampled most.
constexpr std::size_t kFewFunctions = 3;

std::uint64_t samples_of(const FunctionReport& function) {
  return function.hot ? function.hot->samples : 0;
}

// The functions that get a screen.
std::vector<const FunctionReport*> on_screen(const CodeReport& report, const CodeParts& parts) {
  std::vector<const FunctionReport*> screens;
  bool asked = parts.all;
  bool judged = false;
  const FunctionReport* hottest = nullptr;
  for (const FunctionReport& function : report.functions) {
    screens.push_back(&function);
    asked = asked || !function.rows.empty() || function.source;
    judged = judged || !function.expectations.empty();
    if (samples_of(function) > (hottest != nullptr ? samples_of(*hottest) : 0)) {
      hottest = &function;
    }
  }
  if (asked || screens.size() <= kFewFunctions) return screens;
  // What is asked of many functions is which of them trip the gate.
  screens.clear();
  if (hottest != nullptr && !judged) screens.push_back(hottest);
  return screens;
}

}  // namespace

Document compose_code(const CodeReport& report, const CodeParts& parts) {
  Document document;
  std::string source = fmt::format("{}: {}", report.path, report.format);
  if (!report.producer.empty()) source += ", " + report.producer;
  document.blocks.emplace_back(Paragraph{std::move(source)});
  const std::size_t count = report.functions.size();
  if (count > 1) add_functions(report, document);
  const std::vector<const FunctionReport*> screens = on_screen(report, parts);
  for (const FunctionReport* function : screens) {
    add_function_screen(report, *function, parts.all, document);
  }
  if (screens.size() < count) {
    add_failed_verdicts(report, document);
    if (!screens.empty()) {
      document.blocks.emplace_back(Paragraph{fmt::format(
          "That is the function with the most samples; {} or {} shows as much of the other {}",
          option("kernel"), option("all"), count - screens.size())});
    }
  }
  for (const Note& note : report.notes) {
    document.blocks.emplace_back(Callout{note.kind == NoteKind::kLoss, note_text(note)});
  }
  return document;
}

}  // namespace proofline
