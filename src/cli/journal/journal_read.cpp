// SPDX-License-Identifier: Apache-2.0
//
// The actions of `journal` that look: list, show, export, verify.
#include <fmt/format.h>

#include <utility>

#include "base/output.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "cli/journal/journal_actions.h"
#include "cli/journal/journal_filter.h"
#include "cli/notes.h"
#include "model/journal/entry_json.h"
#include "views/journal/journal_document.h"
#include "views/journal/journal_json.h"
#include "workflow/journal/journal_place.h"

namespace proofline {
namespace {

std::vector<Remark> remarks_of(const std::vector<JournalEntry>& entries) {
  std::vector<Remark> remarks;
  for (const JournalEntry& entry : entries) {
    if (entry.kind != "note" || !entry.attempt.empty()) continue;
    remarks.push_back({entry.written, body_text(parse_entry_body(entry.body), "text")});
  }
  return remarks;
}

Result<JournalReading> read_journal(const JournalFlags& flags) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(flags.journal));
  ASSIGN_OR_RETURN(const auto entries, all_entries(*store));
  JournalReading reading{
      store->where(), attempts_of(entries), {}, remarks_of(entries), notes_on(*store)};
  reading.calibrations = calibrations_of(reading.attempts);
  return reading;
}

Result<JournalReading> read_chosen(const JournalFlags& flags) {
  ASSIGN_OR_RETURN(const auto filter, JournalFilter::make(flags));
  auto reading = read_journal(flags);
  if (reading) filter.apply(*reading);
  return reading;
}

}  // namespace

Result<ExitCode> list_attempts(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto reading, read_chosen(action.flags));
  const bool csv = action.output.format == "csv";
  if (csv) print_notes(reading.notes);
  present({[&] { return csv ? compose_attempt_rows(reading) : compose_attempts(reading); },
           [&](JsonWriter& json) { write_journal_json(reading, false, json); }},
          action.output, action.context);
  return ExitCode::kDone;
}

Result<ExitCode> show_attempt(JournalAction& action) {
  ASSIGN_OR_RETURN(auto reading, read_journal(action.flags));
  ASSIGN_OR_RETURN(auto attempt, find_attempt(reading.attempts, action.arguments.front()));
  reading.attempts = {std::move(attempt)};
  reading.remarks.clear();
  present({[&] { return compose_attempt(reading.attempts.front(), reading.notes); },
           [&](JsonWriter& json) { write_journal_json(reading, true, json); }},
          action.output, action.context);
  return ExitCode::kDone;
}

Result<ExitCode> export_attempts(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto reading, read_chosen(action.flags));
  OutputFlags output = action.output;
  if (!action.format_given) output.format = "markdown";
  const Presentation presentation{
      [&] { return compose_optimizations(reading); },
      [&](JsonWriter& json) { write_journal_json(reading, true, json); }};
  if (action.flags.out.empty() || action.flags.out == "-") {
    present(presentation, output, action.context);
    return ExitCode::kDone;
  }
  std::string text;
  {
    Output memory(text);
    Context into_memory{action.context.program, memory, action.context.announcer};
    present(presentation, output, into_memory);
  }
  RETURN_IF_ERROR(write_whole_file(action.flags.out, text));
  return ExitCode::kDone;
}

Result<ExitCode> verify_chains(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(action.flags.journal));
  ASSIGN_OR_RETURN(const auto verification, verify_journal(*store));
  const std::string where = store->where();
  present({[&] { return compose_verification(where, verification); },
           [&](JsonWriter& json) { write_verification_json(where, verification, json); }},
          action.output, action.context);
  return verification.breaks.empty() ? ExitCode::kDone : ExitCode::kStorage;
}

Result<Attempt> find_attempt(const std::vector<Attempt>& attempts, const std::string& prefix) {
  std::vector<const Attempt*> found;
  for (const Attempt& attempt : attempts) {
    if (attempt.id.starts_with(prefix)) found.push_back(&attempt);
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    return fail(ErrorKind::kInput, fmt::format("no attempt has an id that begins with {}; "
                                               "'proofline journal' lists them",
                                               quote(prefix)));
  }
  return fail(ErrorKind::kInput,
              fmt::format("{} attempts have an id that begins with {}, such as {} and {}",
                          found.size(), quote(prefix), quote(found[0]->id), quote(found[1]->id)));
}

}  // namespace proofline
