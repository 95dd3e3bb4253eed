// SPDX-License-Identifier: Apache-2.0
#include "views/journal/regressions_document.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "base/text.h"
#include "views/journal/journal_document.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kShownId = 8;

std::string cause_text(const HistoryChange& one) {
  const std::string hypothesis = shown_name(one.hypothesis);
  if (!one.attempt.empty()) {
    return fmt::format("{}: {}", one.attempt.substr(0, kShownId), hypothesis);
  }
  std::string text =
      fmt::format("no attempt: after {} ({}), before {}", one.after.substr(0, kShownId), hypothesis,
                  one.before.substr(0, kShownId));
  if (!one.commits.empty()) text += ", commits " + one.commits;
  return text;
}

}  // namespace

Document compose_regressions(const RegressionReading& reading) {
  Document document;
  document.blocks.emplace_back(
      Paragraph{fmt::format("{} in {}", plural(reading.changes.size(), "regression"),
                            plural(reading.attempts, "attempt"))});
  if (!reading.changes.empty()) {
    Table table{{{"Configuration", Align::kLeft, true},
                 {"Slower by", Align::kRight},
                 {"Interval", Align::kRight},
                 {"Since"},
                 {"Where it came from"}},
                {}};
    for (const HistoryChange& one : reading.changes) {
      table.rows.push_back(
          {{one.configuration},
           {share_text(one.ratio - 1), true},
           {fmt::format("{} to {}", share_text(one.low - 1), share_text(one.high - 1))},
           {when_text(one.since)},
           {cause_text(one)}});
    }
    document.blocks.emplace_back(std::move(table));
  }
  add_notes(reading.notes, document);
  return document;
}

}  // namespace proofline
