// SPDX-License-Identifier: Apache-2.0
//
// The actions of `journal` that look: list, show, export, regressions, verify; and sync.
#include <fmt/format.h>

#include <utility>

#include "analysis/journal/calibration.h"
#include "base/output.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "cli/exit_codes.h"
#include "cli/journal/journal_actions.h"
#include "cli/notes.h"
#include "store/entries/regressions.h"
#include "views/journal/journal_document.h"
#include "views/journal/regressions_document.h"
#include "workflow/journal/journal_filter.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_reading.h"
#include "workflow/journal/journal_results.h"
#include "workflow/journal/journal_spool.h"
#include "workflow/journal/journal_sync.h"

namespace proofline {
namespace {

Result<JournalReading> read_chosen(const JournalFlags& flags) {
  ASSIGN_OR_RETURN(const auto filter, JournalFilter::make(flags.choice));
  auto reading = read_journal(flags.journal);
  if (reading) filter.apply(*reading);
  return reading;
}

Document document_of(const JournalSync& sync) {
  return {{Paragraph{fmt::format("{} of {} entries were new", group_digits(sync.adopted),
                                 group_digits(sync.entries))},
           Properties{{{"From", sync.from}, {"To", sync.to}}}}};
}

// Alone, `journal sync` gives the server what waits for it.
Result<ExitCode> deliver(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto place, journal_to_write(action.flags.journal));
  ASSIGN_OR_RETURN(const auto server, journal_server(place));
  if (server.empty()) {
    return fail(ErrorKind::kUsage,
                "'journal sync' needs --to WHERE, --from WHERE, or a server as --journal");
  }
  ASSIGN_OR_RETURN(const auto to, open_journal_to_write(action.flags.journal));
  ASSIGN_OR_RETURN(const auto delivery, deliver_kept_entries(*to));
  print_notes(delivery.notes);
  present({[&] { return document_of(delivery.sync); },
           [&](JsonWriter& json) { write_record(delivery.sync, json); }},
          action.output, action.context);
  return exit_code_after(delivery.notes);
}

}  // namespace

Result<ExitCode> list_attempts(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto reading, read_chosen(action.flags));
  present({.document = [&] { return compose_attempts(reading); },
           .json = [&](JsonWriter& json) { write_record(reading, json); },
           .rows = [&] { return compose_attempt_rows(reading); },
           .notes = reading.notes},
          action.output, action.context);
  return exit_code_after(reading.notes);
}

Result<ExitCode> show_attempt(JournalAction& action) {
  ASSIGN_OR_RETURN(auto reading, read_journal(action.flags.journal));
  ASSIGN_OR_RETURN(auto attempt, find_attempt(reading.attempts, action.flags.texts.front()));
  reading.attempts = {std::move(attempt)};
  reading.remarks.clear();
  present({[&] { return compose_attempt(reading.attempts.front(), reading.notes); },
           [&](JsonWriter& json) { write_record(reading, json, {.requested = {"entries"}}); }},
          action.output, action.context);
  return exit_code_after(reading.notes);
}

Result<ExitCode> list_regressions(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto reading, read_journal(action.flags.journal));
  const RegressionReading found{reading.where, reading.attempts.size(),
                                regressions_of(reading.attempts), reading.notes};
  present({.document = [&] { return compose_regressions(found); },
           .json = [&](JsonWriter& json) { write_record(found, json); },
           .notes = found.notes},
          action.output, action.context);
  return exit_code_after(found.notes);
}

Result<ExitCode> export_attempts(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto reading, read_chosen(action.flags));
  OutputFlags output = action.output;
  if (!action.format_given) output.format = "markdown";
  const Presentation presentation{
      [&] { return compose_optimizations(reading); },
      [&](JsonWriter& json) { write_record(reading, json, {.requested = {"entries"}}); }};
  if (action.flags.out.empty() || action.flags.out == "-") {
    present(presentation, output, action.context);
    return exit_code_after(reading.notes);
  }
  std::string text;
  {
    Output memory(text);
    Context into_memory = action.context.into(memory);
    present(presentation, output, into_memory);
  }
  RETURN_IF_ERROR(write_whole_file(action.flags.out, text));
  return exit_code_after(reading.notes);
}

Result<ExitCode> verify_chains(JournalAction& action) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(action.flags.journal));
  ASSIGN_OR_RETURN(const auto verification, verify_journal(*store));
  const std::string where = store->where();
  print_notes(notes_on_disk(*store));
  present({[&] { return compose_verification(where, verification); },
           [&](JsonWriter& json) {
             write_record(VerifiedJournal{where, verification}, json);
           }},
          action.output, action.context);
  return verification.breaks.empty() ? ExitCode::kDone : ExitCode::kStorage;
}

Result<ExitCode> sync_journals(JournalAction& action) {
  const JournalFlags& flags = action.flags;
  if (flags.to.empty() && flags.from.empty()) return deliver(action);
  if (!flags.to.empty() && !flags.from.empty()) {
    return fail(ErrorKind::kUsage, "'journal sync' takes --to WHERE or --from WHERE, not both");
  }
  const bool sends = flags.from.empty();
  ASSIGN_OR_RETURN(const auto from, open_journal_to_read(sends ? flags.journal : flags.from));
  ASSIGN_OR_RETURN(const auto to, open_journal_to_write(sends ? flags.to : flags.journal));
  if (from->where() == to->where()) {
    return fail(ErrorKind::kUsage, "both journals are " + quote(to->where()));
  }
  ASSIGN_OR_RETURN(const auto sync, sync_journal(*from, *to));
  present({[&] { return document_of(sync); }, [&](JsonWriter& json) { write_record(sync, json); }},
          action.output, action.context);
  return ExitCode::kDone;
}

}  // namespace proofline
