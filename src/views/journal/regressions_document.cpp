// SPDX-License-Identifier: Apache-2.0
#include "views/journal/regressions_document.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/text.h"
#include "views/journal/journal_document.h"
#include "views/json_parts.h"
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

void write_regressions_json(const RegressionReading& reading, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", "regressions");
  json.member("journal", reading.where);
  json.member("attempts", std::uint64_t{reading.attempts});
  json.objects("regressions", reading.changes, [&](const HistoryChange& one) {
    json.member("configuration", one.configuration);
    json.member("ratio", one.ratio);
    json.member("low", one.low);
    json.member("high", one.high);
    json.member("since", one.since);
    json.member("attempt", one.attempt);
    json.member("after", one.after);
    json.member("before", one.before);
    json.member("hypothesis", one.hypothesis);
    json.member("commits", one.commits);
  });
  write_notes(reading.notes, json);
  json.end_object();
}

}  // namespace proofline
