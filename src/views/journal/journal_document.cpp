// SPDX-License-Identifier: Apache-2.0
#include "views/journal/journal_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/journal/attempt_states.h"
#include "views/journal/entry_lines.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

std::string expected_text(const Attempt& attempt) {
  return attempt.expected ? gain_range_text(*attempt.expected) : "-";
}

std::string hypothesis_text(const Attempt& attempt) {
  return attempt.opened.empty() ? "(the entry that opened it is missing)" : attempt.hypothesis;
}

std::vector<const Attempt*> with_state(const std::vector<Attempt>& attempts, AttemptState state) {
  std::vector<const Attempt*> chosen;
  for (const Attempt& attempt : attempts) {
    if (attempt.state == state) chosen.push_back(&attempt);
  }
  return chosen;
}

// "12 attempts: 5 kept, 4 reverted, 3 open"
std::string counts_text(const std::vector<Attempt>& attempts) {
  std::string text = plural(attempts.size(), "attempt");
  std::string_view separator = ": ";
  for (const AttemptState state : kAttemptStates) {
    const std::size_t count = with_state(attempts, state).size();
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, to_string(state));
    separator = ", ";
  }
  return text;
}

void add_row(Properties& properties, std::string name, std::string value) {
  if (!value.empty()) properties.rows.emplace_back(std::move(name), std::move(value));
}

Properties facts_of(const Attempt& attempt) {
  Properties facts;
  add_row(facts, "Attempt", attempt.id);
  add_row(facts, "Opened", attempt.opened);
  add_row(facts, "Closed", attempt.closed);
  add_row(facts, "Kind of change", attempt.kind);
  add_row(facts, "Expected", attempt.expected ? gain_range_text(*attempt.expected) : "");
  add_row(facts, "Realised", attempt.realised_gain ? realised_text(attempt) : "");
  add_row(facts, "Risk", attempt.risk);
  add_row(facts, "Commit", attempt.commit);
  add_row(facts, "Changed since", attempt.diff_stat);
  for (const std::string& command : attempt.commands) add_row(facts, "Command", command);
  for (const std::string& run : attempt.runs) add_row(facts, "Run", run);
  return facts;
}

Point verdict_of(const Attempt& attempt) {
  Point verdict;
  verdict.title = to_string(attempt.state);
  if (!attempt.reason.empty()) verdict.title += ": " + attempt.reason;
  for (const std::string& line : attempt.explanation) verdict.lines.push_back({"", line});
  return verdict;
}

Points entries_of(const Attempt& attempt) {
  Points entries;
  for (const JournalEntry& entry : attempt.entries) {
    entries.points.push_back({fmt::format("{}.", entries.points.size() + 1), entry.kind,
                              fmt::format("{}, entry {}", entry.written, entry.id),
                              entry_lines(entry)});
  }
  return entries;
}

// The attempts that ended in one way.
void add_outcome(const JournalReading& reading, AttemptState state, Document& document) {
  const auto attempts = with_state(reading.attempts, state);
  if (attempts.empty()) return;
  std::string title(to_string(state));
  title.front() = static_cast<char>(title.front() - 'a' + 'A');
  document.blocks.emplace_back(Heading{std::move(title)});
  Table table{{{"ID"},
               {"When"},
               {"Hypothesis", Align::kLeft, true},
               {"Kind"},
               {"Expected", Align::kRight},
               {"Realised", Align::kRight},
               {"Reason", Align::kLeft, true},
               {"Commit"}},
              {}};
  const std::size_t digits = short_id_length(reading.attempts);
  constexpr std::size_t kCommitDigits = 12;
  for (const Attempt* one : attempts) {
    table.rows.push_back({{one->id.substr(0, digits)},
                          {when_text(one->opened)},
                          {hypothesis_text(*one)},
                          {one->kind},
                          {expected_text(*one)},
                          {realised_text(*one)},
                          {one->reason},
                          {one->commit.substr(0, kCommitDigits)}});
  }
  document.blocks.emplace_back(std::move(table));
}

void add_calibrations(const std::vector<Calibration>& calibrations, Document& document) {
  document.blocks.emplace_back(Heading{"How well expectations are met"});
  if (calibrations.empty()) {
    document.blocks.emplace_back(
        Paragraph{"No attempt has both an expectation and a measured gain so far."});
    return;
  }
  Table table{{{"Kind of change"},
               {"Attempts", Align::kRight},
               {"Below", Align::kRight},
               {"Within", Align::kRight},
               {"Above", Align::kRight},
               {"Expected mean", Align::kRight},
               {"Realised mean", Align::kRight}},
              {}};
  for (const Calibration& one : calibrations) {
    table.rows.push_back({{one.kind.empty() ? "all" : one.kind},
                          {std::to_string(one.attempts), true},
                          {std::to_string(one.below), true},
                          {std::to_string(one.within), true},
                          {std::to_string(one.above), true},
                          {share_text(one.expected_mean), true},
                          {share_text(one.realised_mean), true}});
  }
  document.blocks.emplace_back(std::move(table));
  if (const std::size_t small = calibrations.front().small_kinds; small > 0) {
    document.blocks.emplace_back(Paragraph{
        fmt::format("{} no row yet: that takes {} attempts with an expectation and a "
                    "measured gain.",
                    plural(small, "kind of change has", "kinds of change have"), kFewestOfAKind)});
  }
}

void add_remarks(const std::vector<Remark>& remarks, Document& document) {
  if (remarks.empty()) return;
  document.blocks.emplace_back(Heading{"Notes"});
  Table table{{{"When"}, {"Note", Align::kLeft, true}}, {}};
  for (const Remark& one : remarks) table.rows.push_back({{when_text(one.written)}, {one.text}});
  document.blocks.emplace_back(std::move(table));
}

}  // namespace

std::size_t short_id_length(const std::vector<Attempt>& attempts) {
  constexpr std::size_t kFewest = 8;
  std::vector<std::string_view> ids;
  ids.reserve(attempts.size());
  for (const Attempt& attempt : attempts) ids.emplace_back(attempt.id);
  std::sort(ids.begin(), ids.end());
  std::size_t length = kFewest;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const auto [a, b] =
        std::mismatch(ids[i - 1].begin(), ids[i - 1].end(), ids[i].begin(), ids[i].end());
    length = std::max(length, static_cast<std::size_t>(a - ids[i - 1].begin()) + 1);
  }
  return length;
}

std::string when_text(std::string_view written) {
  constexpr std::size_t kDay = 10;
  constexpr std::size_t kMinute = 16;
  if (written.empty()) return "-";
  if (written.size() < kMinute || written[kDay] != 'T') return std::string(written);
  return fmt::format("{} {}", written.substr(0, kDay),
                     written.substr(kDay + 1, kMinute - kDay - 1));
}

std::string gain_range_text(const GainRange& range) {
  std::string high = share_text(range.high);
  const std::string low = share_text(range.low);
  if (low == high) return high;
  return fmt::format("{} to {}", std::string_view(low).substr(0, low.size() - 2), high);
}

std::string realised_text(const Attempt& attempt) {
  if (!attempt.realised_gain) return "-";
  const std::string gain = share_text(*attempt.realised_gain);
  return attempt.realised ? fmt::format("{} ({})", gain, gain_range_text(*attempt.realised)) : gain;
}

Document compose_attempts(const JournalReading& reading) {
  Document document;
  document.blocks.emplace_back(Paragraph{counts_text(reading.attempts)});
  Table table{{{"ID"},
               {"When", Align::kLeft, false, true},
               {"Hypothesis", Align::kLeft, true},
               {"Expected", Align::kRight},
               {"Realised", Align::kRight},
               {"State"}},
              {}};
  const std::size_t digits = short_id_length(reading.attempts);
  for (const Attempt& attempt : reading.attempts) {
    table.rows.push_back({{attempt.id.substr(0, digits)},
                          {when_text(attempt.opened)},
                          {hypothesis_text(attempt)},
                          {expected_text(attempt)},
                          {realised_text(attempt)},
                          {std::string(to_string(attempt.state))}});
  }
  if (!table.rows.empty()) document.blocks.emplace_back(std::move(table));
  add_remarks(reading.remarks, document);
  add_notes(reading.notes, document);
  return document;
}

Document compose_attempt_rows(const JournalReading& reading) {
  Table table{{{"id"},
               {"opened"},
               {"closed"},
               {"hypothesis"},
               {"kind"},
               {"expected_low"},
               {"expected_high"},
               {"realised"},
               {"realised_low"},
               {"realised_high"},
               {"state"},
               {"reason"},
               {"commit"}},
              {}};
  const auto low = [](const std::optional<GainRange>& range) {
    return number_cell(range ? std::optional(range->low) : std::nullopt);
  };
  const auto high = [](const std::optional<GainRange>& range) {
    return number_cell(range ? std::optional(range->high) : std::nullopt);
  };
  for (const Attempt& one : reading.attempts) {
    table.rows.push_back({{one.id},
                          {one.opened},
                          {one.closed},
                          {one.hypothesis},
                          {one.kind},
                          low(one.expected),
                          high(one.expected),
                          number_cell(one.realised_gain),
                          low(one.realised),
                          high(one.realised),
                          {std::string(to_string(one.state))},
                          {one.reason},
                          {one.commit}});
  }
  return Document{{std::move(table)}};
}

Document compose_attempt(const Attempt& attempt, const std::vector<Note>& notes) {
  Document document;
  document.blocks.emplace_back(Heading{hypothesis_text(attempt)});
  document.blocks.emplace_back(Points{{verdict_of(attempt)}});
  document.blocks.emplace_back(facts_of(attempt));
  document.blocks.emplace_back(Heading{"Entries"});
  document.blocks.emplace_back(entries_of(attempt));
  add_notes(notes, document);
  return document;
}

Document compose_optimizations(const JournalReading& reading) {
  Document document;
  document.blocks.emplace_back(Heading{"Optimisations", true});
  document.blocks.emplace_back(
      Paragraph{counts_text(reading.attempts) +
                ". Gains are shares of time saved, with their intervals; negative is slower."});
  for (const AttemptState state : kAttemptStates) add_outcome(reading, state, document);
  add_calibrations(reading.calibrations, document);
  add_remarks(reading.remarks, document);
  add_notes(reading.notes, document);
  return document;
}

Document compose_verification(std::string_view where, const Verification& verification) {
  Document document;
  const std::string size = fmt::format("{}, {}", plural(verification.entries, "entry", "entries"),
                                       plural(verification.chains, "chain"));
  Point verdict;
  verdict.title = verification.breaks.empty()
                      ? "Journal intact: " + size
                      : fmt::format("Journal broken at {}: {}",
                                    plural(verification.breaks.size(), "place"), size);
  verdict.lines.push_back({"journal", std::string(where)});
  if (!verification.breaks.empty()) {
    verdict.lines.push_back({"next",
                             "keep this journal as it is, and compare it with a backup or "
                             "with the store that it was synced to"});
  }
  document.blocks.emplace_back(Points{{std::move(verdict)}});
  if (verification.breaks.empty()) return document;
  Table table{{{"Chain"}, {"Entry", Align::kRight}, {"What", Align::kLeft, true}}, {}};
  for (const ChainBreak& one : verification.breaks) {
    table.rows.push_back({{one.chain}, {std::to_string(one.sequence), true}, {one.what}});
  }
  document.blocks.emplace_back(std::move(table));
  return document;
}

}  // namespace proofline
